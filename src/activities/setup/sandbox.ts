import type { Lease, Ref, ServiceSpec, SetupStep } from '../../contract';
import type { Deps } from '../../deps';
import { withBuilt } from '../../environments/built-for';
import { preview } from '../../rollout/summary';
import type { Owner } from '../../sandbox/labels';
import type { Journal } from '../../sandbox/sandbox';
import { errorSignature } from '../../setup/error-signature';
import { type Attribution, attribute } from '../../setup/loop/attribution';
import { oneLine, strict } from '../../setup/loop/commands';
import { installCommand } from '../../setup/loop/services';
import { readCounts } from '../../setup/test-output';
import { withHeartbeat } from '../heartbeat';
import { createGuard, diskNote } from '../rollout/guard';
import { asLost, assertHere } from '../rollout/sandbox-host';
import { createReader } from './chain';

export interface RunSetupInput {
  /** Absent from what older code has written. */
  readonly owner?: Owner;
  readonly lease: Lease;
  /** The journal's job that must have come last. */
  readonly after: string;
  readonly job: string;
  readonly command: Ref;
  readonly seconds: number;
  /** Appends a step with this turn to the chain; without it the caller does. */
  readonly step?: { readonly head: string; readonly turn: string; readonly notes: readonly string[] };
  /** An earlier run of this command: says whether what happened between them helped. */
  readonly since?: { readonly command: Ref; readonly output: Ref; readonly exitCode: number | null };
}

export interface RanSetup {
  readonly preview: string;
  /** The command in one line. */
  readonly line: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly elidedBytes: number;
  readonly output: Ref;
  /** Decisive line of a failure, empty for a success. */
  readonly signature: string;
  readonly head: string | null;
  readonly attribution: Attribution | null;
}

const PREVIEW = 400;

/** Commands in the sandbox of a set-up, the steps that they become, and the services beside it. */
export function createSetupSandboxActivities(deps: Deps) {
  const { blobs, setupChains, sandboxes } = deps;
  const guarded = createGuard(deps);
  const reader = createReader(deps);

  /** Attribution reads both runs whole: a decisive line may stand anywhere. */
  async function compared(
    { since, command }: RunSetupInput,
    exitCode: number | null,
    output: string,
  ): Promise<Attribution | null> {
    if (!since) return null;
    const text = await reader.text(since.command);
    const earlier = await reader.text(since.output);
    const counted = (said: string, of: string) => readCounts(of, said)?.counts ?? null;
    const now = await reader.text(command);
    return attribute(
      { exitCode: since.exitCode, output: earlier, counts: counted(earlier, text) },
      { exitCode, output, counts: counted(output, now) },
    );
  }

  return {
    /**
     * Runs a command in the sandbox. Retry-safe: it is a named journal job, so a retry follows or reads the one that was
     * started; `SandboxLost` when the container is gone or holds another history.
     */
    async runSetup(input: RunSetupInput): Promise<RanSetup> {
      return withHeartbeat(async (signal) => {
        assertHere(deps, input.lease);
        const { lease, job, after, seconds } = input;
        const command = await reader.text(input.command);
        const work = (journal: Journal) =>
          journal.run({ id: job, after, command: strict(command), timeoutMs: seconds * 1000 });
        const run = () => guarded(input, signal, work);
        const { owner } = input;
        const at = { base: lease.image, seconds, signal, command };
        const sandbox = sandboxes.at(lease.container);
        const ran = owner ? withBuilt(deps, owner, sandbox, at, run) : run();
        const { value, full } = await ran.catch(asLost);
        const bytes = full ? Buffer.concat([value.output, diskNote(lease)]) : value.output;
        const output = await blobs.put(bytes);
        const text = bytes.toString('utf8');
        const timedOut = value.reason === 'timeout';
        const observation = {
          text: output,
          exitCode: value.exitCode,
          timedOutAfter: timedOut ? seconds : null,
          elidedBytes: value.elidedBytes,
        };
        return {
          preview: preview(text, PREVIEW),
          line: oneLine(command),
          exitCode: value.exitCode,
          timedOut,
          elidedBytes: value.elidedBytes,
          output,
          signature: value.exitCode === 0 ? '' : errorSignature(text),
          head: input.step ? await append(input.step, observation, []) : null,
          attribution: await compared(input, value.exitCode, text),
        };
      });
    },

    /** Appends a step that the loop itself made up of several actions. Retry-safe: content-addressed. */
    async appendSetupStep(input: {
      head: string;
      turn: string;
      notes: readonly string[];
      undoes: readonly number[];
      /** What the role is told: blobs and, for a few words, texts, joined by lines. */
      observation: {
        text: readonly (Ref | string)[];
        exitCode: number | null;
        timedOutAfter?: number | null;
        elidedBytes?: number;
      };
    }): Promise<{ head: string }> {
      const { text, exitCode, timedOutAfter = null, elidedBytes = 0 } = input.observation;
      const parts = await Promise.all(text.map((part) => (typeof part === 'string' ? part : reader.text(part))));
      const body = await blobs.put(parts.join('\n'));
      return { head: await append(input, { text: body, exitCode, timedOutAfter, elidedBytes }, input.undoes) };
    },

    /** Keeps a text as a blob, for a command that the loop makes up. Retry-safe: content-addressed. */
    async keepText({ text }: { text: string }): Promise<Ref> {
      return blobs.put(text);
    },

    /**
     * Starts the services that are not up yet, siblings first, and says which are. Retry-safe: one that is ready is left
     * alone. A service that does not start is an answer, not an error.
     */
    async startSetupServices(input: {
      owner: Owner;
      lease: Lease;
      services: readonly ServiceSpec[];
      base: string;
    }): Promise<{ started: string[]; failed: { name: string; why: string } | null }> {
      return withHeartbeat(async (signal) => {
        assertHere(deps, input.lease);
        return deps.sandboxes.services.start({ ...input, install: installCommand }, signal).catch(asLost);
      });
    },

    /** Commits the siblings as a part of a frame. Retry-safe: no command runs between a frame and its siblings. */
    async keepSiblings(input: { owner: Owner; services: readonly ServiceSpec[]; frame: number }): Promise<void> {
      return withHeartbeat(() => deps.sandboxes.services.keep(input.owner, input.services, input.frame));
    },

    /** Puts the siblings back to a frame, without starting the services in the sandbox. Retry-safe: they begin anew. */
    async siblingsBack(input: {
      owner: Owner;
      services: readonly ServiceSpec[];
      frame: number;
      above: readonly number[];
    }): Promise<void> {
      const { owner, services, frame, above } = input;
      return withHeartbeat(() => deps.sandboxes.services.back(owner, services, frame, above));
    },

    /** Processes that a rollback would end and that nobody declared as a service: the agent is told. Reads only. */
    async undeclaredProcesses({ lease }: { lease: Lease }): Promise<string[]> {
      return withHeartbeat(() => deps.sandboxes.services.undeclared(lease).catch(asLost));
    },
  };

  async function append(
    at: { readonly head: string; readonly turn: string; readonly notes: readonly string[] },
    observation: SetupStep['observation'],
    undoes: readonly number[],
  ): Promise<string> {
    const turn = await setupChains.turn(at.turn);
    return setupChains.append({
      kind: 'setup-step',
      parent: at.head,
      turn,
      observation,
      notes: [...at.notes],
      undoes: [...undoes],
    });
  }
}
