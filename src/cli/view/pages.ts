import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import {
  type ControlCheck,
  type GradeResult,
  type Opening,
  PointsmanError,
  type Ref,
  type RolloutRow,
  type TestOutcome,
  type Timing,
} from '../../contract';
import { clipLimit } from '../../pages/viewer/clip';
import type { GradeView, RunEvents, RunLine, RunPage, TurnEvents } from '../../pages/viewer/payload';
import { lineOfRow, resultFigures } from '../../pages/viewer/run-line';
import {
  type Ending,
  type GradeBodies,
  gradeView,
  type LoadedChain,
  type PageFacts,
  rolloutPage,
  setupPage,
} from '../../pages/viewer/run-page';
import { readChain, readObservations, readText } from '../../pages/viewer/server/chain-files';
import { setupTurnView } from '../../pages/viewer/turn-view';
import type { BlobStore } from '../../store/blobs';
import { eventsOf, firstValue } from '../../store/history';
import type { Cli } from '../context';
import { type RunFacts, refusedOf } from '../rollout/reading';
import { readSetup } from '../setup/reading';
import { unknownLine } from './lines';

/** A rollout of a campaign as a page: all of it is in the store; `runId` and links are the server's, where one answers. */
export async function pageOfRow(
  cli: Cli,
  row: RolloutRow,
  known: { readonly runId?: string; readonly links: PageFacts['links']; readonly training: PageFacts['training'] },
): Promise<RunPage> {
  const { result } = row;
  const facts: PageFacts = {
    line: lineOfRow(row),
    live: false,
    phase: null,
    policy: row.handOver,
    head: result?.head ?? null,
    trouble: row.error ?? null,
    refused: await refusedOf(cli, result),
    links: known.links,
    training: known.training,
    workspace: result?.workspace ?? null,
  };
  return pageOf(cli, facts, [known.runId, row.id], {
    patch: result?.patch ?? null,
    grade: result?.grade ?? null,
    problem: row.problem,
  });
}

/** A rollout as the server knows it, running or ended. */
export async function pageOfRun(cli: Cli, run: RunFacts, training: PageFacts['training']): Promise<RunPage> {
  const { result, status } = run;
  const ended = run.endedAt?.getTime() ?? null;
  const started = run.startedAt?.getTime() ?? null;
  const line: RunLine = {
    ...unknownLine(run.id ?? run.head ?? ''),
    instance: run.problem,
    status: status === 'completed' ? (result?.status ?? status) : status,
    student: run.student ?? null,
    expert: run.expert ?? null,
    ...resultFigures(result ?? null),
    k: run.handOver?.sampled ?? null,
    expertFrom: run.handOver?.expertFrom ?? null,
    usd: result?.cost.usd ?? run.spent?.usd ?? null,
    tokens: result?.cost.tokens ?? run.spent?.tokens ?? null,
    seconds: started !== null && ended !== null ? (ended - started) / 1000 : null,
    startedAt: started,
    note: result?.detail ?? null,
  };
  const facts: PageFacts = {
    line,
    live: status === 'running',
    phase: run.phase ?? null,
    awaiting: run.awaiting,
    policy: run.policy ?? null,
    head: run.head ?? null,
    trouble: run.trouble ?? null,
    refused: await refusedOf(cli, result),
    links: run.links,
    training,
    workspace: result?.workspace ?? null,
  };
  return pageOf(cli, facts, [run.runId], { patch: result?.patch ?? null, grade: result?.grade ?? null, problem: null });
}

/** A chain of which nobody knows the workflow. */
export async function pageOfHead(cli: Cli, head: string): Promise<RunPage> {
  const facts: PageFacts = {
    line: { ...unknownLine(head), status: 'chain' },
    live: false,
    phase: null,
    policy: null,
    head,
    trouble: null,
    refused: [],
    links: [],
    training: null,
    workspace: null,
  };
  return pageOf(cli, facts, [], { patch: null, grade: null, problem: null });
}

/** The agent's steps of a set-up, with its frames. */
export async function pageOfSetup(cli: Cli, id: string): Promise<RunPage> {
  const run = await readSetup(cli, id);
  const { result, progress } = run;
  const limit = clipLimit(run.steps.length);
  const [started, ended] = [run.startedAt?.getTime() ?? null, run.endedAt?.getTime() ?? null];
  const used = result?.cost ?? progress?.cost;
  const facts: PageFacts = {
    line: {
      ...unknownLine(id),
      kind: 'setup',
      instance: run.source,
      status: run.status === 'completed' ? (result?.status ?? run.status) : run.status,
      resolved: result?.verdict ? result.verdict.verdict === 'not_guilty' : null,
      student: run.agent ?? null,
      turns: { total: run.steps.length, student: 0, expert: 0, refused: result?.formatRetries ?? 0 },
      usd: used?.usd ?? null,
      tokens: used?.tokens ?? null,
      seconds: started !== null && ended !== null ? (ended - started) / 1000 : null,
      startedAt: started,
      note: result?.detail ?? null,
    },
    live: run.status === 'running',
    phase: run.phase ?? null,
    policy: null,
    head: run.head ?? null,
    trouble: run.trouble ?? null,
    refused: run.refused ?? [],
    links: run.links,
    training: null,
    workspace: null,
  };
  const turns = run.steps.map((step) => setupTurnView(step, limit));
  return setupPage(facts, turns, result?.frames ?? [], result?.units ?? []);
}

