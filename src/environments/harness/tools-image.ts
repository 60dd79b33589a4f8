import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PointsmanError } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import type { GuestFile, Images, Sandbox, Sandboxes } from '../../sandbox/sandbox';
import { Turns } from '../../sandbox/turns';
import { findInterpreter, type Interpreter, type InterpreterQuestion } from './interpreter';

const REPOSITORY = 'pointsman/harness';
/** Counts up when the same inputs would give another image. */
const BUILDER = 1;
const HOME = '/opt/pointsman-harness';
/** The guest's Python, beside nothing else: its folder is the first on the path of the interpreter that runs it. */
export const GUEST = `${HOME}/guest`;
/** A tool a folder: a run is given the one that it needs, and searches it after all that the environment has. */
export const TOOLS = { coverage: `${HOME}/coverage`, hypothesis: `${HOME}/hypothesis` } as const;

type Pins = { readonly coverage: readonly string[]; readonly hypothesis: readonly string[] };

/** The newest that each version of Python can have and that needs no compiler, with all that they depend on. */
const PINS: readonly { readonly below: number; readonly pins: Pins }[] = [
  { below: 9, pins: pins('7.6.1', '6.113.0') },
  { below: 10, pins: pins('7.10.7', '6.141.1') },
  { below: Number.POSITIVE_INFINITY, pins: pins('7.16.2', '6.151.14') },
];

function pins(coverage: string, hypothesis: string): Pins {
  const needed = ['sortedcontainers==2.4.0', 'attrs==25.3.0', 'exceptiongroup==1.2.2'];
  return { coverage: [`coverage==${coverage}`], hypothesis: [`hypothesis==${hypothesis}`, ...needed] };
}

export interface HarnessHost {
  readonly sandboxes: Sandboxes;
}

export interface HarnessImage extends Interpreter {
  /** The environment with our tools beside it. */
  readonly image: string;
}

/**
 * The environment's image with coverage.py, hypothesis and the guest's Python in a folder of their own, for the
 * interpreter that imports the repository. Content-addressed and kept: taken as it is when this host has it, and two
 * builders at once end with the same tag, so a retry is safe. Throws `NotFound` for an image that is not here,
 * `InvalidInput` where it holds no Python 3.8 or later, `Unavailable` where the tools cannot be installed.
 */
export async function ensureHarnessImage(
  deps: HarnessHost,
  owner: Owner,
  environment: InterpreterQuestion & { readonly image: string },
  signal: AbortSignal,
): Promise<HarnessImage> {
  const { image: from, ...question } = environment;
  const { images } = deps.sandboxes;
  const found = await images.find(from);
  if (!found) {
    throw new PointsmanError(
      'NotFound',
      `the image ${from} is not on this host`,
      'Set the repository up first (`pointsman setup start`), or load the image with `docker load`.',
    );
  }
  const guest = guestFiles();
  const content = { builder: BUILDER, from: found.id, question, pins: PINS, guest: guest.map(digestOf) };
  const tag = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 24);
  const image = `${REPOSITORY}:${tag}`;
  const spec = {
    owner,
    role: `tools-${tag.slice(0, 8)}`,
    image: from,
    workdir: question.workdir,
    network: 'bridge' as const,
  };
  return makers.take(image, signal, async () => {
    const known = await interpreterOf(images, image);
    if (known) return { image, ...known };
    return deps.sandboxes.workshop(spec, async (sandbox) => {
      const interpreter = await findInterpreter(sandbox, question);
      signal.throwIfAborted();
      for (const [tool, folder] of Object.entries(TOOLS) as [keyof Pins, string][]) {
        await install(sandbox, interpreter, folder, pinsFor(interpreter)[tool], sandbox.env, signal);
      }
      await sandbox.write(guest);
      await sandbox.commit(image, { kept: true, labels: { [INTERPRETER]: interpreter } });
      return { image, ...interpreter };
    });
  });
}

/** By image: runs of one workflow would take one another's container. */
const makers = new Turns();

const INTERPRETER = 'pointsman.interpreter';

/** What the builder found out, as the image's label says; undefined when the host does not have the image. */
async function interpreterOf(images: Images, image: string): Promise<Interpreter | undefined> {
  return ((await images.label(image, INTERPRETER)) ?? undefined) as Interpreter | undefined;
}

function pinsFor({ version }: Interpreter): Pins {
  return PINS.find(({ below }) => version[1] < below)!.pins;
}

/** The environment's own pip, or another one of the image that installs for it. */
async function install(
  sandbox: Sandbox,
  { python }: Interpreter,
  folder: string,
  packages: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const done = await sandbox.exec({
    command: readFileSync(join(__dirname, 'steps', 'install.sh'), 'utf8'),
    args: [python, folder, ...packages],
    cwd: '/',
    env,
    timeoutMs: 600_000,
    signal,
  });
  if (done.exitCode === 0) return;
  const why = done.exitCode === null ? 'it took too long' : done.stderr.toString('utf8').trim().slice(-600);
  throw new PointsmanError(
    'Unavailable',
    `${packages[0]} could not be installed beside the environment: ${why}`,
    'Give the engine a way to the package registry; `pointsman doctor` says what containers reach.',
  );
}

function guestFiles(): GuestFile[] {
  const folder = join(__dirname, 'guest');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.py'))
    .sort()
    .map((name) => ({ path: `${GUEST}/${name}`, bytes: readFileSync(join(folder, name)) }));
}

function digestOf({ path, bytes }: GuestFile): string {
  return createHash('sha256').update(path).update('\0').update(bytes).digest('hex');
}
