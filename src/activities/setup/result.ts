import type {
  Frame,
  Lease,
  Ref,
  SandboxProfile,
  ServiceSpec,
  TestCounts,
  VerifierResult,
  WorldRecord,
} from '../../contract';
import type { Deps } from '../../deps';
import { builtFor } from '../../environments/built-for';
import { keepFrame, madeVariables, rebuild, type Sources } from '../../environments/setup-result';
import { shareImage } from '../../environments/travel';
import { runVerifiedTests } from '../../environments/verified-tests';
import { LENT } from '../../sandbox/host-access';
import type { Owner } from '../../sandbox/labels';
import type { Given } from '../../setup/given';
import { dockerfile, envInstructions, installScript, recipeOf, scriptSeconds } from '../../setup/loop/recipe';
import { installCommand } from '../../setup/loop/services';
import { comparedWorlds } from '../../setup/playbook/compared-worlds';
import { fetchSource } from '../../sources/fetch';
import { withHeartbeat } from '../heartbeat';
import { createReader } from './chain';

export interface KeepInput {
  readonly owner: Owner;
  readonly lease: Lease;
  readonly frame: Frame;
  readonly given: Ref;
  /** Head of the agent's chain. */
  readonly head: string;
  /** Commands of trials that stand, by turn. */
  readonly trials: Readonly<Record<number, readonly Ref[]>>;
  readonly services: readonly ServiceSpec[];
  readonly profile?: SandboxProfile;
}

export interface KeptSetup {
  readonly image: string;
  readonly dockerfile: Ref;
  readonly script: Ref;
  readonly lock: Ref;
  /** With the digests of their images. */
  readonly services?: ServiceSpec[];
  readonly worlds?: readonly WorldRecord[];
}

export interface ReproduceInput extends KeepInput {
  readonly script: Ref;
  readonly verifier: VerifierResult;
  readonly profile: SandboxProfile;
  /** What one command may take: each step of the script, and the tests. */
  readonly seconds: number;
  /** What a set-up may take, and so its script. */
  readonly wallClockSeconds?: number;
}

/** No frame holds anything of them: what they need to hold is the script's to write. */
const ANEW = { index: 0, services: [] };

export function createSetupResultActivities(deps: Deps) {
  const { blobs, sandboxes, setupChains } = deps;
  const reader = createReader(deps);

  /** From the blob store: everything was fetched when the run began. */
  async function sourcesOf(owner: Owner, given: Given, signal: AbortSignal): Promise<Sources> {
    const wanted = [given, ...given.components];
    return Promise.all(
      wanted.map(async ({ source, sha256, workdir }) => {
        const { tree } = await fetchSource(deps, owner, source, sha256, given.base, signal);
        return [workdir, tree] as const;
      }),
    );
  }

  const pinned = async (spec: ServiceSpec): Promise<ServiceSpec> =>
    spec.image ? { ...spec, image: await sandboxes.images.pinned(spec.image) } : spec;

  return {
    /**
     * Keeps a frame as the environment image, with the Dockerfile and the script of the kept steps. Retry-safe: the same
     * frame gives the same image name, and all else is content-addressed.
     */
    async keepSetup(input: KeepInput): Promise<KeptSetup> {
      return withHeartbeat(async (signal) => {
        const given = await reader.json<Given>(input.given);
        const { source, sha256, workdir, base, components } = given;
        const trials = new Map<number, string[]>();
        for (const [turn, refs] of Object.entries(input.trials)) {
          trials.set(Number(turn), await Promise.all(refs.map((ref) => reader.text(ref))));
        }
        const env = await madeVariables(deps, base, input.frame.env);
        const actions = await reader.actions(input.head);
        const steps = recipeOf(actions, (turn) => trials.get(turn));
        const worlds = comparedWorlds(actions);
        const sources = await sourcesOf(input.owner, given, signal);
        const { image, lock } = await keepFrame(deps, input.owner, {
          frame: input.frame,
          workdir,
          sha256,
          sources,
          instructions: envInstructions(env),
        });
        const parts = {
          base,
          source,
          sha256,
          workdir,
          components,
          services: input.services,
          lent: LENT,
          given: input.profile?.env ?? {},
          env,
        };
        return {
          image: await shareImage(deps, image),
          lock,
          dockerfile: await blobs.put(dockerfile(parts)),
          script: await blobs.put(installScript(steps, workdir, source)),
          services: await Promise.all(input.services.map(pinned)),
          worlds: worlds.length > 0 ? worlds : undefined,
        };
      });
    },

    /**
     * Runs the script on the base image in a clean container, beside siblings that begin anew, and the verified tests on what
     * comes out. Retry-safe: all of it begins fresh each time. A difference is an answer, not an error.
     */
    async reproduceSetup(
      input: ReproduceInput,
    ): Promise<{ reproduced: boolean; detail?: string; counts?: TestCounts }> {
      return withHeartbeat(async (signal) => {
        const given = await reader.json<Given>(input.given);
        const { owner, profile, services, verifier, seconds } = input;
        const { base, workdir } = given;
        const sources = await sourcesOf(owner, given, signal);
        const script = await reader.text(input.script);
        const { wallClockSeconds = seconds } = input;
        const beside = { owner, services, base, install: installCommand };
        const network = await sandboxes.services.asAt(beside, ANEW, signal);
        const files = await builtFor(deps, owner, script, { base, seconds, signal });
        const built = await rebuild(deps, owner, {
          base,
          workdir,
          sources,
          script,
          files,
          profile,
          ...(network ? { connect: (container: string) => sandboxes.services.connect(owner, container) } : {}),
          seconds: scriptSeconds(script, { commandSeconds: seconds, wallClockSeconds }),
        });
        if ('failure' in built) return { reproduced: false, detail: `the script stopped: ${built.failure}` };
        const { frame } = built;
        const { same, ...seen } = await runVerifiedTests(
          { sandboxes, chains: setupChains },
          {
            owner,
            role: 'reproduced',
            image: frame.image,
            cwd: frame.cwd,
            env: frame.env,
            workdir,
            components: given.components.map((part) => part.workdir),
            profile,
            services,
            network,
          },
          verifier,
          { seconds, signal },
        );
        return { reproduced: same, ...seen };
      });
    },
  };
}
