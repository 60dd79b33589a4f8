import { posix } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type Docker from 'dockerode';
import { extract, pack } from 'tar-stream';
import { PointsmanError } from '../../contract/errors';
import { guestProgram } from '../guest';
import { Kept } from '../kept';
import type { GuestCommand, GuestFile, GuestResult, LineCommand, LinesRead, ReadLimit } from '../sandbox';
import { statusOf } from './engine';

const POLL_MS = 500;
const BEGIN = `${guestProgram('hosts.sh')}\n${guestProgram('begin.sh')}`;

/** The engine is told neither directory nor variables: where an agent has spoiled them, it could not start anything at all. */
function begin({ command, args = [], cwd = '.', env = {} }: Pick<GuestCommand, 'command' | 'args' | 'cwd' | 'env'>) {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['bash', '-p', '-c', BEGIN, 'bash', cwd || '.', String(variables.length), ...variables, command, ...args];
}

/**
 * Runs a command with its output attached, for containers that live as long as one activity. What was received cannot be
 * changed inside of the container any more. A daemon that holds the streams open does not hold us: the command's own end
 * counts. The caller removes the container, which is what ends everything that still runs in it.
 */
export async function runInGuest(container: Docker.Container, request: GuestCommand): Promise<GuestResult> {
  const exec = await container.exec({
    Cmd: begin(request),
    AttachStdin: request.input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: request.input !== undefined });
  const out = new Kept(request.keepBytes);
  const err = new Kept(request.keepBytes);
  container.modem.demuxStream(stream, out.sink, err.sink);
  if (request.input !== undefined) stream.write(request.input);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve());
  });
  const deadline = request.timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + request.timeoutMs;
  try {
    for (;;) {
      request.signal?.throwIfAborted();
      const done = await Promise.race([ended.then(() => true), pause(POLL_MS)]);
      const { Running, ExitCode } = await exec.inspect();
      if (!Running) {
        if (!done) await Promise.race([ended, pause(POLL_MS)]);
        return { stdout: out.bytes(), stderr: err.bytes(), exitCode: ExitCode };
      }
      if (performance.now() > deadline) return { stdout: out.bytes(), stderr: err.bytes(), exitCode: null };
      if (done) await pause(20);
    }
  } finally {
    stream.destroy();
  }
}

/** What a shell calls SIGKILL: how every command of a container ends that is killed itself. */
export const KILLED = 137;
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

const LINES_POLL_MS = 250;
const STDERR_BYTES = 16 << 10;

/**
 * Runs a command and hands over its lines while it runs; `take` answers `enough` to stop reading. The command may still
 * run when this returns, unless it `exited`: the caller ends what is in the container. A line without its newline is
 * no line.
 */
export async function readGuestLines(
  container: Docker.Container,
  request: LineCommand,
  take: (line: string) => 'enough' | undefined,
): Promise<LinesRead> {
  const exec = await container.exec({
    Cmd: begin(request),
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: false });
  const [out, err] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, out, err);
  let stderr = Buffer.alloc(0);
  err.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_BYTES);
  });
  let begun: string[] = [];
  let [bytes, heard] = [0, performance.now()];
  const decoder = new StringDecoder('utf8');
  const given = new Promise<LinesRead['ending']>((resolve, reject) => {
    out.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      heard = performance.now();
      if (bytes > request.maxBytes) {
        out.removeAllListeners('data').resume();
        return resolve('flooded');
      }
      const text = decoder.write(chunk);
      // A line that does not end is put together once, when it ends.
      if (!text.includes('\n')) return void begun.push(text);
      const lines = `${begun.join('')}${text}`.split('\n');
      begun = [lines.pop()!];
      try {
        if (lines.some((line) => take(line) === 'enough')) {
          out.removeAllListeners('data').resume();
          resolve('enough');
        }
      } catch (error) {
        reject(error as Error);
      }
    });
    for (const event of ['end', 'close', 'error']) stream.on(event, () => setImmediate(() => resolve('exited')));
  });
  const deadline = performance.now() + request.timeoutMs;
  const answer = (ending: LinesRead['ending'], exitCode: number | null = null): LinesRead => ({
    ending,
    exitCode,
    stderr: stderr.toString('utf8'),
  });
  try {
    for (;;) {
      request.signal.throwIfAborted();
      const ending = await Promise.race([given, pause(LINES_POLL_MS)]);
      if (ending === 'flooded' || ending === 'enough') return answer(ending);
      // A process that holds the streams open does not hold us: the command's own end counts.
      const { Running, ExitCode } = await exec.inspect();
      if (!Running) {
        const late = ending || (await Promise.race([given, pause(LINES_POLL_MS)]));
        return late === 'flooded' || late === 'enough' ? answer(late) : answer('exited', ExitCode);
      }
      if (performance.now() > Math.min(deadline, heard + request.silenceMs)) return answer('deadline');
      if (ending === 'exited') await pause(20);
    }
  } finally {
    stream.destroy();
  }
}

/** Writes files through the engine, owned by root; no process of the container takes part. Folders are made as needed. */
export async function putFiles(container: Docker.Container, files: readonly GuestFile[]): Promise<void> {
  if (files.length === 0) return;
  const tar = pack();
  const done = collect(tar);
  for (const file of files) {
    const header = { name: file.path.replace(/^\/+/, ''), mtime: new Date(), mode: file.executable ? 0o755 : 0o644 };
    if (file.link !== undefined) tar.entry({ ...header, type: 'symlink', linkname: file.link });
    else tar.entry(header, file.bytes);
  }
  tar.finalize();
  await container.putArchive(await done, { path: '/' });
}

/** As `Sandbox.read` says. Read by the engine. */
export async function getFiles(
  container: Docker.Container,
  path: string,
  { bytes = 64 << 20, entries = 20_000 }: ReadLimit = {},
): Promise<Map<string, Buffer>> {
  for (let tries = 1; ; tries++) {
    try {
      return await filesInArchive(container, path, { bytes, entries });
    } catch (error) {
      // A process inside shortened a file while the engine read it, and the archive ends before its header says.
      if (tries === TORN_TRIES || !/Unexpected end of data|Invalid tar header/.test(String(error))) throw error;
    }
  }
}

const TORN_TRIES = 10;

async function filesInArchive(
  container: Docker.Container,
  path: string,
  most: Required<ReadLimit>,
): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const archive = await container.getArchive({ path }).catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  });
  if (!archive) return files;
  const parent = `${posix.dirname(path)}/`.replace('//', '/');
  const untar = extract();
  archive.on('error', (error: Error) => untar.destroy(error));
  archive.pipe(untar);
  const tooLarge = (what: string) =>
    new PointsmanError('TooLarge', `${path} of the sandbox holds more than ${what}`, 'Nothing of it was read.');
  let [bytes, entries] = [0, 0];
  try {
    for await (const entry of untar) {
      const { name, type, size = 0 } = entry.header;
      entries += 1;
      bytes += size;
      // A sparse file is as long as its header says, and nothing of it has come yet.
      if (bytes > most.bytes) throw tooLarge(`${most.bytes} bytes`);
      if (entries > most.entries) throw tooLarge(`${most.entries} entries`);
      if (type === 'file') files.set(`${parent}${name}`, await collect(entry));
      else entry.resume();
    }
  } finally {
    // The engine stops packing when nobody listens any more.
    (archive as Readable).destroy();
    untar.destroy();
  }
  return files;
}

/** A tar stream's types are its own; what it gives are buffers. */
async function collect(stream: object): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
