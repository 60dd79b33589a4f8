import { createHmac, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { isPointsmanError, PointsmanError } from '../../contract/errors';
import { guestProgram } from '../guest';
import {
  type ApplyRequest,
  type CommandResult,
  Diverged,
  type FileLook,
  type Journal,
  type RunRequest,
} from '../sandbox';
import { statusOf } from './engine';
import { assertAlive, KILLED } from './guest';

/**
 * The server's program comes as an argument, in the one exec that opens a stream anyway: a file in the sandbox could be another
 * one by the time that it is run. As a privileged shell (`-p`), which takes neither functions nor a start-up file out of its
 * variables.
 */
const PROGRAM = ['memory.sh', 'hosts.sh', 'journal.sh'].map(guestProgram).join('\n');
const JOURNAL = ['bash', '-p', '-c', PROGRAM, 'journal'];
const SHELL = guestProgram('shell.sh');

/** What the server says that it found, where a command has put its hand to the journal. */
const FOUND: Record<string, string> = {
  'forged-code': 'an exit code that was not written by the journal',
  'forged-record': 'a record of a command that was not written by the journal',
  'forged-job': 'files of a command that had not been asked for yet',
  'code-hindered': 'a command whose exit code could not be written',
  'output-replaced': 'something else in the place of an output',
  'journal-replaced': 'something else in the place of the journal',
};

function tampered(found: string): PointsmanError {
  return new PointsmanError(
    'Tampered',
    `a command in the sandbox has tampered with the journal of its results: ${found}`,
    'Nothing that this sandbox says can be believed any more.',
  );
}

/**
 * What a job's record and code are tagged with (`seal` in journal.sh): the point, a pad for each, and the words for a timeout
 * and a cancellation. The same for every worker that has the secret, so that any of them may follow a job.
 */
export function keysOf(
  secret: Buffer,
  sandbox: string,
  job: string,
): [...numbers: number[], timeout: string, cancel: string] {
  const mac = createHmac('sha256', secret)
    .update(JSON.stringify([sandbox, job]))
    .digest();
  const number = (at: number) => mac.readUInt32BE(at) % 2147483647;
  return [number(0), number(4), number(8), mac.toString('hex', 12, 20), mac.toString('hex', 20, 28)];
}

const LARGEST_PATCH = 64 << 20;
/** Why there is no patch: both are the agent's own doing, and come out the same however often they are asked. */
const NO_PATCH: Readonly<Record<string, string>> = {
  large: `differs from what it began with by more than ${LARGEST_PATCH >> 20} MiB`,
  failed:
    'could not be compared with what it began with: git ended early, of a broken repository or for want of memory',
};
const LEAVE_OUT = 'Leave what is built or downloaded, and `.git`, out of the work.';
/** Of one answer: the largest patch, and what a look or a command is asked for. */
const LONGEST_ANSWER = 80 << 20;
const LONGEST_HEADER = 64 << 10;

/** Bytes of a stream as they come, put together once however many parts they come in. */
class Received {
  private parts: Buffer[] = [];
  /** Parts from the front that are known to hold no line end. */
  private searched = 0;
  bytes = 0;

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.parts.push(chunk);
    this.bytes += chunk.length;
  }

  /** The first bytes; there must be as many. */
  take(length: number): Buffer {
    const whole = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    const rest = whole.subarray(length);
    this.parts = rest.length > 0 ? [rest] : [];
    this.bytes = rest.length;
    this.searched = 0;
    return whole.subarray(0, length);
  }

  /** The last bytes that came, at most so many. */
  end(length: number): Buffer {
    const found: Buffer[] = [];
    let left = length;
    for (let at = this.parts.length - 1; at >= 0 && left > 0; at--) {
      found.unshift(this.parts[at]!.subarray(-left));
      left -= found[0]!.length;
    }
    return Buffer.concat(found);
  }

  /** The first line without its end, undefined while it has none. */
  line(): Buffer | undefined {
    for (let before = 0, at = 0; at < this.parts.length; before += this.parts[at++]!.length) {
      const end = at < this.searched ? -1 : this.parts[at]!.indexOf(10);
      if (end >= 0) return this.take(before + end + 1).subarray(0, -1);
    }
    this.searched = this.parts.length;
    return undefined;
  }
}

const FORGED = tampered('something was written into its stream');

interface Waiting {
  resolve(answer: { words: string[]; body: Buffer }): void;
  reject(error: Error): void;
}

/**
 * One open stream to the journal of a running container. Requests are answered in order. When the stream breaks, every
 * waiting request fails and the connection is `closed`; a new one may ask for the same job ids and gets their results.
 */
