import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { Config } from '../config';
import {
  CampaignInput,
  CampaignResult,
  CovariateShiftInput,
  CovariateShiftResult,
  DatasetInput,
  DatasetManifest,
  DatasetOrigin,
  DatasetResult,
  DroppedRow,
  EvaluationInput,
  EvaluationResult,
  ExperienceUnit,
  FailureAnalysisInput,
  FailureAnalysisResult,
  FailureVerdict,
  FunctionInstance,
  FunctionProblemsInput,
  FunctionProblemsResult,
  GradeInput,
  GradeResult,
  JanitorInput,
  PipelineInput,
  PipelineResult,
  PointsmanError,
  Problem,
  ProblemCheckInput,
  ProblemCheckResult,
  ProblemControls,
  ProblemControlsInput,
  ReportInput,
  ReportResult,
  RepoSetupInput,
  RepoSetupResult,
  RolloutInput,
  RolloutResult,
  RolloutRow,
  SetBudget,
  SetCampaignBudget,
  SetConcurrency,
  SetRate,
  SetupVerdictInput,
  SetupVerdictResult,
  Step,
} from '../contract';
import { REPOSITORY } from '../home';
import { readText } from '../machine/command';
import { Script } from '../model/rehearsal/script';
import type { Cli } from './context';

const FOLDER = join(REPOSITORY, 'examples', 'schemas');

/** `schemas write` and `schemas check`: the JSON Schemas in examples/, made from the contract. */
export function addSchemaCommands(schemas: Command, cli: Cli): void {
  schemas
    .command('write')
    .description('write them into examples/schemas')
    .action(() => {
      const files = schemaFiles();
      const stale = staleSchemas(files);
      mkdirSync(FOLDER, { recursive: true });
      for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
      for (const name of stale) if (!files.has(name)) rmSync(join(FOLDER, name));
      cli.print({ files: [...files.keys()], changed: stale }, () => `${files.size} schemas, ${stale.length} changed`);
    });
  schemas
    .command('check')
    .description('fail when a file there is not what the contract says')
    .action(() => {
      const stale = staleSchemas(schemaFiles());
      if (stale.length > 0)
        throw new PointsmanError('InvalidInput', `stale: ${stale.join(', ')}`, 'Run `npm run schemas` and commit.');
      cli.print({ stale }, () => 'all schemas are fresh');
    });
}

/** Files that are missing, differ, or that no schema belongs to any more. */
function staleSchemas(files: ReadonlyMap<string, string>): string[] {
  const changed = [...files].filter(([name, text]) => readText(join(FOLDER, name)) !== text).map(([name]) => name);
  mkdirSync(FOLDER, { recursive: true });
  const strays = readdirSync(FOLDER).filter((name) => name.endsWith('.json') && !files.has(name));
  return [...changed, ...strays];
}

/** What people write is described as it may be written, with defaults left out; what we write as it comes out. */
const SCHEMAS: readonly (readonly [file: string, title: string, schema: z.ZodType, io: 'input' | 'output'])[] = [
  ['rollout', 'Input of the workflow rollout', RolloutInput, 'input'],
  ['rollout-result', 'Result of the workflow rollout', RolloutResult, 'output'],
  ['repo-setup', 'Input of the workflow repoSetup', RepoSetupInput, 'input'],
  ['repo-setup-result', 'Result of the workflow repoSetup', RepoSetupResult, 'output'],
  ['setup-verdict', 'Input of the workflow setupVerdict', SetupVerdictInput, 'input'],
  ['setup-verdict-result', 'Result of the workflow setupVerdict', SetupVerdictResult, 'output'],
  ['experience-unit', 'An experience unit, one a line in exports', ExperienceUnit, 'input'],
  ['grade', 'Input of the workflow grade', GradeInput, 'input'],
  ['grade-result', 'Result of the workflow grade', GradeResult, 'output'],
  ['problem', 'A problem (problem.json)', Problem, 'input'],
  ['problem-check', 'Input of the workflow problemCheck', ProblemCheckInput, 'input'],
  ['problem-check-result', 'Result of the workflow problemCheck', ProblemCheckResult, 'output'],
  ['problem-controls', 'Input of the workflow problemControls', ProblemControlsInput, 'input'],
  ['problem-controls-result', 'Result of the workflow problemControls', ProblemControls, 'output'],
  ['function-problems', 'Input of the workflow functionProblems', FunctionProblemsInput, 'input'],
  ['function-problems-result', 'Result of the workflow functionProblems', FunctionProblemsResult, 'output'],
  ['function-instance', 'A function problem, one a line of problems.jsonl', FunctionInstance, 'output'],
  ['evaluation', 'Input of the workflow evaluation', EvaluationInput, 'input'],
  ['evaluation-result', 'Result of the workflow evaluation', EvaluationResult, 'output'],
  ['pipeline', 'Input of the workflow pipeline', PipelineInput, 'input'],
  ['pipeline-result', 'Result of the workflow pipeline', PipelineResult, 'output'],
  ['campaign', 'Input of the workflow campaign', CampaignInput, 'input'],
  ['campaign-result', 'Result of the workflow campaign', CampaignResult, 'output'],
  ['rollout-row', 'A rollout of a campaign, one a line of rollouts.jsonl', RolloutRow, 'output'],
  ['dataset', 'Input of the workflow dataset', DatasetInput, 'input'],
  ['dataset-result', 'Result of the workflow dataset', DatasetResult, 'output'],
  ['dataset-manifest', 'manifest.json of a data set', DatasetManifest, 'output'],
  ['dataset-row', 'Where a row of a data set comes from, one a line of rows.jsonl', DatasetOrigin, 'output'],
  ['dropped-row', 'What is not in a data set, one a line of dropped.jsonl', DroppedRow, 'output'],
  ['report', 'Input of the workflow report', ReportInput, 'input'],
  ['report-result', 'Result of the workflow report', ReportResult, 'output'],
  ['covariate-shift', 'Input of the workflow covariateShift', CovariateShiftInput, 'input'],
  ['covariate-shift-result', 'Result of the workflow covariateShift', CovariateShiftResult, 'output'],
  ['failure-analysis', 'Input of the workflow failureAnalysis', FailureAnalysisInput, 'input'],
  ['failure-analysis-result', 'Result of the workflow failureAnalysis', FailureAnalysisResult, 'output'],
  ['failure-verdict', 'Why a rollout failed, one a line of failures.jsonl', FailureVerdict, 'output'],
  ['janitor', 'Input of the workflow janitor', JanitorInput, 'input'],
  ['set-budget', 'Argument of the update setBudget', SetBudget, 'input'],
  ['set-concurrency', 'Argument of the update setConcurrency', SetConcurrency, 'input'],
  ['set-rate', 'Argument of the update setRate', SetRate, 'input'],
  ['set-campaign-budget', 'Argument of the update setBudget of a campaign', SetCampaignBudget, 'input'],
  ['step', 'A link of a trajectory in the blob store', Step, 'output'],
  ['config', 'pointsman.yaml', Config, 'input'],
  ['rehearsal-script', 'A script of the rehearsal server', Script, 'input'],
];

/** Every JSON Schema that ships, by file name, as the bytes of its file. */
function schemaFiles(): Map<string, string> {
  return new Map(
    SCHEMAS.map(([name, title, schema, io]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      return [`${name}.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`];
    }),
  );
}