interface Refs {
  readonly patch: Ref | null;
  readonly grade: GradeResult | null;
  readonly problem: Ref | null;
}

async function pageOf(cli: Cli, facts: PageFacts, timingKeys: readonly (string | undefined)[], refs: Refs) {
  const { blobs } = cli;
  const chain = facts.head ? await loadChain(cli, facts.head, timingKeys).catch(trouble) : null;
  const ended = await endingOf(cli, blobs, refs, chain && 'opening' in chain ? chain.opening : undefined);
  if (chain && 'said' in chain) {
    return rolloutPage({ ...facts, trouble: [facts.trouble, chain.said].filter(Boolean).join('; ') }, null, ended);
  }
  const line = {
    ...facts.line,
    instance: facts.line.status === 'chain' && chain ? chain.opening.problemId : facts.line.instance,
  };
  return rolloutPage({ ...facts, line }, chain, ended);
}

/** A store elsewhere is no reason to hide what a row or the server says. */
function trouble(error: unknown): { said: string } {
  if (error instanceof PointsmanError) return { said: `${error.message}. ${error.hint}` };
  throw error;
}

async function loadChain(cli: Cli, head: string, timingKeys: readonly (string | undefined)[]): Promise<LoadedChain> {
  const chain = await readChain(cli.blobs, head);
  const observations = await readObservations(cli.blobs, chain.steps);
  return { ...chain, observations, timings: await timingsOf(cli, timingKeys) };
}

async function timingsOf(cli: Cli, keys: readonly (string | undefined)[]): Promise<ReadonlyMap<number, Timing>> {
  for (const key of keys) {
    const found = key === undefined ? undefined : await cli.timings.of(key);
    if (found && found.size > 0) return found;
  }
  return new Map();
}

async function endingOf(cli: Cli, blobs: BlobStore, refs: Refs, opening: Opening | undefined): Promise<Ending> {
  const patch = refs.patch && (await readText(blobs, refs.patch.sha256));
  const grade = refs.grade ? await gradeOf(cli, blobs, refs.grade, refs.problem, opening?.problemId) : null;
  return {
    patch: refs.patch && patch !== undefined && patch !== null ? { text: patch, ref: refs.patch } : null,
    grade,
  };
}

async function gradeOf(
  cli: Cli,
  blobs: BlobStore,
  grade: GradeResult,
  problem: Ref | null,
  problemId: string | undefined,
): Promise<GradeView> {
  const outcomes = await readText(blobs, grade.outcomes.sha256);
  // Without the problem's lists a page names the tests that are missing, and the others by their outcome.
  const known = await cli.problems.find(problem ?? problemId ?? '').catch(() => null);
  const bodies: GradeBodies = {
    outcomes: outcomes === undefined ? null : (JSON.parse(outcomes) as Record<string, TestOutcome>),
    log: (await readText(blobs, grade.log.sha256)) ?? null,
    checks: await checksOf(blobs, grade),
    tests: known?.tests ?? null,
  };
  return gradeView(grade, bodies);
}

/** What tests did where their expectation was wrong; a store elsewhere has it, and the page goes without. */
async function checksOf(blobs: BlobStore, { runs }: GradeResult): Promise<ControlCheck[]> {
  const texts = await Promise.all(runs.map(({ checks }) => checks && readText(blobs, checks.sha256)));
  return texts.flatMap((text) => (text ? (JSON.parse(text) as ControlCheck[]) : []));
}

/** Activities that ask for a turn; every other one whose summary names the turn does it. The second may do both. */
const ASKS: readonly string[] = ['callModel', 'takeTurn', 'makeMove'];

/**
 * Which events of a history belong to which turn, by the summaries that workflows give their activities (`turn 4 · …`). Of
 * a run that went on as a new one these are the events of the newest execution.
 */
export async function turnEvents(handle: WorkflowHandle, workflowLink: string | undefined): Promise<RunEvents> {
  const { runId } = await handle.describe();
  const events = await eventsOf(handle);
  const turns = new Map<number, { -readonly [name in keyof TurnEvents]: TurnEvents[name] }>();
  const places = new Map<string, { turn: number; asks: boolean }>();
  for (const event of events) {
    const id = Number(event.eventId);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const turn = turnIn(event.userMetadata?.summary);
      if (turn === undefined) continue;
      const asks = ASKS.includes(scheduled.activityType?.name ?? '');
      places.set(String(event.eventId), { turn, asks });
      const known = turns.get(turn) ?? { asked: null, answered: null, done: null };
      if (asks) known.asked ??= id;
      turns.set(turn, known);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const place = places.get(String(completed?.scheduledEventId));
    if (!place) continue;
    const known = turns.get(place.turn)!;
    if (place.asks) known.answered = id;
    if (!place.asks || firstValue<{ seen?: object }>(completed?.result)?.seen) known.done = id;
  }
  const history = workflowLink ? `${workflowLink}/${encodeURIComponent(runId)}/history` : null;
  return { history, runId, turns: Object.fromEntries(turns) };
}

function turnIn(summary: Payload | null | undefined): number | undefined {
  const text: unknown = summary ? defaultPayloadConverter.fromPayload(summary) : undefined;
  // The roles of a set-up count their own turns.
  const found =
    typeof text === 'string' ? /^turn (\d+)\b(?! · (?:verifier|prosecutor|judge) )/.exec(text)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
