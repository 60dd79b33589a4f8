import {
  continueAsNew,
  defineQuery,
  executeChild,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { FunctionEntry } from '../../activities/problems/function-problems';
import {
  type FunctionProblemEnd,
  type FunctionProblemsCarry,
  FunctionProblemsInput,
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  queuesUnder,
  type Ref,
} from '../../contract';
import { isCancellation, messageOf } from '../durable/failures';
import { checked } from '../durable/input';
import { Phase } from '../durable/phase';
import { SlidingWindow } from '../durable/sliding-window';
import { Steering } from '../durable/steering';
import { functionStore, harnessActivities, releaseHarness } from './activities';
import { functionProblem } from './function-problem';

const progressQuery = defineQuery<FunctionProblemsProgress>('progress');

/** Results that are written to a blob together, so that the history stays small. */
const PAGE = 50;

/**
 * From the environment of a repository to function problems (R2E): its functions are filtered, real calls of them are
 * recorded from its own tests, and each that is left becomes a problem or is left out for a reason, many at once.
 */
export async function functionProblems(raw: FunctionProblemsInput): Promise<FunctionProblemsResult> {
  return new FunctionProblems(checked(FunctionProblemsInput, raw, 'function problems')).run();
}

/** What is known of a repository once it was read. */
type ReadRepository = FunctionProblemsCarry['read'];

class FunctionProblems {
  private readonly phase = new Phase('Reading', () => this.show());
  private readonly steering: Steering;
  private readonly window: SlidingWindow;
  private readonly info = workflowInfo();
  private readonly owner = { workflowId: this.info.workflowId, firstRunId: this.info.firstExecutionRunId };
  private readonly sandboxes = harnessActivities(queuesUnder(this.info.taskQueue));
  private read: ReadRepository | undefined;
  private readonly done: FunctionProblemsCarry['done'];
  private readonly next: FunctionProblemsCarry['window'];
  private readonly entries = new Map<number, Promise<readonly FunctionEntry[]>>();
  private readonly working = new Set<string>();
  private readonly page: FunctionProblemEnd[] = [];

  constructor(private readonly input: FunctionProblemsInput) {
    const { carry, concurrency } = input;
    this.read = carry?.read;
    this.done = carry?.done ?? { pages: [], tried: 0, admitted: 0, cost: { usd: 0, tokens: 0 } };
    this.next = carry?.window ?? { next: 0, concurrency, paused: false };
    this.steering = new Steering(this.next, this.phase);
    this.window = new SlidingWindow(this.next, this.steering);
    setHandler(progressQuery, () => this.progress(), { description: 'Where the build is.' });
  }

  async run(): Promise<FunctionProblemsResult> {
    const { input, done, page, next } = this;
    this.steering.listen();
    const read = this.read ?? (await this.begin().finally(() => this.release()));
    this.read = read;
    this.phase.enter('Building');
    const rest = await this.window.run(read.functions, async (unit) => {
      const end = await this.one(read, unit);
      if (!end) return;
      page.push(end);
      done.tried += 1;
      done.admitted += end.admitted ? 1 : 0;
      done.cost.usd += end.cost.usd;
      done.cost.tokens += end.cost.tokens;
      this.show();
      if (page.length >= PAGE) await this.turnPage();
    });
    await this.turnPage();
    if (rest === 'full')
      return continueAsNew<typeof functionProblems>({ ...input, carry: { read, done, window: next } });
    this.phase.enter('Writing');
    const { environment, repository } = read;
    const result = await functionStore.writeProblems.executeWithOptions({ summary: 'problems, rows and report' }, [
      { id: this.owner.workflowId, environment, repository, pages: done.pages, cost: done.cost },
    ]);
    this.phase.enter('Done', { Outcome: `${result.admitted} admitted`, CostUsd: done.cost.usd });
    return result;
  }

  /** Reads the repository and runs its tests once under the recorder. */
  private async begin(): Promise<ReadRepository> {
    const { input, owner, sandboxes } = this;
    const environment = await functionStore.environmentOf.executeWithOptions({ summary: 'the environment' }, [
      { environment: input.environment },
    ]);
    this.phase.enter('Reading', { InstanceId: environment.source ?? environment.image });
    const { filters, only, maxFunctions, contextTokens, sandbox: profile } = input;
    const { ref: repository, functions } = await sandboxes.readFunctions.executeWithOptions(
      { summary: 'functions, slices, contexts' },
      [{ owner, environment, filters, only, maxFunctions, contextTokens }],
    );
    if (!input.attempts.some(({ author }) => author === 'builtin:recorded-calls'))
      return { environment, repository, functions, recorded: null };
    this.phase.enter('Recording');
    const recorded = await sandboxes.recordFunctions.executeWithOptions({ summary: 'calls that its own tests make' }, [
      { owner, environment, repository, calls: input.casesPerFunction, profile },
    ]);
    return { environment, repository, functions, recorded };
  }

  /** What a worker that was killed while it read or recorded has left. */
  private release(): Promise<void> {
    return releaseHarness(this.sandboxes, this.owner, 'containers of this run are removed');
  }

  /** An outage is waited out, or abandoned by a person (undefined): nothing is left out because of one. */
  private async one(
    { environment, repository, recorded }: ReadRepository,
    unit: number,
  ): Promise<FunctionProblemEnd | undefined> {
    const { name, prepared } = await this.entryOf(repository, unit);
    const { environment: _, filters, only, maxFunctions, concurrency, carry, ...shared } = this.input;
    this.working.add(name);
    this.show();
    try {
      for (let again = 0; ; again++) {
        try {
          return await executeChild(functionProblem, {
            args: [{ ...shared, environment, name, prepared, recorded }],
            workflowId: `${this.owner.workflowId}/${name}${again > 0 ? `~${again}` : ''}`,
            parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
            staticSummary: name,
          });
        } catch (error) {
          if (isCancellation(error)) throw error;
          await this.steering.park(`${name}: ${messageOf(error)}`);
          if (this.steering.abandoned) return undefined;
        }
      }
    } finally {
      this.working.delete(name);
    }
  }

  /** Names and blobs of the functions come a page at a time. */
  private async entryOf(repository: Ref, unit: number): Promise<FunctionEntry> {
    const from = Math.floor(unit / PAGE) * PAGE;
    const known =
      this.entries.get(from) ??
      functionStore.functionsFrom.executeWithOptions({ summary: `functions from ${from + 1}` }, [
        { repository, from, count: PAGE },
      ]);
    this.entries.set(from, known);
    return (await known)[unit - from]!;
  }

  private async turnPage(): Promise<void> {
    const ends = this.page.splice(0);
    const summary = `${ends.length} results`;
    if (ends.length > 0) this.done.pages.push(await functionStore.keepEnds.executeWithOptions({ summary }, [{ ends }]));
  }

  private progress(): FunctionProblemsProgress {
    const { tried, admitted, cost } = this.done;
    return {
      phase: this.phase.reason ?? this.phase.name,
      functions: this.read?.functions ?? 0,
      tried,
      admitted,
      working: [...this.working],
      cost,
      paused: this.next.paused,
    };
  }

  private show(): void {
    setCurrentDetails(describe(this.progress()));
  }
}

function describe({ phase, functions, tried, admitted, working, cost }: FunctionProblemsProgress): string {
  return [
    `**${phase}** — ${tried} of ${functions} functions, ${admitted} admitted, $${cost.usd.toFixed(4)}`,
    '',
    ...working.map((name) => `- ${name}`),
  ].join('\n');
}
