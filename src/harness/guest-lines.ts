import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type Docker from 'dockerode';

export interface LineCommand {
  /** One bash command line; `$1`, `$2`, ... are `args`. What it writes to standard output is read as lines. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Time without output after which the command is given up as well. */
  readonly silenceMs: number;
  /** Bytes of standard output that are read; one more, and the command is given up. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Why a command's lines ended: by itself, at its deadline, for their number, or because the reader had seen enough. */
export type LineEnding = 'exited' | 'deadline' | 'flooded' | 'enough';

export interface LinesRead {
  readonly ending: LineEnding;
  /** Null unless `exited`. */
  readonly exitCode: number | null;
  /** Last part of standard error. */
  readonly stderr: string;
}

const POLL_MS = 250;
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
    Cmd: ['bash', '-c', request.command, 'bash', ...request.args],
    AttachStdout: true,
    AttachStderr: true,
    WorkingDir: request.cwd,
    Env: Object.entries(request.env).map(([name, value]) => `${name}=${value}`),
  });
  const stream = await exec.start({ hijack: true, stdin: false });
  const [out, err] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, out, err);
  let stderr = Buffer.alloc(0);
  err.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_BYTES);
  });
  let [rest, bytes, heard] = ['', 0, Date.now()];
  const decoder = new StringDecoder('utf8');
  const given = new Promise<LineEnding>((resolve, reject) => {
    out.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      heard = Date.now();
      if (bytes > request.maxBytes) {
        out.removeAllListeners('data').resume();
        return resolve('flooded');
      }
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop()!;
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
  const deadline = Date.now() + request.timeoutMs;
  const answer = (ending: LineEnding, exitCode: number | null = null): LinesRead => ({
    ending,
    exitCode,
    stderr: stderr.toString('utf8'),
  });
  try {
    for (;;) {
      request.signal.throwIfAborted();
      const ending = await Promise.race([given, pause(POLL_MS)]);
      if (ending === 'flooded' || ending === 'enough') return answer(ending);
      // A process that holds the streams open does not hold us: the command's own end counts.
      const { Running, ExitCode } = await exec.inspect();
      if (!Running) {
        const late = ending ?? (await Promise.race([given, pause(POLL_MS)]));
        return late === 'flooded' || late === 'enough' ? answer(late) : answer('exited', ExitCode);
      }
      if (Date.now() > Math.min(deadline, heard + request.silenceMs)) return answer('deadline');
      if (ending === 'exited') await pause(20);
    }
  } finally {
    stream.destroy();
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}
