import {
  type Frame,
  isPointsmanError,
  type Lease,
  PointsmanError,
  type Problem,
  partAt,
  type Ref,
  type SandboxProfile,
} from '../../contract';
import type { Deps } from '../../deps';
import { openPart, startServices } from '../../environments/grading/trial';
import { ensureProblemImage, imageOf, labOf } from '../../environments/problem-environment';
import { bringImage, shareImage } from '../../environments/travel';
import { preview } from '../../rollout/summary';
import type { Owner } from '../../sandbox/labels';
import type { Sandbox, SandboxSpec } from '../../sandbox/sandbox';
import { withHeartbeat } from '../heartbeat';
import { createPerformer } from './perform';
import { asLost, assertHere } from './sandbox-host';

export interface ClaimInput {
  readonly owner: Owner;
  readonly problem: Ref;
  readonly profile: SandboxProfile;
}

export interface CheckpointInput {
  readonly owner: Owner;
  readonly lease: Lease;
  readonly index: number;
  readonly label: string;
  /** Names of the services that run; whoever goes back to the frame starts them again. */
  readonly services?: readonly string[];
  /** Other hosts are to have it, too. */
  readonly travels?: boolean | undefined;
}

/** Containers that run beside its sandbox. */
const siblingsOf = ({ services = [] }: Problem) => services.filter(({ kind }) => kind === 'container').length;

const ROLE = 'main';

export function createSandboxActivities(deps: Deps) {
  const { sandboxes, blobs, transcripts, timings, problems } = deps;

  const perform = createPerformer(deps);

  return {
    /**
     * Starts the run's sandbox on this host. Retry-safe: the container's name follows from the run, and one that exists
     * is taken as it is.
     */
    async claimSandbox({ owner, problem: ref, profile }: ClaimInput): Promise<Lease> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(ref);
        const image = await ensureProblemImage(deps, owner, problem, signal);
        const spec = { owner, role: ROLE, image, workdir: problem.workdir, profile, beside: siblingsOf(problem) };
        const sandbox = await sandboxes.claim(spec);
        await open(deps, sandbox, { owner, problem, signal });
        return begin(deps, sandbox, problem, profile);
      });
    },

    /**
     * Makes the sandbox of a chain again: from the newest frame that the chain contains and this host can have, else from the
     * problem's image, applying the recorded actions after it and comparing the work directory before each. Retry-safe: it always begins
     * with a fresh container. Throws `DigestMismatch` when the actions lead elsewhere this time.
     */
    async rebuildSandbox(
      input: ClaimInput & {
        head: string;
        frames: readonly Frame[];
        commandSeconds: number;
        run: string;
        strict?: boolean;
        /** Parts that were begun behind the first. */
        part?: number;
      },
    ): Promise<{ lease: Lease; redone: number; differences: string[] }> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(input.problem);
        const { steps, hashes, opening } = await transcripts.chain(input.head);
        const { owner, profile } = input;
        const spec = { owner, role: ROLE, workdir: problem.workdir, profile, beside: siblingsOf(problem) };
        const contained = input.frames.filter((each) => steps.some((step) => step.job === each.position));
        await sandboxes.remove(owner, ROLE);
        const restored = await fromNewest(deps, spec, contained);
        const frame = restored?.frame;
        const sandbox =
          restored?.sandbox ??
          (await sandboxes.claim({ ...spec, image: await ensureProblemImage(deps, owner, problem, signal) }));
        if (!frame) await open(deps, sandbox, { owner, problem, signal });
        const lease = await begin(deps, sandbox, problem, profile);
        const done = frame ? steps.findIndex((step) => step.job === frame.position) + 1 : 0;
        const first = steps[0];
        const whole = { ...lease, base: done > 0 && first ? first.workspace : lease.base };
        const differences: string[] = [];
        let part = 0;
        for (let at = done; at < steps.length; at++) {
          const recorded = steps[at]!;
          const { step, durationMs, submitted } = await perform(
            {
              next: partAt(problem, part + 1).statement,
              lease: whole,
              steps: steps.slice(0, at),
              parent: recorded.parent,
              job: recorded.job,
              turn: recorded.turn,
              seconds: input.commandSeconds,
            },
            signal,
          ).catch(asLost);
          await timings.record(input.run, { turn: recorded.turn.turn, durationMs, redone: 1 });
          if (step.workspace !== recorded.workspace)
            differences.push(`before turn ${recorded.turn.turn}: ${step.workspace} instead of ${recorded.workspace}`);
          if (submitted && part < (input.part ?? 0)) await openPart(sandbox, partAt(problem, ++part), blobs, signal);
        }
        if (differences.length > 0 && input.strict) {
          throw new PointsmanError(
            'DigestMismatch',
            `the work directory differs ${differences[0]}`,
            `The recorded actions of ${opening.problemId} are not deterministic; head ${hashes.at(-1)}.`,
          );
        }
        return { lease: whole, redone: steps.length - done, differences: differences.slice(0, 5) };
      });
    },

    /** Brings the next part about, where the agent is. Retry-safe as far as its own command is: that is run again. */
    async openPart({ lease, problem, part }: { lease: Lease; problem: Ref; part: number }): Promise<void> {
      return withHeartbeat(async (signal) => {
        assertHere(deps, lease);
        const sandbox = sandboxes.at(lease.container);
        await openPart(sandbox, partAt(await problems.kept(problem), part), blobs, signal).catch(asLost);
      });
    },

    /** The work as a patch against the commit that the problem began with. Reads only. */
    async extractPatch({ lease }: { lease: Lease }): Promise<{ patch: Ref; tree: string | null; preview: string }> {
      return withHeartbeat(async () => {
        const { base } = lease;
        if (base === null) return { preview: '', patch: await blobs.put(''), tree: null };
        const { patch, tree } = await sandboxes
          .at(lease.container)
          .journal((journal) => journal.diff(base, lease.workdir))
          .catch((error: unknown) => {
            if (!isPointsmanError(error) || error.code !== 'TooLarge') return asLost(error);
            // The agent's own doing, which leaves a judge nothing to look at: it has solved nothing.
            return { patch: error, tree: null };
          });
        if (patch instanceof Error) return { preview: `no patch: ${patch.message}`, patch: await blobs.put(''), tree };
        return { preview: preview(patch.toString('utf8'), 600), patch: await blobs.put(patch), tree };
      });
    },

    /**
     * The sandbox as an image that outlives the run, under a name that follows from the chain. Retry-safe: the same sandbox
     * is committed under the same name.
     */
    async keepWorkspace({
      lease,
      head,
    }: {
      lease: Lease;
      head: string;
    }): Promise<{ image: string; base: string | null }> {
      return withHeartbeat(async () => {
        const image = `pointsman/workspace:${head.slice(0, 20)}`;
        await sandboxes.at(lease.container).commit(image, { kept: true });
        return { image, base: lease.base };
      });
    },

    /** Pushes a frame onto the run's stack. Retry-safe: see `Sandbox.snapshot` and `shareImage`. */
    async checkpointSandbox({ travels, ...input }: CheckpointInput): Promise<Frame> {
      return withHeartbeat(async () => {
        const frame = await sandboxes.at(input.lease.container).snapshot(input);
        return travels ? { ...frame, shared: await shareImage(deps, frame.image) } : frame;
      });
    },

    /** Puts the sandbox back to a frame and removes the frames above it. Retry-safe: it starts from the frame each time. */
    async rollbackSandbox(input: {
      owner: Owner;
      lease: Lease;
      profile: SandboxProfile;
      frame: Frame;
      above: readonly number[];
    }): Promise<void> {
      return withHeartbeat(async () => {
        const { owner, lease, profile, frame } = input;
        const spec = { owner, role: ROLE, workdir: lease.workdir, profile };
        const { removed } = await sandboxes.restore(spec, frame);
        if (input.above.length === 0) return;
        // It may have been made from one of them, and the engine keeps what a container is made from.
        await removed;
        await sandboxes.dropFrames(owner, input.above);
      });
    },
  };
}

