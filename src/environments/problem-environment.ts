import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type EnvironmentRecipe,
  isPointsmanError,
  PointsmanError,
  type Preparation,
  type Problem,
  type TestFile,
} from '../contract';
import type { Deps } from '../deps';
import type { Owner } from '../sandbox/labels';
import type { Sandbox, Workshop } from '../sandbox/sandbox';
import { exportLines } from '../sandbox/shell-state';
import { Turns } from '../sandbox/turns';
import { fetchSource } from '../sources/fetch';
import { GIT, mustRun, mustRunScript, readTest, textOf } from './commands';
import type { GradingLab } from './grading/grade';
import type { TrialLab } from './grading/trial';
import { purgeCopies } from './harness/purge';
import { bringImage, needImage, shareImage } from './travel';

const REPOSITORY = 'pointsman/problem';
/** By image. On a host that has just joined all runs of a grade want the same one at once, and would take one another's container. */
const makers = new Turns();
/** Counts up when the same recipe would give another image. */
const BUILDER = 1;
/** Label of an environment: what set-up made in it. */
const PROTECTED = 'pointsman.protected';

export interface Environment {
  readonly image: string;
  readonly recipe: EnvironmentRecipe;
  readonly protected: string[];
}

/**
 * The image of a recipe: sources in the work directory under one commit, set-up done. Taken as it is when this host has
 * it, else built; two builders at once end with the same tag. The caller's run owns what it takes to build, never the
 * image.
 */
export async function buildEnvironment(
  deps: Deps,
  owner: Owner,
  recipe: EnvironmentRecipe,
  workdir: string,
  signal: AbortSignal,
): Promise<Environment> {
  const source = await fetchSource(deps, owner, recipe.source, recipe.sha256, recipe.base, signal);
  const exact = { ...recipe, sha256: source.sha256 };
  const tag = contentTag({ builder: BUILDER, sha256: source.sha256, base: recipe.base, setup: recipe.setup, workdir });
  const image = `${REPOSITORY}:${tag}`;
  // Of all hosts, the first to build it decides what the unlocked installs of this recipe are.
  await deps.sandboxes.images.fetch(image);
  const known = await protectedIn(deps, image);
  if (known) return { image: await shareImage(deps, image), recipe: exact, protected: known };
  await needImage(deps, recipe.base);
  return deps.sandboxes.workshop(
    { owner, role: 'build', image: recipe.base, workdir, network: 'bridge' },
    async (sandbox) => {
      await sandbox.write([...source.tree].map(([path, file]) => ({ path: `${workdir}/${path}`, ...file })));
      await mustRunScript(sandbox, workdir, 'commit-all');
      await setUp(sandbox, recipe.setup, workdir, signal);
      const made = await excludeByproducts(sandbox, workdir);
      await sealCommit(sandbox, workdir);
      await keep(sandbox, image, workdir, made);
      return { image: await shareImage(deps, image), recipe: exact, protected: made };
    },
  );
}

/**
 * Makes sure that the problem's image is on this host and gives its name: built from its recipe where that is known,
 * prepared where it comes from elsewhere. Retry-safe: an image that is there is taken.
 */
export async function ensureProblemImage(
  deps: Deps,
  owner: Owner,
  problem: Problem,
  signal: AbortSignal,
): Promise<string> {
  const wanted = imageOf(problem);
  return makers.take(wanted, signal, async () => {
    if (await exists(deps, wanted)) return wanted;
    const base = await baseOf(deps, owner, problem, signal);
    if (!problem.preparation) return base;
    await prepare(deps, owner, { ...problem, image: base }, problem.preparation, wanted, signal);
    return wanted;
  });
}

/** The image as it came, under the name that this host has it by: local, else shared by another host, else from its recipe. */
async function baseOf(deps: Deps, owner: Owner, problem: Problem, signal: AbortSignal): Promise<string> {
  const { image, environment, workdir } = problem;
  if (!environment) {
    await ensureImage(deps, problem);
    return image;
  }
  const shared = await bringImage(deps, image).catch((error: unknown) => {
    if (isPointsmanError(error) && error.code === 'NotFound') return false;
    throw error;
  });
  if (shared) return image;
  return (await buildEnvironment(deps, owner, environment, workdir, signal)).image;
}

/** What an image of a task is made of, beside its name. */
type Made = Pick<Problem, 'id' | 'image' | 'build'>;

/**
 * Puts an image on this host that is nobody's sandbox yet: that of a service, or of tests that run apart. Retry-safe: one that
 * is there is taken.
 */
async function ensureImage(deps: Deps, made: Made): Promise<void> {
  if (await exists(deps, made.image)) return;
  if (made.build) await buildImage(deps, made, made.build.files);
  else await needImage(deps, made.image);
}

