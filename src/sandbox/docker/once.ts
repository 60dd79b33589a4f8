import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';

export interface Once {
  readonly image: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly labels: Record<string, string>;
  /** Of the container, beside what holds of all of them: no powers but those that are named here. */
  readonly host: Docker.HostConfig;
  /** What has to be done before it starts; it is made meanwhile. */
  readonly after?: Promise<unknown>;
}

const LONGEST_MS = 20_000;

/**
 * Runs a short container of our own to its end, after which the engine removes it, and gives what it printed on both streams.
 * Whoever has to know that it succeeded has it print so.
 */
export async function runOnce(docker: Docker, { image, command, labels, host, after }: Once): Promise<string> {
  const making = docker.createContainer({
    Image: image,
    Entrypoint: [],
    Cmd: [...command],
    Labels: labels,
    HostConfig: { AutoRemove: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], PidsLimit: 64, ...host },
  });
  const [made, before] = await Promise.allSettled([making, after]);
  if (made.status === 'rejected') throw made.reason;
  const container = made.value;
  try {
    if (before.status === 'rejected') throw before.reason;
    const abortSignal = AbortSignal.timeout(LONGEST_MS);
    const stream = await container.attach({ stream: true, stdout: true, stderr: true, abortSignal });
    const output = new PassThrough();
    const chunks: Buffer[] = [];
    output.on('data', (chunk: Buffer) => chunks.push(chunk));
    container.modem.demuxStream(stream, output, output);
    const ended = new Promise<void>((resolve, reject) => {
      for (const event of ['end', 'close']) stream.on(event, () => resolve());
      stream.on('error', reject);
      abortSignal.addEventListener('abort', () => reject(abortSignal.reason as Error));
    });
    ended.catch(() => {});
    await container.start({ abortSignal });
    await ended;
    return Buffer.concat(chunks).toString('utf8').trim();
  } catch (error) {
    await container.remove({ force: true, v: true }).catch(() => undefined);
    throw error;
  }
}