export class JournalStream implements Journal {
  private readonly received = new Received();
  private stderr = '';
  private readonly waiting: Waiting[] = [];
  private header: { words: string[]; bytes: number } | undefined;
  /** Begins and ends every answer. No command of the sandbox can read it, so what comes without it was not said by the server. */
  private readonly token = randomBytes(16).toString('hex');
  /** Whether the server has answered at all. */
  private heard = false;
  closed = false;
  /** Set once something was written into the stream that the server did not say. */
  forged: PointsmanError | undefined;

  private constructor(
    private readonly stream: Duplex,
    /** Which container it leads into, and since when that runs. */
    readonly life: string,
    private readonly keys: (job: string) => readonly (string | number)[],
  ) {}

  /**
   * Opens the stream (one exec, about 60 ms). Throws `SandboxLost` when the container is not running, and `Unavailable`
   * when nobody answers: the engine never starts an exec that meets a container just as it dies. Later calls throw `Tampered`
   * once a command of the sandbox has put its hand to the journal.
   */
  static async open(container: Docker.Container, secret: Buffer): Promise<JournalStream> {
    const opening = JournalStream.connect(container, secret);
    const late = new AbortController();
    try {
      return await Promise.race([opening, silence(late.signal)]);
    } catch (error) {
      opening.then(
        (journal) => journal.close(),
        () => {},
      );
      throw error;
    } finally {
      late.abort();
    }
  }

  private static async connect(container: Docker.Container, secret: Buffer): Promise<JournalStream> {
    let life: string | undefined;
    try {
      const [exec, state] = await Promise.all([
        container.exec({
          Cmd: [...JOURNAL, 'serve', SHELL],
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
        }),
        container.inspect(),
      ]);
      life = lifeOf(state);
      const stream = await exec.start({ hijack: true, stdin: true });
      const journal = new JournalStream(stream, life, (job) => keysOf(secret, container.id, job));
      const ready = journal.expect();
      journal.listen();
      stream.write(`${journal.token}\n`);
      await ready;
      return journal;
    } catch (error) {
      if (statusOf(error) === 404 || statusOf(error) === 409) {
        throw new PointsmanError('SandboxLost', `the sandbox ${container.id.slice(0, 12)} is gone or stopped`);
      }
      if (isTampered(error) && life) await assertOurs(container, life);
      throw error;
    }
  }

  async run(request: RunRequest): Promise<CommandResult> {
    const [dir, command] = [Buffer.from(request.workdir ?? ''), Buffer.from(request.command)];
    const { timeoutMs, headBytes = 4 << 20, tailBytes = 4 << 20 } = request;
    const answer = await this.ask(
      [
        ...['run', request.id, request.after, dir.length, Math.ceil(timeoutMs), headBytes, tailBytes, command.length],
        ...this.keys(request.id),
      ],
      Buffer.concat([dir, command]),
    );
    return this.result(answer);
  }

  async apply(request: ApplyRequest): Promise<CommandResult> {
    const [dir, text, path] = [request.workdir ?? '', request.text, request.path].map((part) => Buffer.from(part));
    const bytes = Buffer.from(request.bytes ?? []);
    const answer = await this.ask(
      [
        ...['apply', request.id, request.after, dir!.length, request.kind, text!.length, path!.length, bytes.length],
        ...this.keys(request.id),
      ],
      Buffer.concat([dir!, text!, path!, bytes]),
    );
    return this.result(answer);
  }

  async look(path: string, limit = 16 << 20): Promise<FileLook> {
    const bytes = Buffer.from(path);
    const { words, body } = await this.ask(['look', limit, bytes.length], bytes);
    const kind = words[1];
    const parentExists = words[2] === '1';
    if (kind === 'file') return { kind, parentExists, bytes: body };
    if (kind === 'directory') return { kind, parentExists, listing: body.toString('utf8') };
    return { kind: kind === 'large' ? 'large' : 'missing', parentExists };
  }

  async digest(workdir: string): Promise<string | null> {
    const bytes = Buffer.from(workdir);
    const { words } = await this.ask(['digest', bytes.length], bytes);
    return words[1] === undefined || words[1] === '-' ? null : words[1];
  }

  async diff(base: string, workdir: string): Promise<{ tree: string | null; patch: Buffer }> {
    const bytes = Buffer.from(workdir);
    const { words, body } = await this.ask(['diff', base, LARGEST_PATCH, bytes.length], bytes);
    const refused = NO_PATCH[words[2] ?? ''];
    if (refused) throw new PointsmanError('TooLarge', `the work in ${workdir} ${refused}`, LEAVE_OUT);
    return { tree: words[1] === undefined || words[1] === '-' ? null : words[1], patch: body };
  }

