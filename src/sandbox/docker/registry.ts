import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';

/** Docker Hub, as Docker's own files name it. */
const HUB = 'https://index.docker.io/v1/';
/** A credential helper may ask a cloud for a token. */
const HELPER_MS = 30_000;

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly identitytoken?: string }>>;
  readonly credsStore?: string;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

/** The registry that an image is pulled from, as Docker's configuration names it. */
function registryOf(image: string): string {
  const [first = ''] = image.split('/');
  const named = image.includes('/') && /[.:]|^localhost$/.test(first);
  return named && first !== 'docker.io' ? first : HUB;
}

/**
 * How this user is logged in to an image's registry: what `docker login` left in `config.json` (DOCKER_CONFIG), or what the
 * credential helper that it names gives. Read each time, because tokens expire. Empty where nobody is logged in. Throws
 * `Unavailable` where the helper fails.
 */
export async function credentialsFor(image: string): Promise<Docker.AuthConfigObject> {
  const registry = registryOf(image);
  const file = join(process.env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const { auths = {}, credHelpers = {}, credsStore } = parse(text, file);
  const helper = credHelpers[registry] ?? credsStore;
  if (helper) return fromHelper(helper, registry);
  const { auth, identitytoken } = auths[registry] ?? auths[`https://${registry}`] ?? {};
  const [username, ...password] = Buffer.from(auth ?? '', 'base64')
    .toString('utf8')
    .split(':');
  const login = auth ? { username, password: password.join(':') } : {};
  return { ...login, ...(identitytoken ? { identitytoken } : {}), serveraddress: registry };
}

function parse(text: string, file: string): DockerConfig {
  try {
    return JSON.parse(text) as DockerConfig;
  } catch {
    throw new PointsmanError('Unavailable', `${file} is no JSON`, 'Mend it, or log in again: `docker login`.');
  }
}

async function fromHelper(name: string, registry: string): Promise<Docker.AuthConfigObject> {
  const program = `docker-credential-${name}`;
  const said = await new Promise<string>((resolve, reject) => {
    const child = execFile(program, ['get'], { timeout: HELPER_MS, env: process.env }, (error, stdout) =>
      error && !/credentials not found/i.test(stdout) ? reject(error) : resolve(stdout),
    );
    // One that does not exist takes no input; its error says so.
    child.stdin?.on('error', () => {}).end(registry);
  }).catch((error: Error) => {
    throw new PointsmanError('Unavailable', `${program} gives no credentials for ${registry}: ${error.message}`);
  });
  if (/credentials not found/i.test(said)) return { serveraddress: registry };
  const { Username, Secret } = JSON.parse(said) as { Username: string; Secret: string };
  if (Username === '<token>') return { identitytoken: Secret, serveraddress: registry };
  return { username: Username, password: Secret, serveraddress: registry };
}

/** What passes: a registry or the way to it, and a disk that somebody may clear. */
const PASSES =
  /\b(?:429|5\d\d)\b|too ?many ?requests|rate limit|refused|reset|time-?out|timed out|no such host|unreachable|\bEOF\b|TLS handshake|no space left|temporar/i;
/** What another attempt finds as this one did. */
const REFUSED = /unauthorized|denied|forbidden|authentication required|no basic auth|\b40[13]\b/i;
const MISSING =
  /manifest unknown|name unknown|repository name not known|not found|does not exist|no such image|invalid reference|\b404\b/i;

/** What a pull or push ended with: `InvalidInput` for a refused login and `NotFound` for a missing image, both final; else `Unavailable`. */
export function registryFailure(what: string, image: string, cause: unknown): PointsmanError {
  const answer = cause instanceof Error ? cause.message : String(cause);
  const message = `the image ${image} cannot be ${what}: ${answer}`;
  // An image may be called `api:500` or `reset-tool`.
  const said = answer.replaceAll(image, '…');
  if (PASSES.test(said)) return new PointsmanError('Unavailable', message, 'It is tried again.');
  if (REFUSED.test(said)) {
    const hint = `Is the name right? If it is, \`docker login ${registryOf(image)}\` as the user of this worker, or a credential helper in its Docker configuration.`;
    return new PointsmanError('InvalidInput', message, hint);
  }
  if (MISSING.test(said)) {
    return new PointsmanError('NotFound', message, 'Check the name; or load the image with `docker load`.');
  }
  return new PointsmanError('Unavailable', message, 'It is tried again.');
}
