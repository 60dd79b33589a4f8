import { openSandboxes } from '../sandbox';
import { engineVersion } from './docker';
import type { Finding } from './doctor';
import { BASE_IMAGE, imageSize } from './image';

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
  const size = await imageSize().catch(() => undefined);
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
    const said = await openSandboxes('doctor').tryOut(BASE_IMAGE, 'echo it runs');
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