  async position(): Promise<string> {
    return (await this.ask(['position'])).words[1] ?? '-';
  }

  async state(): Promise<{ cwd: string; env: string }> {
    const { body } = await this.ask(['state']);
    const text = body.toString('utf8');
    const end = text.indexOf('\u0001');
    return { cwd: text.slice(0, end), env: text.slice(end + 1) };
  }

  close(): void {
    this.fail(new Error('journal closed'));
    this.stream.destroy();
  }

  private result({ words, body }: { words: string[]; body: Buffer }): CommandResult {
    const [, , code, reason, start, end, elided, tree] = words;
    return {
      output: body,
      exitCode: Number(code),
      reason: reason as CommandResult['reason'],
      durationMs: Math.max(0, (Number(end) - Number(start)) / 1000),
      elidedBytes: Number(elided),
      tree: tree === undefined || tree === '-' ? null : tree,
    };
  }

  private async ask(words: (string | number)[], payload?: Buffer): Promise<{ words: string[]; body: Buffer }> {
    const answer = this.expect();
    const line = Buffer.from(`${words.join(' ')}\n`);
    this.stream.write(payload && payload.length > 0 ? Buffer.concat([line, payload]) : line);
    const got = await answer;
    if (got.words[0] === 'tampered') throw tampered(FOUND[got.words[1] ?? ''] ?? 'it does not say what');
    if (got.words[0] === 'diverged') throw new Diverged(`the sandbox's last job is ${got.words[1]}`);
    return got;
  }

  private expect(): Promise<{ words: string[]; body: Buffer }> {
    if (this.forged) return Promise.reject(this.forged);
    if (this.closed) return Promise.reject(new PointsmanError('SandboxLost', 'the stream into the sandbox is closed'));
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private listen(): void {
    const multiplexed = new Received();
    let frame: { isError: boolean; bytes: number } | undefined;
    this.stream.on('data', (chunk: Buffer) => {
      multiplexed.push(chunk);
      // The engine's frames: stream number, three zeros, length, then as many bytes.
      for (;;) {
        if (!frame) {
          if (multiplexed.bytes < 8) return;
          const head = multiplexed.take(8);
          frame = { isError: head[0] === 2, bytes: head.readUInt32BE(4) };
        }
        if (multiplexed.bytes < frame.bytes) return;
        const body = multiplexed.take(frame.bytes);
        if (frame.isError) this.stderr = (this.stderr + body.toString('utf8')).slice(-2000);
        else this.receive(body);
        frame = undefined;
      }
    });
    const broken = () =>
      this.fail(
        new PointsmanError(
          'SandboxLost',
          `the stream into the sandbox broke${this.stderr ? `: ${this.stderr.trim()}` : ''}`,
        ),
      );
    this.stream.on('end', broken);
    this.stream.on('close', broken);
    this.stream.on('error', broken);
  }

  private receive(chunk: Buffer): void {
    if (this.closed) return;
    this.received.push(chunk);
    for (;;) {
      if (!this.header) {
        const line = this.received.line();
        if (line === undefined) {
          if (this.received.bytes > LONGEST_HEADER) this.refuse(FORGED);
          return;
        }
        const [token, ...words] = line.toString('utf8').split(' ');
        const bytes = words.at(-1) ?? '';
        if (token !== this.token || !/^\d{1,10}$/.test(bytes)) {
          this.refuse(FORGED);
          return;
        }
        if (Number(bytes) > LONGEST_ANSWER) {
          const hint = `Answers have at most ${LONGEST_ANSWER >> 20} MiB.`;
          this.refuse(new PointsmanError('TooLarge', `the sandbox announced an answer of ${bytes} bytes`, hint));
          return;
        }
        this.header = { words, bytes: Number(bytes) };
      }
      const { words, bytes } = this.header;
      const last = Buffer.from(`${this.token}\n`);
      // A body that was made shorter while it was sent, or to which something was added, does not end where it should.
      if (this.received.bytes < bytes + last.length) {
        if (this.received.end(last.length).equals(last)) this.refuse(FORGED);
        return;
      }
      const answer = { words, body: Buffer.from(this.received.take(bytes)) };
      if (!this.received.take(last.length).equals(last)) {
        this.refuse(FORGED);
        return;
      }
      this.header = undefined;
      this.heard = true;
      this.waiting.shift()?.resolve(answer);
    }
  }

  /** What the journal itself never says: something in the sandbox speaks in its place. Or it was asked for too much. */
  private refuse(why: PointsmanError): void {
    // Before its first word the engine may say in the same stream that it could start nothing in a container just stopped.
    if (this.heard) this.forged = why;
    this.fail(this.forged ?? new PointsmanError('SandboxLost', 'no journal began in the sandbox'));
    this.stream.destroy();
  }

  private fail(error: Error): void {
    this.closed = true;
    for (const waiting of this.waiting.splice(0)) waiting.reject(error);
  }
}

const isTampered = (error: unknown) => isPointsmanError(error) && error.code === 'Tampered';

/** A container that is started again is another one: what ran in it was killed. */
const lifeOf = ({ Id, State }: Docker.ContainerInspectInfo) => `${Id} ${State.StartedAt}`;

/**
 * Throws `SandboxLost` where the server's container is dying or was started anew, or is gone and another has its name: what
 * an engine says into its stream then, and what a server finds when others are killed before it, is no command's work.
 */
async function assertOurs(container: Docker.Container, life: string): Promise<void> {
  const now = await container.inspect().catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
    return undefined;
  });
  if (!now || lifeOf(now) !== life) {
    throw new PointsmanError('SandboxLost', `the sandbox ${container.id.slice(0, 12)} went away under its journal`);
  }
  await assertAlive(container, KILLED, 'journal');
}