/** By its own Dockerfile. */
async function buildImage({ sandboxes, blobs }: Deps, { id, image }: Made, files: readonly TestFile[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pointsman-build-'));
  try {
    for (const { path, content, executable } of files) {
      if (content === null) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), await readTest(content, blobs), { mode: executable ? 0o755 : 0o644 });
    }
    const said: string[] = [];
    await sandboxes.images
      .build(folder, image, (line) => said.push(line))
      .catch((cause: unknown) => {
        throw new PointsmanError(
          'InvalidInput',
          `${id}: its Dockerfile does not build: ${(cause as Error).message} (${said.at(-1) ?? 'before the first step'})`,
          'Try `docker build` on its folder.',
        );
      });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where this host's gradings run. */
export function labOf(deps: Deps): GradingLab & TrialLab {
  const { blobs, problems, sandboxes } = deps;
  return {
    blobs,
    problems,
    sandboxes,
    image: (owner, problem, signal) => ensureProblemImage(deps, owner, problem, signal),
    made: (image) => ensureImage(deps, image),
  };
}

/** The image that sandboxes of the problem start from: its own, or the prepared one that follows from it. */
export function imageOf(problem: Problem): string {
  if (!problem.preparation) return problem.image;
  return `${REPOSITORY}:${contentTag({ builder: BUILDER, image: problem.image, preparation: problem.preparation, workdir: problem.workdir })}`;
}

async function prepare(
  deps: Deps,
  owner: Owner,
  problem: Problem,
  preparation: Preparation,
  image: string,
  signal: AbortSignal,
): Promise<void> {
  const { workdir } = problem;
  await deps.sandboxes.workshop(
    { owner, role: 'prepare', image: problem.image, workdir, network: 'none' },
    async (sandbox) => {
      if (preparation.purge) await purgeCopies(sandbox, preparation.purge, signal);
      if (preparation.patch.trim() !== '') {
        await sandbox.write([{ path: '/tmp/preparation.patch', bytes: Buffer.from(preparation.patch) }]);
        const applied = await sandbox.exec({
          cwd: workdir,
          command: `${GIT} apply --whitespace=nowarn /tmp/preparation.patch && rm /tmp/preparation.patch`,
        });
        if (applied.exitCode !== 0) {
          throw new PointsmanError(
            'InvalidInput',
            `${problem.id}: the preparing patch does not apply: ${textOf(applied)}`,
            'The row and the image belong to different commits.',
          );
        }
      }
      for (const file of preparation.files) {
        await mustRun(sandbox, { command: 'rm -rf -- "$1"', args: [`${workdir}/${file.path}`] });
        if (file.content === null) continue;
        const bytes = await readTest(file.content, deps.blobs);
        await sandbox.write([{ path: `${workdir}/${file.path}`, bytes, executable: file.executable ?? false }]);
      }
      await mustRunScript(sandbox, workdir, 'forget-history');
      await keep(sandbox, image, workdir, problem.protected);
    },
  );
}

async function setUp(sandbox: Workshop, setup: readonly string[], workdir: string, signal: AbortSignal): Promise<void> {
  const commands = [`cd '${workdir}'; ${exportLines(sandbox.env).join('; ')}`, ...setup];
  for (const [at, command] of commands.entries()) {
    signal.throwIfAborted();
    const done = await sandbox.journal((journal) =>
      journal.run({ id: `setup-${at}`, after: '*', command, timeoutMs: 3_600_000 }),
    );
    if (done.exitCode === 0) continue;
    const said = done.output.toString('utf8').trim().slice(-1500);
    throw new PointsmanError(
      'InvalidInput',
      `setup: \`${command.slice(0, 200)}\` ended with ${done.exitCode}: ${said}`,
      'Try the command in the base image by hand; add what is missing to --setup.',
    );
  }
}

/** Lists what set-up made beside the sources (like `.venv`) and hides it from git, so that no diff contains it. */
export async function excludeByproducts(sandbox: Sandbox, workdir: string): Promise<string[]> {
  const listed = await mustRun(sandbox, {
    cwd: workdir,
    command: `${GIT} ls-files -z --others --directory --no-empty-directory`,
  });
  const made = listed.stdout
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '');
  const lines = made.map((path) => `/${path.replace(/[*?[\]\\!#]/g, '\\$&')}`);
  await mustRun(sandbox, {
    cwd: workdir,
    command: 'mkdir -p .git/info && printf "%s\\n" "$@" >> .git/info/exclude',
    args: ['__pycache__/', ...lines],
  });
  return made
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => !/(^|\/)(__pycache__|\.pytest_cache)$|\.pyc$/.test(path));
}

/** Set-up may have changed sources (an egg-info that the distribution ships): the one commit holds them as they are now. */
export async function sealCommit(sandbox: Sandbox, workdir: string): Promise<void> {
  await mustRunScript(sandbox, workdir, 'seal');
}

/** Commits the container as an image that no janitor removes and that knows nothing of the run that made it. */
export async function keep(
  sandbox: Sandbox,
  image: string,
  workdir: string,
  made: readonly string[],
  /** Dockerfile instructions that become part of the image. */
  instructions: readonly string[] = [],
): Promise<string> {
  await mustRun(sandbox, { command: 'rm -rf ~/.cache/pip' });
  const all = [...instructions, `WORKDIR ${workdir}`];
  await sandbox.commit(image, { kept: true, labels: { [PROTECTED]: made }, instructions: all });
  return image;
}

export function contentTag(recipe: object): string {
  return createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 24);
}

async function exists(deps: Deps, image: string): Promise<boolean> {
  return (await protectedIn(deps, image)) !== undefined;
}

/** What set-up made, as the image's label says; undefined when the host does not have the image. */
async function protectedIn(deps: Deps, image: string): Promise<string[] | undefined> {
  const made = await deps.sandboxes.images.label(image, PROTECTED);
  return made === null ? [] : (made as string[] | undefined);
}
