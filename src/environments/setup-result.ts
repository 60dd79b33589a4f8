import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Frame, PointsmanError, type Ref, type SandboxProfile } from '../contract';
import type { Deps } from '../deps';
import { hostAccess } from '../sandbox/host-access';
import type { Owner } from '../sandbox/labels';
import type { GuestFile, Sandbox } from '../sandbox/sandbox';
import { exportLines } from '../sandbox/shell-state';
import type { SourceTree } from '../sources/archive';
import { mustRunScript } from './commands';
import { contentTag, excludeByproducts, keep, sealCommit } from './problem-environment';

/** Sources by the folder that they lie in. */
export type Sources = readonly (readonly [folder: string, tree: SourceTree])[];

/** Environments that set-ups kept; any problem may use them. */
const ENVIRONMENTS = 'pointsman/environment';

/** What an environment is made of, and so its name. */
export interface EnvironmentParts {
  /** Image of the frame. */
  readonly imageId: string;
  /** Digest of the sources. */
  readonly sha256: string;
  readonly workdir: string;
}

function environmentTag({ imageId, sha256, workdir }: EnvironmentParts): string {
  return contentTag({ frame: imageId, sha256, workdir });
}

/** Removes an environment whose set-up did not end well. What is gone counts as removed. */
export async function removeEnvironment({ sandboxes }: Deps, parts: EnvironmentParts): Promise<void> {
  const found = await sandboxes.images.find(`${ENVIRONMENTS}:${environmentTag(parts)}`);
  // By its id: with the names that other hosts know it by.
  if (found) await sandboxes.images.remove(found.id);
}

/** Variables of the shell that reads them, or of the host that lent them. */
const NOT_KEPT = /^(PWD|OLDPWD|SHLVL|_|HOSTNAME|HOME|TERM|LC_ALL|POINTSMAN_\w+|DEBIAN_FRONTEND)$/;

/** The variables that a set-up made, without what the base image has anyway and what the host only lent. */
export async function madeVariables(deps: Deps, base: string, env: Frame['env']): Promise<Record<string, string>> {
  const lent = hostAccess().env;
  const found = await deps.sandboxes.images.find(base);
  if (!found) throw new PointsmanError('NotFound', `the image ${base} is not on this host`, 'Start the set-up again.');
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => !NOT_KEPT.test(name) && lent[name] === undefined && found.env[name] !== value,
    ),
  );
}

/**
 * Keeps a frame as an environment image: one commit of the sources in the work directory, what set-up made beside them
 * hidden from git, our own files and what the host lent removed, and `instructions` (variables) as the image's own. The
 * same frame gives the same name, so a retry makes it again.
 */
export async function keepFrame(
  deps: Deps,
  owner: Owner,
  spec: { frame: Frame; workdir: string; sha256: string; sources: Sources; instructions: readonly string[] },
): Promise<{ image: string; protected: string[]; lock: Ref }> {
  const { frame, workdir, sources, instructions } = spec;
  const tag = environmentTag({ imageId: frame.imageId, sha256: spec.sha256, workdir });
  return deps.sandboxes.workshop(
    { owner, role: 'keep', image: frame.image, workdir, network: 'none' },
    async (sandbox) => {
      const lock = await deps.blobs.put(await lockOf(sandbox, frame));
      const tracked = [...(sources.find(([folder]) => folder === workdir)?.[1].keys() ?? [])];
      await sandbox.write([{ path: '/tmp/tracked', bytes: Buffer.from(tracked.join('\0')) }]);
      await mustRunScript(sandbox, workdir, 'commit-tracked');
      const made = await excludeByproducts(sandbox, workdir);
      await sealCommit(sandbox, workdir);
      return {
        image: await keep(sandbox, `${ENVIRONMENTS}:${tag}`, workdir, made, instructions),
        protected: made,
        lock,
      };
    },
  );
}

/** Every version that is installed, by the tool that knows it. */
async function lockOf(sandbox: Sandbox, { cwd, env }: Frame): Promise<string> {
  const { stdout } = await sandbox.exec({
    command: readFileSync(join(__dirname, 'guest', 'lock.sh'), 'utf8'),
    cwd: cwd || '/',
    env,
    timeoutMs: 120_000,
  });
  return stdout.toString('utf8');
}

/**
 * Builds the environment again from its base image by the script alone, with the limits and variables of its sandbox, and
 * with its siblings in reach. The frame belongs to the run and goes with it. `failure` says what the script printed when it
 * stopped, and whether that was after `seconds`.
 */
export async function rebuild(
  deps: Pick<Deps, 'sandboxes'>,
  owner: Owner,
  spec: {
    base: string;
    workdir: string;
    sources: Sources;
    script: string;
    /** What the script finds there, beside the sources. */
    files?: readonly GuestFile[];
    profile: SandboxProfile;
    /** Brings the siblings of the run into reach of a container. */
    connect?: (container: string) => Promise<void>;
    seconds: number;
  },
): Promise<{ frame: Frame } | { failure: string }> {
  const { base, workdir, sources, script, profile } = spec;
  return deps.sandboxes.workshop(
    { owner, role: 'rebuild', image: base, workdir, network: 'bridge', profile },
    async (sandbox) => {
      await spec.connect?.(sandbox.name);
      for (const [folder, tree] of sources) {
        await sandbox.write([...tree].map(([path, file]) => ({ path: `${folder}/${path}`, ...file })));
      }
      await sandbox.write([{ path: SCRIPT, bytes: Buffer.from(script) }, ...(spec.files ?? [])]);
      const done = await sandbox.journal((journal) =>
        journal.run({
          id: 'install',
          after: '*',
          command: [...exportLines(sandbox.env), `. ${SCRIPT}`].join('\n'),
          timeoutMs: spec.seconds * 1000,
        }),
      );
      if (done.exitCode !== 0) {
        const late = done.reason === 'timeout' ? `at its deadline of ${spec.seconds} s, after: ` : '';
        return { failure: late + done.output.toString('utf8').trim().slice(-1500) };
      }
      const request = { owner, index: REBUILT, label: 'rebuilt by the script' };
      return { frame: await sandbox.snapshot(request) };
    },
  );
}

const SCRIPT = '/usr/local/share/install.sh';
/** Far above the frames of any run. */
const REBUILT = 100_000;