/** Kills a job's process tree from a second process, because the server is busy waiting for that job. */
async function cancelJob(container: Docker.Container, secret: Buffer, id: string): Promise<void> {
  const word = String(keysOf(secret, container.id, id).at(-1));
  const exec = await container.exec({
    Cmd: [...JOURNAL, 'kill', SHELL, id, 'cancelled', word],
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({});
  await new Promise<void>((resolve) => {
    stream
      .on('end', resolve)
      .on('error', () => resolve())
      .on('close', resolve);
    stream.resume();
  });
}

const OPEN_MS = 20_000;

async function silence(signal: AbortSignal): Promise<never> {
  await delay(OPEN_MS, undefined, { signal });
  throw new PointsmanError('Unavailable', `the sandbox has not answered for ${OPEN_MS / 1000} s`);
}

/**
 * The streams into this host's containers, kept open between activities, because opening one costs as much as ten commands.
 * They are a cache, and losing them loses nothing.
 */
export class JournalStreams {
  private readonly open = new Map<string, Promise<JournalStream>>();
  private closed = false;

  constructor(
    private readonly docker: Docker,
    private readonly secret: Buffer,
  ) {}

  cancel(container: string, job: string): Promise<void> {
    return cancelJob(this.docker.getContainer(container), this.secret, job);
  }

  /** As `Sandbox.journal` says. */
  async use<T>(container: string, use: (journal: Journal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const journal = await this.into(container);
      try {
        return await use(journal);
      } catch (error) {
        if (isTampered(error)) {
          await this.assertSame(container, journal);
          throw error;
        }
        if (!journal.closed || this.closed || attempt > 1) throw error;
        await this.assertRunning(container);
      }
    }
  }

  forget(container: string): void {
    const journal = this.open.get(container);
    this.open.delete(container);
    journal?.then(
      (open) => open.close(),
      () => {},
    );
  }

  /** For good: a stream that was opened anew would keep the process from ending. */
  close(): void {
    this.closed = true;
    for (const container of [...this.open.keys()]) this.forget(container);
  }

  /** The one stream into a container, shared by all who ask. */
  private async into(container: string): Promise<JournalStream> {
    for (let known = this.open.get(container); known; known = this.open.get(container)) {
      const journal = await known.catch(() => undefined);
      if (journal?.forged) {
        await this.assertSame(container, journal);
        throw journal.forged;
      }
      if (journal && !journal.closed) return journal;
      if (this.open.get(container) === known) this.open.delete(container);
    }
    if (this.closed) throw new PointsmanError('Unavailable', 'this worker is ending', 'Another one goes on.');
    const opening = JournalStream.open(this.docker.getContainer(container), this.secret);
    this.open.set(container, opening);
    return opening;
  }

  /** The stream of a container that is gone says nothing of the one that has its name now. */
  private async assertSame(container: string, journal: JournalStream): Promise<void> {
    try {
      await assertOurs(this.docker.getContainer(container), journal.life);
    } catch (error) {
      this.forget(container);
      throw error;
    }
  }

  private async assertRunning(container: string): Promise<void> {
    const state = await this.docker
      .getContainer(container)
      .inspect()
      .catch(() => undefined);
    if (!state?.State.Running) throw new PointsmanError('SandboxLost', `the container ${container} is gone or stopped`);
  }
}