async function begin(deps: Deps, sandbox: Sandbox, problem: Problem, profile: SandboxProfile): Promise<Lease> {
  return sandbox.journal(async (journal) => ({
    host: deps.hostQueue,
    hostName: deps.hostName,
    ...(deps.onlyHost ? { onlyHost: true } : {}),
    container: sandbox.name,
    image: imageOf(problem),
    workdir: problem.workdir,
    base: await journal.digest(problem.workdir),
    origin: await journal.position(),
    diskMiB: profile.diskMiB,
  }));
}

/** What a problem has running, and what is brought into its work directory. */
async function open(
  deps: Deps,
  sandbox: Sandbox,
  { owner, problem, signal }: { readonly owner: Owner; readonly problem: Problem; readonly signal: AbortSignal },
): Promise<void> {
  const { workdir } = problem;
  await startServices(labOf(deps), { owner, problem, signal }, { container: sandbox.name, workdir });
  await openPart(sandbox, problem, deps.blobs, signal);
}

/** The sandbox at the top frame whose image is here, or comes here from where it was shared. Undefined where none does. */
async function fromNewest(
  deps: Deps,
  spec: Omit<SandboxSpec, 'image'>,
  frames: readonly Frame[],
): Promise<{ sandbox: Sandbox; frame: Frame } | undefined> {
  for (const frame of [...frames].reverse()) {
    const local = await deps.sandboxes.images.find(frame.image);
    const image = local ? frame.image : frame.shared;
    if (!image || !(local || (await bringImage(deps, image)))) continue;
    try {
      return { sandbox: (await deps.sandboxes.restore(spec, { ...frame, image })).sandbox, frame };
    } catch (error) {
      // Somebody removed it at this moment.
      if (!isPointsmanError(error) || error.code !== 'FrameLost') throw error;
    }
  }
  return undefined;
}
