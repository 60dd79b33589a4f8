import {
  CancellationScope,
  continueAsNew,
  executeChild,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { FunctionEntry } from '../activities/function-problems';
import {
  type FunctionProblemEnd,
  type FunctionProblemsCarry,
  FunctionProblemsInput,
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  queuesUnder,
  type Ref,
} from '../contract';
import { publish } from './durable/attributes';
import { isCancellation, messageOf } from './durable/failures';
import { functionStore, harnessActivities } from './durable/harness-activities';
import { checked } from './durable/input';
import { functionProgressQuery } from './durable/queries';
import { SlidingWindow } from './durable/sliding-window';
import { functionProblem } from './function-problem';

/** Results that are written to a blob together, so that the history stays small. */
const PAGE = 50;

/**
 * From the environment of a repository to function problems (R2E): its functions are filtered, real calls of them are
 * recorded from its own tests, and each that is left becomes a problem or is left out for a reason, many at once.
 */
export async function functionProblems(raw: FunctionProblemsInput): Promise<FunctionProblemsResult> {
  const input = checked(FunctionProblemsInput, raw, 'function problems');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const sandboxes = harnessActivities(queuesUnder(taskQueue));
  const entries = new Map<number, Promise<readonly FunctionEntry[]>>();
  const working = new Set<string>();
  const page: FunctionProblemEnd[] = [];
  let phase = 'Reading';
  let waiting: string | undefined;
  const done = input.carry?.done ?? { pages: [], tried: 0, admitted: 0, cost: { usd: 0, tokens: 0 } };
  const next = input.carry?.window ?? { next: 0, concurrency: input.concurrency, paused: false };
  const window = new SlidingWindow(next, (reason) => {
    waiting = reason;
    show();
  });
  setHandler(functionProgressQuery, progress, { description: 'Where the build is.' });
  let read = input.carry?.read;
  read ??= await begin().finally(() => CancellationScope.nonCancellable(release));
  enter('Building');

  const rest = await window.run(read.functions, async (unit) => {
    const end = await one(read, unit);
    if (!end) return;
    page.push(end);
    done.tried += 1;
    done.admitted += end.admitted ? 1 : 0;
    done.cost.usd += end.cost.usd;
    done.cost.tokens += end.cost.tokens;
    show();
    if (page.length >= PAGE) await turnPage();
  });
  await turnPage();
  if (rest === 'full') return continueAsNew<typeof functionProblems>({ ...input, carry: { read, done, window: next } });
  enter('Writing');
  const { environment, repository } = read;
  const result = await functionStore.writeProblems.executeWithOptions({ summary: 'problems, rows and report' }, [
    { id: workflowId, environment, repository, pages: done.pages, cost: done.cost },
  ]);
  publish({ Outcome: `${result.admitted} admitted`, CostUsd: done.cost.usd });
  enter('Done');
  return result;

  /** Reads the repository and runs its tests once under the recorder. */
  async function begin(): Promise<FunctionProblemsCarry['read']> {
    const environment = await functionStore.environmentOf.executeWithOptions({ summary: 'the environment' }, [
      { environment: input.environment },
    ]);
    publish({ InstanceId: environment.source ?? environment.image });
    enter('Reading');
    const { filters, only, maxFunctions, contextTokens, sandbox: profile } = input;
    const { ref: repository, functions } = await sandboxes.readFunctions.executeWithOptions(
      { summary: 'functions, slices, contexts' },
      [{ owner, environment, filters, only, maxFunctions, contextTokens }],
    );
    if (!input.attempts.some(({ author }) => author === 'builtin:recorded-calls'))
      return { environment, repository, functions, recorded: null };
    enter('Recording');
    const recorded = await sandboxes.recordFunctions.executeWithOptions({ summary: 'calls that its own tests make' }, [
      { owner, environment, repository, calls: input.casesPerFunction, profile },
    ]);
    return { environment, repository, functions, recorded };
  }

  /** What a worker that was killed while it read or recorded has left. */
  async function release(): Promise<void> {
    await sandboxes.releaseSandbox.executeWithOptions({ summary: 'containers of this run go' }, [{ owner }]);
  }

  /** An outage is waited out, or abandoned by a person (undefined): nothing is left out because of one. */
  async function one(
    { environment, repository, recorded }: FunctionProblemsCarry['read'],
    unit: number,
  ): Promise<FunctionProblemEnd | undefined> {
    const { name, prepared } = await entryOf(repository, unit);
    const { environment: _, filters, only, maxFunctions, concurrency, carry, ...shared } = input;
    working.add(name);
    show();
    try {
      for (let again = 0; ; again++) {
        try {
          return await executeChild(functionProblem, {
            args: [{ ...shared, environment, name, prepared, recorded }],
            workflowId: `${workflowId}/${name}${again > 0 ? `~${again}` : ''}`,
            parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
            staticSummary: name,
          });
        } catch (error) {
          if (isCancellation(error)) throw error;
          await window.park(`${name}: ${messageOf(error)}`);
          if (window.abandoned) return undefined;
        }
      }
    } finally {
      working.delete(name);
    }
  }

  /** Names and blobs of the functions come a page at a time. */
  async function entryOf(repository: Ref, unit: number): Promise<FunctionEntry> {
    const from = Math.floor(unit / PAGE) * PAGE;
    const known =
      entries.get(from) ??
      functionStore.functionsFrom.executeWithOptions({ summary: `functions from ${from + 1}` }, [
        { repository, from, count: PAGE },
      ]);
    entries.set(from, known);
    return (await known)[unit - from]!;
  }

  async function turnPage(): Promise<void> {
    const ends = page.splice(0);
    if (ends.length > 0)
      done.pages.push(
        await functionStore.keepEnds.executeWithOptions({ summary: `${ends.length} results` }, [{ ends }]),
      );
  }

  function enter(now: string): void {
    phase = now;
    publish({ Phase: now });
    show();
  }

  function progress(): FunctionProblemsProgress {
    const { tried, admitted, cost } = done;
    const paused = waiting === 'paused';
    return {
      phase: waiting ?? phase,
      functions: read?.functions ?? 0,
      tried,
      admitted,
      working: [...working],
      cost,
      paused,
    };
  }

  function show(): void {
    setCurrentDetails(describe(progress()));
  }
}

function describe({ phase, functions, tried, admitted, working, cost }: FunctionProblemsProgress): string {
  return [
    `**${phase}** — ${tried} of ${functions} functions, ${admitted} admitted, $${cost.usd.toFixed(4)}`,
    '',
    ...working.map((name) => `- ${name}`),
  ].join('\n');
}
