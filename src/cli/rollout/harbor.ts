import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  type HandOverPolicy,
  isPointsmanError,
  PointsmanError,
  Problem,
  type ProblemSource,
  ProfileName,
  parseInput,
  type RolloutResult,
  type WorkspaceImage,
} from '../../contract';
import { priorContext } from '../../dataset/exporters/atif';
import { count } from '../../pages/figures';
import { continuedTurns } from '../../problems/harbor/continued';
import { handOverIn, taskName } from '../../problems/harbor/task';
import { drawSwitch } from '../../rollout/handover';
import { inputOf, rowOfRun } from '../../store/history';
import { readCampaign } from '../campaign/reading';
import type { Cli } from '../context';
import { runToEnd, watchCommand } from '../follow';
import { findWorkflow } from '../lookup';
import { handOverOption, wholeOption } from '../options';
import { type TaskFlags, withTaskFlags, writeTask } from '../problem/task-folder';
import { waited } from '../wait';

type ExportFlags = TaskFlags & {
  readonly at?: number;
  readonly handOver?: HandOverPolicy;
  readonly campaign?: string;
  readonly seed?: number;
};

/** `rollout export`: what students have done so far as tasks for agents of other systems. */
export function addExport(rollout: Command, cli: Cli): void {
  withTaskFlags(
    rollout
      .command('export [id...]')
      .description('the sandbox after a step as a task of Harbor: any of its agents goes on as the expert')
      .option('--campaign <id>', 'all rollouts of a campaign')
      .option('--at <step>', 'steps that are kept, counted from 1', wholeOption)
      .option('--hand-over <k|a..b>', 'the same, drawn for each rollout as for any other', handOverOption)
      .option('--seed <n>', 'seed of the draw', wholeOption),
  ).action(async (ids: string[], given: ExportFlags) => {
    const flags = { ...given, out: resolve(given.out) };
    const { at, handOver, campaign, seed = 0 } = given;
    const policy = at === undefined ? handOver : { at };
    if (!policy) throw new PointsmanError('InvalidInput', 'nothing says where', 'Give --at STEP or --hand-over 1..8.');
    const rows = campaign === undefined ? [] : (await readCampaign(cli, campaign)).rows;
    const named = [...ids, ...rows.flatMap(({ id, result }) => (result ? [id] : []))];
    if (named.length === 0)
      throw new PointsmanError('InvalidInput', 'no rollout is named', 'Give ids, or --campaign ID.');
    const tasks: Awaited<ReturnType<typeof exportRollout>>[] = [];
    const left: { id: string; reason: string }[] = [];
    for (const id of named) {
      try {
        tasks.push(
          await exportRollout(
            cli,
            id,
            flags,
            (instance, attempt) => drawSwitch(policy, seed, instance, attempt).studentTurns,
          ),
        );
      } catch (error) {
        // One of many is told, and does not keep the others from it.
        if (!isPointsmanError(error) || named.length === 1) throw error;
        left.push({ id, reason: error.message });
      }
    }
    cli.print({ out: flags.out, tasks, left }, () =>
      [
        `${count(tasks.length, 'task')} in ${flags.out}`,
        ...tasks.map(({ id, step, folder }) => `  ${id} after step ${step}: ${folder}`),
        ...left.map(({ id, reason }) => `  left out, ${id}: ${reason}`),
        `run them: harbor run -p ${flags.out} -a claude-code; then: pointsman rollout import --harbor JOB`,
      ].join('\n'),
    );
  });
}

async function exportRollout(
  cli: Cli,
  word: string,
  flags: TaskFlags,
  drawn: (instance: string, attempt: number) => number | null,
) {
  const { handle } = await findWorkflow<unknown, RolloutResult>(cli, word, 'rollout');
  const { workflowId: id } = handle;
  cli.say(`▸ ${id}`);
  const input = await inputOf(handle);
  const source = input.problem as ProblemSource;
  const problem = parseInput(Problem, await cli.problems.find(source), 'problem');
  const step = drawn(problem.id, Number(input.attempt ?? 0));
  if (!step) throw new PointsmanError('InvalidInput', `${id}: no step of it would be kept`, 'Keep one at least.');
  const fork = { run: id, step };
  const made = await runToEnd<WorkspaceImage>(
    cli,
    'workspaceImage',
    { problem: source, fork, sandbox: input.sandbox },
    { id: `${id}/workspace-${step}`, note: `sandbox of ${id} after step ${step}` },
  );
  const kept = await cli.transcripts.load(made.head);
  if (kept.steps.at(-1)?.turn.action.tool === 'submit')
    throw new PointsmanError('InvalidInput', `${id} ended with step ${step}`, 'Keep fewer steps.');
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8);
  const task = await writeTask(cli, problem, taskName(`${problem.id}-${step}-${digest}`), flags, {
    workspace: made.image,
    ...(made.base === null ? {} : { base: made.base }),
    prior: { trajectory: priorContext(id, kept), metadata: { rollout: id, step, head: made.head } },
  });
  return { id, step, head: made.head, ...task };
}

