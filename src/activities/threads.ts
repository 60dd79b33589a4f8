import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import Piscina from 'piscina';
import { type ErrorCode, isPointsmanError, PointsmanError } from '../contract';
import { REPOSITORY } from '../home';

/** Threads of one kind at most: each has code of its own in memory, and maybe a tokenizer of 100 MiB. */
const MOST = 4;
/** Without limits each takes what it can get before it cleans up; a tokenizer and a page of rows fit three times. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };
/** One that nobody needed for so long ends. */
const IDLE_MS = 30_000;

type Answered<Answer> = { readonly answer: Answer } | { readonly failure: Failure };

interface Failure {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Work that is computing, on all processors and beside the thread that sends heartbeats. `file` is what such a thread runs,
 * from `src` and without its ending: its default export is made with `answering`. `given` is what all of its threads know.
 */
export class Threads<Task, Answer> {
  /** Made when it is needed: most processes never do. */
  private made: Piscina | undefined;

  constructor(
    private readonly file: string,
    private readonly given?: object,
  ) {}

  /** At once at most. */
  readonly size = Math.min(MOST, availableParallelism());

  /** Throws what the thread threw, and the signal's reason when it aborts. `buffers` of the task are given away. */
  async do(task: Task, signal: AbortSignal, buffers: readonly ArrayBuffer[] = []): Promise<Answer> {
    signal.throwIfAborted();
    this.made ??= this.make();
    const asked: Promise<Answered<Answer>> = this.made.run(task, { signal, transferList: [...buffers] });
    const answered = await asked.catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    if ('answer' in answered) return answered.answer;
    const { code, message, hint } = answered.failure;
    throw code === undefined ? new Error(message) : new PointsmanError(code, message, hint);
  }

  private make(): Piscina {
    const made = new Piscina({
      // As it was compiled: the loaders of this process would take longer to start than most tasks take.
      filename: join(REPOSITORY, 'dist', `${this.file}.js`),
      execArgv: [],
      workerData: this.given,
      minThreads: 0,
      maxThreads: this.size,
      idleTimeout: IDLE_MS,
      resourceLimits: MEMORY,
    });
    // Of no task: an answer that came while its thread was being ended. Unheard, it would end this process.
    made.on('error', () => {});
    return made;
  }

  /** The answers in the order of the tasks, of which a thread each is under way. */
  async *inOrder(
    tasks: AsyncIterable<Task> | Iterable<Task>,
    signal: AbortSignal,
    buffersOf: (task: Task) => readonly ArrayBuffer[] = () => [],
  ): AsyncGenerator<Answer> {
    const begun: Promise<Answer>[] = [];
    for await (const task of tasks) {
      const answer = this.do(task, signal, buffersOf(task));
      // It is thrown when its turn comes.
      answer.catch(() => {});
      begun.push(answer);
      if (begun.length >= this.size) yield await begun.shift()!;
    }
    for (const answer of begun) yield await answer;
  }
}

/** What a thread does with each task, for `Threads` to ask. */
export function answering<Task, Answer>(
  work: (task: Task) => Answer | Promise<Answer>,
): (task: Task) => Promise<Answered<Answer>> {
  return async (task) => {
    try {
      return { answer: await work(task) };
    } catch (error) {
      if (isPointsmanError(error)) {
        const { code, message, hint } = error;
        return { failure: { code, message, hint } };
      }
      return { failure: { message: error instanceof Error ? (error.stack ?? error.message) : String(error) } };
    }
  };
}
