import { z } from 'zod';
import { Config } from '../config';
import {
  EvaluationInput,
  EvaluationResult,
  ExperienceUnit,
  FunctionInstance,
  FunctionProblemsInput,
  FunctionProblemsResult,
  GradeInput,
  GradeResult,
  JanitorInput,
  Problem,
  ProblemCheckInput,
  ProblemCheckResult,
  RepoSetupInput,
  RepoSetupResult,
  RolloutInput,
  RolloutResult,
  SetBudget,
  SetConcurrency,
  SetupVerdictInput,
  SetupVerdictResult,
  Step,
} from '../contract';
import { Script } from '../model/rehearsal/script';

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
  ['function-problems', 'Input of the workflow functionProblems', FunctionProblemsInput, 'input'],
  ['function-problems-result', 'Result of the workflow functionProblems', FunctionProblemsResult, 'output'],
  ['function-instance', 'A function problem, one a line of problems.jsonl', FunctionInstance, 'output'],
  ['evaluation', 'Input of the workflow evaluation', EvaluationInput, 'input'],
  ['evaluation-result', 'Result of the workflow evaluation', EvaluationResult, 'output'],
  ['janitor', 'Input of the workflow janitor', JanitorInput, 'input'],
  ['set-budget', 'Argument of the update setBudget', SetBudget, 'input'],
  ['set-concurrency', 'Argument of the update setConcurrency', SetConcurrency, 'input'],
  ['step', 'A link of a trajectory in the blob store', Step, 'output'],
  ['config', 'switchyard.yaml', Config, 'input'],
  ['rehearsal-script', 'A script of the rehearsal server', Script, 'input'],
];

/** Every JSON Schema that ships, by file name, as the bytes of its file. */
export function schemaFiles(): Map<string, string> {
  return new Map(
    SCHEMAS.map(([name, title, schema, io]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      return [`${name}.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`];
    }),
  );
}
