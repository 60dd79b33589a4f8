import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { PointsmanError } from '../contract/errors';
import { statusOf } from './engine';

export interface GuestCommand {
  /** One bash command line; `$1`, `$2`, ... are `args`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which then stays open: read up to a length or a line, not to the end. */
  readonly input?: Buffer | string;
  readonly timeoutMs?: number;
  /** Bytes kept of each stream: the first half and the last half of it. */
  readonly keepBytes?: number;
  readonly signal?: AbortSignal;
}

export interface GuestResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Null when the command was still running at its deadline. */
  readonly exitCode: number | null;
}

const POLL_MS = 500;

/**
 * Runs a command with its output attached, for containers that live as long as one activity. What was received cannot be
 * changed inside of the container any more. A daemon that holds the streams open does not hold us: the command's own end
 * counts. The caller removes the container, which is what ends everything that still runs in it.
 */
export async function runInGuest(container: Docker.Container, request: GuestCommand): Promise<GuestResult> {
  const exec = await container.exec({
    Cmd: ['bash', '-c', request.command, 'bash', ...(request.args ?? [])],
    AttachStdin: request.input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
    ...(request.cwd ? { WorkingDir: request.cwd } : {}),
    ...(request.env ? { Env: Object.entries(request.env).map(([name, value]) => `${name}=${value}`) } : {}),
  });
  const stream = await exec.start({ hijack: true, stdin: request.input !== undefined });
  const out = new Kept(request.keepBytes);
  const err = new Kept(request.keepBytes);
  container.modem.demuxStream(stream, out.sink, err.sink);
  if (request.input !== undefined) stream.write(request.input);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve());
  });
  const deadline = request.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + request.timeoutMs;
  try {
    for (;;) {
      request.signal?.throwIfAborted();
      const done = await Promise.race([ended.then(() => true), pause(POLL_MS)]);
      const { Running, ExitCode } = await exec.inspect();
      if (!Running) {
        if (!done) await Promise.race([ended, pause(POLL_MS)]);
        return { stdout: out.bytes(), stderr: err.bytes(), exitCode: ExitCode };
      }
      if (Date.now() > deadline) return { stdout: out.bytes(), stderr: err.bytes(), exitCode: null };
      if (done) await pause(20);
    }
  } finally {
    stream.destroy();
  }
}

/** What a shell calls SIGKILL: how every command of a container ends that is killed itself. */
const KILLED = 137;
/** The engine calls a container running until it has put it away. */
const PUT_AWAY_MS = 1000;

/**
 * An outage is never a finding: throws `SandboxLost` when the container went away under a command that ended with
 * `exitCode`. Nothing is run in it, because what ran there may have left no room for another process.
 */
export async function assertAlive(container: Docker.Container, exitCode: number | null, what: string): Promise<void> {
  const lost = () => new PointsmanError('SandboxLost', `the ${what} container went away under what ran in it`);
  const state = await container.inspect().catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  });
  if (!state?.State.Running) throw lost();
  if (exitCode !== KILLED) return;
  const abortSignal = AbortSignal.timeout(PUT_AWAY_MS);
  const ended = await container.wait({ condition: 'not-running', abortSignal }).then(
    () => true,
    (error: unknown) => statusOf(error) === 404,
  );
  if (ended) throw lost();
}

async function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}

/** Keeps the first and the last bytes of a stream of any length. */
class Kept {
  readonly sink = new PassThrough();
  private readonly head: Buffer[] = [];
  private tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private lost = 0;

  constructor(private readonly keepBytes = 64 << 20) {
    this.sink.on('data', (chunk: Buffer) => this.take(chunk));
  }

  bytes(): Buffer {
    const note = this.lost > 0 ? [Buffer.from(`\n[${this.lost} bytes left out]\n`)] : [];
    return Buffer.concat([...this.head, ...note, ...this.tail]);
  }

  private take(chunk: Buffer): void {
    const half = this.keepBytes / 2;
    const room = half - this.headBytes;
    if (room > 0) {
      this.head.push(chunk.subarray(0, room));
      this.headBytes += Math.min(room, chunk.length);
    }
    const rest = chunk.subarray(Math.max(room, 0));
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailBytes += rest.length;
    while (this.tailBytes - this.tail[0]!.length >= half) {
      const gone = this.tail.shift()!;
      this.tailBytes -= gone.length;
      this.lost += gone.length;
    }
  }
}
