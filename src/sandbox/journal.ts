import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { PointsmanError } from '../contract/errors';
import { statusOf } from './engine';

/** Where the guest scripts live inside of every sandbox. */
const GUEST_HOME = '/opt/pointsman';

/**
 * Brings the scripts along and becomes the server, in the one exec that opens a stream anyway: an archive for the engine to
 * unpack would cost every container 80 ms. A script that another server reads is replaced as a file, never written over.
 */
const SERVE = `home=$1; shift
while (( $# )); do
  had=; { IFS= read -r -d '' had < "$home/$1"; } 2> /dev/null
  [[ $had == "$2" ]] || { mkdir -p "$home" && printf %s "$2" > "$home/$1.$$" && mv -f "$home/$1.$$" "$home/$1"; } || exit
  shift 2
done
exec bash "$home/journal.sh" serve`;

const SCRIPTS = ['journal.sh', 'memory.sh', 'shell.sh'].flatMap((name) => [
  name,
  readFileSync(join(__dirname, 'guest', name), 'utf8'),
]);

export interface CommandResult {
  readonly output: Buffer;
  /** 137 when the command was killed; its own code otherwise. */
  readonly exitCode: number;
  readonly reason: 'exit' | 'timeout' | 'killed' | 'cancelled';
  readonly durationMs: number;
  readonly elidedBytes: number;
  /** Tree id of the request's `workdir` as the job met it; null without one. */
  readonly tree: string | null;
}

export interface RunRequest {
  /** Names the job: the same id never runs twice in this container. No spaces. */
  readonly id: string;
  /** The job that must have come last, or `*`. Anything else means that this container lived another history. */
  readonly after: string;
  /** Git work directory whose state before the job is recorded with it. */
  readonly workdir?: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly headBytes?: number;
  readonly tailBytes?: number;
}

export type FileLook =
  | { readonly kind: 'missing'; readonly parentExists: boolean }
  | { readonly kind: 'large'; readonly parentExists: boolean }
  | { readonly kind: 'directory'; readonly parentExists: boolean; readonly listing: string }
  | { readonly kind: 'file'; readonly parentExists: boolean; readonly bytes: Buffer };

export interface ApplyRequest {
  readonly id: string;
  readonly after: string;
  readonly workdir?: string;
  readonly kind: 'write' | 'delete' | 'none';
  readonly path: string;
  readonly bytes?: Uint8Array;
  /** Kept with the job and given back when it is asked for again. */
  readonly text: string;
}

/** The container's journal says that another job came last: rebuild the sandbox from the transcript. */
export class Diverged extends Error {
  override readonly name = 'Diverged';
}

interface Waiting {
  resolve(answer: { words: string[]; body: Buffer }): void;
  reject(error: Error): void;
}

/**
 * One open stream to the journal of a running container. Requests are answered in order. When the stream breaks, every
 * waiting request fails and the connection is `closed`; a new one may ask for the same job ids and gets their results.
 */
export class Journal {
  private buffer: Buffer = Buffer.alloc(0);
  private stderr = '';
  private readonly waiting: Waiting[] = [];
  private header: { words: string[]; bytes: number } | undefined;
  closed = false;

  private constructor(private readonly stream: Duplex) {}