/** What rows of such rollouts are called beside `oec` and `bc`. */
const METHOD = 'oec-harbor';

/** `rollout import`: trials of such tasks come back as rollouts. */
export function addImport(rollout: Command, cli: Cli): void {
  rollout
    .command('import')
    .description(
      'trials of tasks that `rollout export` wrote, as rollouts: the same first steps, then the agent as the expert',
    )
    .requiredOption('--harbor <dir>', 'folder of a job, or of one trial')
    .option('--out <file>', `their rows as JSONL, of the method ${METHOD}: a source of data sets and analyses`)
    .action(async ({ harbor, out }: { harbor: string; out?: string }) => {
      const trials = trialsAt(resolve(harbor));
      const imported: Awaited<ReturnType<typeof importTrial>>[] = [];
      const refused: { trial: string; reason: string }[] = [];
      for (const trial of trials) {
        try {
          imported.push(await importTrial(cli, trial));
        } catch (error) {
          if (!isPointsmanError(error)) throw error;
          refused.push({ trial: basename(trial), reason: error.message });
        }
      }
      const file = out && resolve(out);
      if (file) {
        const client = await cli.client();
        const rows = await Promise.all(imported.map(({ id }) => rowOfRun(client, id, METHOD)));
        writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      }
      cli.print({ imported, refused, ...(file ? { file } : {}) }, () =>
        [
          `${count(imported.length, 'rollout')} of ${count(trials.length, 'trial')}`,
          ...imported.map(
            ({ id, resolved, agent }) => `  ${id}: ${resolved ? 'resolved' : 'not resolved'} by ${agent}`,
          ),
          ...refused.map(({ trial, reason }) => `  ${trial}: ${reason}`),
          ...(file ? [`rows of the method ${METHOD}: ${file}`] : []),
        ].join('\n'),
      );
      if (imported.length === 0) process.exitCode = 1;
    });
}

function trialsAt(folder: string): string[] {
  const isTrial = (path: string) => existsSync(join(path, 'result.json')) && existsSync(join(path, 'agent'));
  if (isTrial(folder)) return [folder];
  const trials = existsSync(folder)
    ? readdirSync(folder)
        .map((name) => join(folder, name))
        .filter(isTrial)
    : [];
  if (trials.length > 0) return trials.sort();
  throw new PointsmanError(
    'NotFound',
    `${folder} holds no trial`,
    'Give the folder of a job, as `harbor run -o` wrote it.',
  );
}

const Trial = z.looseObject({
  trial_name: z.string(),
  task_id: z.looseObject({ path: z.string() }),
  agent_info: z.looseObject({ name: z.string(), version: z.string().nullish() }),
});

async function importTrial(cli: Cli, folder: string) {
  const trial = parseInput(Trial, jsonAt(join(folder, 'result.json')), 'result.json');
  const task = trial.task_id.path;
  const handOver = handOverIn(textAt(join(task, 'task.toml')));
  const problem = parseInput(Problem, jsonAt(join(task, 'tests', 'problem.json')), 'tests/problem.json');
  const { turns, agent } = continuedTurns(
    jsonAt(join(folder, 'agent', 'trajectory.json')),
    jsonAt(join(task, 'trajectory.json')),
  );
  const patch = textAt(join(folder, 'artifacts', 'tmp', 'candidate.patch'));
  const before = await inputOf((await cli.client()).workflow.getHandle(handOver.rollout));
  const expert = trial.agent_info.name.toLowerCase().replace(/[^a-z0-9._-]+/g, '-');
  const id = `${handOver.rollout}/${trial.trial_name}`;
  const handle = await cli.start(
    'rollout',
    {
      problem: await cli.problems.keep(problem),
      student: before.student ?? before.expert,
      expert: ProfileName.safeParse(expert).success ? expert : 'agent',
      handOver: { at: handOver.step },
      fork: { run: handOver.rollout, step: handOver.step },
      imported: {
        turns: await cli.blobs.put(JSON.stringify(turns)),
        patch: await cli.blobs.put(patch),
        agent,
      },
    },
    { id, note: `${problem.id}: ${agent} from step ${handOver.step + 1}` },
  );
  const result = await waited<RolloutResult>(cli, handle, { follow: watchCommand('rollout', handle) });
  return { id, agent, resolved: result.resolved, turns: turns.length, head: result.head };
}

function textAt(path: string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8');
  throw new PointsmanError('NotFound', `there is no ${path}`, 'Was the trial made from a task of `rollout export`?');
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(textAt(path));
  } catch (error) {
    if (isPointsmanError(error)) throw error;
    throw new PointsmanError('InvalidInput', `${path}: ${(error as Error).message}`, 'The file is not whole.');
  }
}
