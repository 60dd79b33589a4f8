import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { WorkflowHandle } from '@temporalio/client';
import type { z } from 'zod';
import { Cli } from './cli/context';
import { readDataset } from './cli/dataset/folder';
import { askProgress, newest, statusOf } from './cli/lookup';
import { readRun } from './cli/rollout/reading';
import { sendUpdate } from './cli/steer';
import { waited } from './cli/wait';
import * as contract from './contract';
import type { RunStatus, ShownRun } from './pages/shown-run';

/** Workflows that a script may start, by the name that the Temporal CLI uses too, each with the schema of its input. */
const INPUTS = {
  rollout: contract.RolloutInput,
  repoSetup: contract.RepoSetupInput,
  functionProblems: contract.FunctionProblemsInput,
  problemCheck: contract.ProblemCheckInput,
  grade: contract.GradeInput,
  evaluation: contract.EvaluationInput,
  campaign: contract.CampaignInput,
  dataset: contract.DatasetInput,
  covariateShift: contract.CovariateShiftInput,
  failureAnalysis: contract.FailureAnalysisInput,
  report: contract.ReportInput,
  pipeline: contract.PipelineInput,
} as const satisfies Record<string, z.ZodType>;

interface Results {
  readonly rollout: contract.RolloutResult;
  readonly repoSetup: contract.RepoSetupResult;
  readonly functionProblems: contract.FunctionProblemsResult;
  readonly problemCheck: contract.ProblemCheckResult;
  readonly grade: contract.GradeResult;
  readonly evaluation: contract.EvaluationResult;
  readonly campaign: contract.CampaignResult;
  readonly dataset: contract.DatasetResult;
  readonly covariateShift: contract.CovariateShiftResult;
  readonly failureAnalysis: contract.FailureAnalysisResult;
  readonly report: contract.ReportResult;
  readonly pipeline: contract.PipelineResult;
}

interface Progresses {
  readonly rollout: contract.RolloutProgress;
  readonly repoSetup: contract.SetupProgress;
  readonly functionProblems: contract.FunctionProblemsProgress;
  readonly evaluation: contract.EvaluationProgress;
  readonly campaign: contract.CampaignProgress;
  readonly dataset: contract.DatasetProgress;
  readonly covariateShift: contract.CovariateShiftProgress;
  readonly failureAnalysis: contract.FailureAnalysisProgress;
  readonly pipeline: contract.PipelineProgress;
}

export type WorkflowName = keyof typeof INPUTS;
/** What is written to start one: what has a default may be left out. */
export type InputOf<Name extends WorkflowName> = z.input<(typeof INPUTS)[Name]>;
export type ResultOf<Name extends WorkflowName> = Results[Name];
export type ProgressOf<Name extends WorkflowName> = Name extends keyof Progresses ? Progresses[Name] : never;

/** One workflow, running or ended. It runs on whether or not this process does. */
export interface Run<Name extends WorkflowName> {
  readonly id: string;
  /** Waits for the end, however it ends. Throws why there is no result, and what to do where that is known; so too of one that is parked. */
  result(): Promise<ResultOf<Name>>;
  status(): Promise<RunStatus>;
  /** How far it is; undefined where no worker answers within five seconds, or for one without progress. */
  progress(): Promise<ProgressOf<Name> | undefined>;
  /** Steers it: `pause`, `resume`, `abandon`, `handOver`, `setBudget`, `setConcurrency`, `setRate`. Throws where it takes no such. */
  update(name: string, argument?: unknown): Promise<unknown>;
  /** What it has done so far is kept. */
  cancel(): Promise<void>;
}

/**
 * Pointsman from a script: starts and steers what the command line does, and reads what is stored. It takes the same settings
 * (`pointsman.yaml`, the home, Temporal's variables and profiles), and starts a local server and worker where none is configured.
 */
export class Pointsman {
  private constructor(private readonly cli: Cli) {}

  /** `queue` is the task queue that workflows are started on; `log` is told what the command line says on standard error. */
  static async open({ queue, log }: { queue?: string; log?: (line: string) => void } = {}): Promise<Pointsman> {
    const cli = new Cli(queue);
    cli.say = (text) => log?.(text);
    await cli.useExtensions();
    return new Pointsman(cli);
  }

  /** Starts one. With the id of one that runs, that is taken. Throws `InvalidInput` before anything starts. */
  async start<Name extends WorkflowName>(name: Name, input: InputOf<Name>, { id }: { id: string }): Promise<Run<Name>> {
    contract.parseInput<unknown>(INPUTS[name], input, name);
    return runOf<Name>(this.cli, await this.cli.start(name, input, { id, among: true }));
  }

  /** One that was started, here or by anybody. */
  async run<Name extends WorkflowName>(_name: Name, id: string): Promise<Run<Name>> {
    return runOf<Name>(this.cli, (await this.cli.client()).workflow.getHandle(id));
  }

  /** Ids of the newest first, found by a query of Temporal's visibility, like `Resolved = true`. */
  async list(name: WorkflowName, { query, limit = 100 }: { query?: string; limit?: number } = {}): Promise<string[]> {
    const conditions = [`WorkflowType = '${name}'`, ...(query ? [`(${query})`] : [])];
    const found = await newest(this.cli, conditions.join(' AND '), limit);
    return found.map(({ workflowId }) => workflowId);
  }

  /** A rollout with its turns and their outputs, by workflow id or by the hash of its head. Throws `NotFound`. */
  trajectory(idOrHead: string): Promise<ShownRun> {
    return readRun(this.cli, idOrHead);
  }

  /** The rows of a data set as a format has them, one at a time. Throws `NotFound` with the names or formats there are. */
  async *rows(
    name: string,
    { format = 'universal', split = 'train' }: { format?: string; split?: 'train' | 'validation' } = {},
  ): AsyncGenerator<Record<string, unknown>> {
    const { folder, manifest } = await readDataset(this.cli, name);
    const file = manifest.files.find(({ path }) => path === `${split}.${format}.jsonl`);
    if (!file) {
      throw new contract.PointsmanError(
        'NotFound',
        `the data set ${name} has no ${split}.${format}.jsonl`,
        `It has: ${manifest.files.map(({ path }) => path).join(', ')}.`,
      );
    }
    for await (const line of createInterface({ input: createReadStream(join(await folder(), file.path), 'utf8') }))
      if (line !== '') yield JSON.parse(line) as Record<string, unknown>;
  }

  /** Bytes of the store by their hash: outputs, patches, whole files. Throws `NotFound`. */
  blob(sha256: string): Promise<Buffer> {
    return this.cli.blobs.get(sha256);
  }

  /** Ends the connection. What was started runs on. */
  close(): Promise<void> {
    return this.cli.close();
  }
}

function runOf<Name extends WorkflowName>(cli: Cli, handle: WorkflowHandle): Run<Name> {
  return {
    id: handle.workflowId,
    result: () =>
      waited<ResultOf<Name>>(cli, handle, { follow: `temporal workflow show --workflow-id ${handle.workflowId}` }),
    status: async () => statusOf(await handle.describe()),
    progress: async () => askProgress<ProgressOf<Name>>(await cli.client(), handle),
    update: (name, argument) => sendUpdate(cli, handle.workflowId, name, argument),
    async cancel() {
      await handle.cancel();
    },
  };
}

export * from './contract';
export * from './extend';
export type { RunStatus, ShownRun, ShownStep } from './pages/shown-run';
export { type MakeSandboxes, openSandboxes } from './sandbox';