  /**
   * Opens the stream (one exec, about 60 ms). Throws `SandboxLost` when the container is not running, and `Unavailable`
   * when nobody answers: the engine never starts an exec that meets a container just as it dies.
   */
  static async open(container: Docker.Container): Promise<Journal> {
    const opening = Journal.connect(container);
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

  private static async connect(container: Docker.Container): Promise<Journal> {
    try {
      const exec = await container.exec({
        Cmd: ['bash', '-c', SERVE, 'bash', GUEST_HOME, ...SCRIPTS],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
      });
      const stream = await exec.start({ hijack: true, stdin: true });
      const journal = new Journal(stream);
      const ready = journal.expect();
      journal.listen();
      await ready;
      return journal;
    } catch (error) {
      if (statusOf(error) === 404 || statusOf(error) === 409) {
        throw new PointsmanError('SandboxLost', `the sandbox ${container.id.slice(0, 12)} is gone or stopped`);
      }
      throw error;
    }
  }

  async run(request: RunRequest): Promise<CommandResult> {
    const [dir, command] = [Buffer.from(request.workdir ?? ''), Buffer.from(request.command)];
    const { timeoutMs, headBytes = 4 << 20, tailBytes = 4 << 20 } = request;
    const answer = await this.ask(
      ['run', request.id, request.after, dir.length, Math.ceil(timeoutMs), headBytes, tailBytes, command.length],
      Buffer.concat([dir, command]),
    );
    return this.result(answer);
  }

  async apply(request: ApplyRequest): Promise<CommandResult> {
    const [dir, text, path] = [request.workdir ?? '', request.text, request.path].map((part) => Buffer.from(part));
    const bytes = Buffer.from(request.bytes ?? []);
    const answer = await this.ask(
      ['apply', request.id, request.after, dir!.length, request.kind, text!.length, path!.length, bytes.length],
      Buffer.concat([dir!, text!, path!, bytes]),
    );
    return this.result(answer);
  }

  /** Reads a file exactly, or lists a directory two levels deep. Files over `limit` bytes are `large`. */
  async look(path: string, limit = 16 << 20): Promise<FileLook> {
    const bytes = Buffer.from(path);
    const { words, body } = await this.ask(['look', limit, bytes.length], bytes);
    const kind = words[1];
    const parentExists = words[2] === '1';
    if (kind === 'file') return { kind, parentExists, bytes: body };
    if (kind === 'directory') return { kind, parentExists, listing: body.toString('utf8') };
    return { kind: kind === 'large' ? 'large' : 'missing', parentExists };
  }

  /** Git tree id of the work directory as it is now, null where it is no work tree. */
  async digest(workdir: string): Promise<string | null> {
    const bytes = Buffer.from(workdir);
    const { words } = await this.ask(['digest', bytes.length], bytes);
    return words[1] === undefined || words[1] === '-' ? null : words[1];
  }

  /** Binary-safe patch from commit or tree `base` to the work directory as it is now. */
  async diff(base: string, workdir: string): Promise<{ tree: string | null; patch: Buffer }> {
    const bytes = Buffer.from(workdir);
    const { words, body } = await this.ask(['diff', base, bytes.length], bytes);
    return { tree: words[1] === undefined || words[1] === '-' ? null : words[1], patch: body };
  }

  /** The last job that ran here, `-` when none did. */
  async position(): Promise<string> {
    return (await this.ask(['position'])).words[1] ?? '-';
  }

  async state(): Promise<{ cwd: string; env: string }> {
    const { body } = await this.ask(['state']);
    const text = body.toString('utf8');
    const end = text.indexOf('\u0001');
    return { cwd: text.slice(0, end), env: text.slice(end + 1) };
  }

  /** Kills a job's process tree from a second process, because the server is busy waiting for that job. */
  static async kill(container: Docker.Container, id: string, reason: 'cancelled' | 'timeout'): Promise<void> {
    const exec = await container.exec({
      Cmd: ['bash', `${GUEST_HOME}/journal.sh`, 'kill', id, reason],
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
    if (got.words[0] === 'diverged') throw new Diverged(`the sandbox's last job is ${got.words[1]}`);
    return got;
  }

  private expect(): Promise<{ words: string[]; body: Buffer }> {
    if (this.closed) return Promise.reject(new PointsmanError('SandboxLost', 'the stream into the sandbox is closed'));
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private listen(): void {
    let multiplexed: Buffer = Buffer.alloc(0);
    this.stream.on('data', (chunk: Buffer) => {
      multiplexed = multiplexed.length === 0 ? chunk : Buffer.concat([multiplexed, chunk]);
      // The engine's frames: stream number, three zeros, length, then as many bytes.
      while (multiplexed.length >= 8) {
        const length = multiplexed.readUInt32BE(4);
        if (multiplexed.length < 8 + length) break;
        const body = multiplexed.subarray(8, 8 + length);
        if (multiplexed[0] === 2) this.stderr = (this.stderr + body.toString('utf8')).slice(-2000);
        else this.receive(body);
        multiplexed = multiplexed.subarray(8 + length);
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
    this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk]);
    for (;;) {
      if (!this.header) {
        const end = this.buffer.indexOf(10);
        if (end < 0) return;
        const words = this.buffer.subarray(0, end).toString('utf8').split(' ');
        this.header = { words, bytes: Number(words.at(-1)) };
        this.buffer = this.buffer.subarray(end + 1);
      }
      if (this.buffer.length < this.header.bytes) return;
      const answer = { words: this.header.words, body: Buffer.from(this.buffer.subarray(0, this.header.bytes)) };
      this.buffer = this.buffer.subarray(this.header.bytes);
      this.header = undefined;
      this.waiting.shift()?.resolve(answer);
    }
  }

  private fail(error: Error): void {
    this.closed = true;
    for (const waiting of this.waiting.splice(0)) waiting.reject(error);
  }
}

const OPEN_MS = 20_000;

async function silence(signal: AbortSignal): Promise<never> {
  await delay(OPEN_MS, undefined, { signal });
  throw new PointsmanError('Unavailable', `the sandbox has not answered for ${OPEN_MS / 1000} s`);
}
