import { PassThrough } from 'node:stream';
import { connectEngine } from '../sandbox/engine';
import { engineVersion } from './docker';
import type { Finding } from './doctor';
import { BASE_IMAGE, imageSize } from './image';

const RUN_MS = 20_000;

/** The engine, the base image, and a container that really runs: an engine may answer and yet start nothing. */
export async function engineFindings(): Promise<Finding[]> {
  const version = await engineVersion();
  if (!version) {
    const todo = 'Start Docker, or set DOCKER_HOST; as root on Debian, `npm run demo` installs and starts it.';
    return [{ what: 'Docker engine', state: 'missing', found: 'none answers', todo }];
  }
  const slow = version.includes('(vfs)');
  const engine: Finding = {
    what: 'Docker engine',
    state: slow ? 'warn' : 'ok',
    found: version,
    todo: slow ? 'The vfs storage driver copies whole images: use a file system on which overlay2 works.' : '',
  };
  const size = await imageSize(connectEngine()).catch(() => undefined);
  if (!size) {
    const todo = 'Run `npm run demo`, which makes it.';
    return [engine, { what: 'Base image', state: 'missing', found: `no ${BASE_IMAGE} on the engine`, todo }];
  }
  return [engine, { what: 'Base image', state: 'ok', found: `${BASE_IMAGE}, ${size}`, todo: '' }, await realRun()];
}

async function realRun(): Promise<Finding> {
  const what = 'Container run';
  const start = Date.now();
  try {
    const said = await runOnce('echo it runs');
    if (said !== 'it runs') throw new Error(`it printed ${JSON.stringify(said.slice(0, 200))}`);
    return { what, state: 'ok', found: `a container ran in ${Date.now() - start} ms`, todo: '' };
  } catch (error) {
    const found = error instanceof Error ? error.message.slice(0, 300) : String(error);
    return {
      what,
      state: 'missing',
      found,
      todo: "The engine's own log says why; in a container it needs --privileged.",
    };
  }
}

/** Runs a command in a throw-away container as a sandbox would be run, and gives what it printed. */
async function runOnce(command: string): Promise<string> {
  const docker = connectEngine();
  const container = await docker.createContainer({
    Image: BASE_IMAGE,
    Cmd: ['bash', '-c', command],
    Labels: { pointsman: '1', 'pointsman.lease': 'doctor' },
    HostConfig: {
      NetworkMode: 'none',
      Init: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 64,
    },
  });
  try {
    const abortSignal = AbortSignal.timeout(RUN_MS);
    const stream = await container.attach({ stream: true, stdout: true, stderr: true, abortSignal });
    const output = new PassThrough();
    const chunks: Buffer[] = [];
    output.on('data', (chunk: Buffer) => chunks.push(chunk));
    container.modem.demuxStream(stream, output, output);
    await container.start({ abortSignal });
    await container.wait({ abortSignal });
    return Buffer.concat(chunks).toString('utf8').trim();
  } finally {
    await container.remove({ force: true, v: true }).catch(() => undefined);
  }
}
