import type { AwaitedPerson, HandOverPolicy, Opening, Rejected, RolloutProgress, RolloutResult } from '../../contract';
import type { ShownRun, ShownStep } from '../../pages/shown-run';
import { headInHistory } from '../../store/history';
import { type Cli, look } from '../context';
import { askProgress, attributesOf, endingOf, findHead, lookUp, missingWord, statusOf } from '../lookup';
import { verdict } from '../terminal/verdict';
import { standstill } from '../wait';

/** A rollout by workflow id, or a trajectory by the (abbreviated) hash of its head. Throws `NotFound`. */
export async function readRun(cli: Cli, idOrHash: string): Promise<ShownRun> {
  const head = await findHead(cli.blobs, idOrHash);
  return head ? readChain(cli, head) : readWorkflow(cli, idOrHash);
}

async function readChain(cli: Cli, head: string): Promise<ShownRun> {
  const { opening, steps } = await loadSteps(cli, head);
  const profile = (author: string) => steps.find(({ turn }) => turn.author === author)?.turn.profile;
  const usd = steps.reduce((sum, { turn }) => sum + turn.usage.costUsd, 0);
  const tokens = steps.reduce((sum, { turn }) => sum + turn.usage.promptTokens + turn.usage.completionTokens, 0);
  return {
    id: null,
    status: 'chain',
    problem: opening.problemId,
    student: profile('student'),
    expert: profile('expert'),
    spent: { usd, tokens },
    steps,
    head,
    links: [['blob', cli.blobs.addressOf(head)]],
  };
}

async function readWorkflow(cli: Cli, id: string): Promise<ShownRun> {
  const { runId, trouble, ...facts } = await runFacts(cli, id);
  // A store elsewhere is no reason to hide what the server knows.
  const chain = facts.head ? await loadSteps(cli, facts.head, runId).catch((error: Error) => error) : undefined;
  const missing = chain instanceof Error ? missingWord(chain) : undefined;
  return {
    ...facts,
    steps: chain && !(chain instanceof Error) ? chain.steps : [],
    refused: await refusedOf(cli, facts.result),
    trouble: [trouble, missing].filter(Boolean).join('; ') || undefined,
  };
}

/** Replies that no step holds. One that is in no store of this machine is left out. */
export async function refusedOf(
  cli: Cli,
  result: { readonly refused?: readonly string[] } | undefined | null,
): Promise<Rejected[]> {
  const found = await Promise.all(
    (result?.refused ?? []).map((hash) => cli.transcripts.rejected(hash).catch(() => undefined)),
  );
  return found.filter((each) => each !== undefined);
}

/** What the server knows of a rollout, all but its steps. `runId` is that of its first run, which timings are kept under. */
export type RunFacts = Omit<ShownRun, 'steps'> & { readonly runId: string; readonly awaiting?: AwaitedPerson };

/** Throws `InvalidInput` for a workflow that is no rollout. */
export async function runFacts(cli: Cli, id: string): Promise<RunFacts> {
  const { client, handle, described, ui } = await lookUp(cli, id, 'rollout');
  const { result, trouble } = await endingOf<RolloutResult>(handle, described);
  const progress = result ? undefined : await askProgress<RolloutProgress>(client, handle);
  const head = result?.head || progress?.head || (await headInHistory(handle));
  const patch = result?.patch && (await cli.blobs.get(result.patch.sha256).catch(() => undefined));
  const attributes = attributesOf(described);
  return {
    id,
    runId: described.raw.workflowExecutionInfo?.firstRunId || described.runId,
    status: statusOf(described),
    phase: progress?.phase ?? attributes.Phase,
    ...(progress?.awaiting ? { awaiting: progress.awaiting } : {}),
    problem: attributes.InstanceId ?? String(described.memo?.problem ?? 'a rollout that has not begun'),
    student: attributes.Student,
    expert: attributes.Expert,
    policy: described.memo?.handOver as HandOverPolicy | undefined,
    handOver: result?.handOver ?? progress?.handOver,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    spent: progress && { usd: progress.spent.costUsd, tokens: progress.spent.tokens },
    result,
    patch: patch?.toString('utf8'),
    trouble: [trouble, await standstill(client, described)].filter(Boolean).join('; ') || undefined,
    head,
    links: [...(ui ? [['UI', ui] as const] : []), ...(head ? [['blob', cli.blobs.addressOf(head)] as const] : [])],
  };
}

/** What `--wait --json` prints: the result with the patch as text. */
type RolloutAnswer = Omit<RolloutResult, 'patch'> & { readonly patch: string | null };

async function answerOf(cli: Cli, result: RolloutResult): Promise<RolloutAnswer> {
  const { patch, ...rest } = result;
  return { ...rest, patch: patch ? (await cli.blobs.get(patch.sha256)).toString('utf8') : null };
}

export async function printAnswer(cli: Cli, result: RolloutResult): Promise<void> {
  const answer = await answerOf(cli, result);
  cli.print(answer, () =>
    [`${result.id}: ${verdict(result, look())}`, `\`pointsman rollout show ${result.id}\` prints the trajectory`].join(
      '\n',
    ),
  );
}

/** The steps behind a head with their bodies, and what they took in that run. Throws `NotFound`. */
export async function loadSteps(
  cli: Cli,
  head: string,
  run?: string,
): Promise<{ opening: Opening; steps: ShownStep[] }> {
  const { transcripts } = cli;
  const [{ opening, steps, hashes }, timings] = await Promise.all([
    transcripts.chain(head),
    run === undefined ? new Map() : cli.timings.of(run),
  ]);
  const seen = await Promise.all(steps.map((step) => transcripts.see(step)));
  return {
    opening,
    steps: seen.map((step, at) => {
      const timing = timings.get(step.turn.turn);
      return { ...step, hash: hashes[at]!, durationMs: timing?.durationMs, redone: timing?.redone };
    }),
  };
}
