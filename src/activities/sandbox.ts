import { preview } from '../agent/summary';
import { planEdit } from '../agent/tools/edit-plan';
import { EditorArgs } from '../agent/tools/editor';
import { reviewedSinceLastEdit, submitDecision } from '../agent/tools/submit';
import { lastUndoable } from '../agent/tools/undo';
import { profileNamed } from '../config';
import {
  type Edit,
  type Frame,
  type Lease,
  type Problem,
  type Ref,
  type SandboxProfile,
  type Step,
  SwitchyardError,
  type Turn,
} from '../contract';
import { ensureProblemImage, imageOf } from '../grading/environment';
import { checkpoint, dropFrames, restore } from '../sandbox/frames';
import { type CommandResult, Diverged, type Journal } from '../sandbox/journal';
import type { Owner } from '../sandbox/labels';
import type { Deps } from './deps';
import { withHeartbeat } from './heartbeat';
import { promptsFor } from './prompts';

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
  readonly squash?: boolean;
}

export interface RunToolInput {
  readonly lease: Lease;
  readonly head: string;
  /** Blob of the turn whose action is run. */
  readonly turn: string;
  readonly commandSeconds: number;
}

export interface RunToolResult {
  /** Beginning and end of what the tool answered, readable in the Temporal UI. */
  readonly preview: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly submitted: boolean;
  readonly head: string;
}

const PREVIEW = 400;
const ROLE = 'main';

/** A step's job is named by its turn, so a step that is run again anywhere finds what it did. */
function jobOf(turn: Turn, hash: string): string {
  return `${turn.turn}-${hash.slice(0, 20)}`;
}

interface Place {
  readonly lease: Lease;
  readonly job: string;
  readonly after: string;
  readonly seconds: number;
  readonly steps: readonly Step[];
}

/** What a host-side tool answers, as the journal keeps it. */
interface Answer {
  readonly text: string;
  readonly exitCode: number | null;
  readonly edit?: Edit;
  readonly submitted?: boolean;
}

interface Outcome {
  readonly output: Buffer;
  readonly exitCode: number | null;
  readonly timedOutAfter: number | null;
  readonly elidedBytes: number;
  readonly durationMs: number;
  readonly tree: string | null;
  readonly edit?: Edit;
  readonly submitted?: boolean;
}

export function createSandboxActivities(deps: Deps) {
  const { host, blobs, transcripts, timings, problems, config } = deps;

  async function bash(journal: Journal, place: Place, command: string): Promise<Outcome> {
    const result = await journal.run({
      id: place.job,
      after: place.after,
      command,
      timeoutMs: place.seconds * 1000,
      ...workdirOf(place.lease),
    });
    return {
      ...fromJournal(result),
      exitCode: result.exitCode,
      timedOutAfter: result.reason === 'timeout' ? place.seconds : null,
    };
  }

  /**
   * Records an answer that the host made up itself, with the file change that goes with it, as one journal job. A job that
   * a dead worker left gives back what it recorded then, whatever the file looks like now.
   */
  async function record(
    journal: Journal,
    place: Place,
    answer: Answer,
    change: { kind: 'write' | 'delete' | 'none'; path: string; bytes?: Uint8Array } = { kind: 'none', path: '' },
  ): Promise<Outcome> {
    const result = await journal.apply({
      id: place.job,
      after: place.after,
      text: JSON.stringify(answer),
      ...change,
      ...workdirOf(place.lease),
    });
    const recorded = JSON.parse(result.output.toString('utf8')) as Answer;
    const written = result.exitCode === 0;
    return {
      ...fromJournal(result),
      output: Buffer.from(written ? recorded.text : `The file ${change.path} could not be written.`),
      exitCode: written ? recorded.exitCode : 20,
      timedOutAfter: null,
      ...(written && recorded.edit ? { edit: recorded.edit } : {}),
      ...(recorded.submitted ? { submitted: true } : {}),
    };
  }

  async function edit(journal: Journal, place: Place, args: EditorArgs): Promise<Outcome> {
    const seen = await journal.look(args.path);
    const undoable = args.command === 'undo_edit' ? lastUndoable(place.steps, args.path) : undefined;
    const undo = undoable && { bytes: undoable.before ? await blobs.get(undoable.before.sha256) : null };
    if (seen.kind === 'large')
      return record(journal, place, { text: `The file ${args.path} is too large for this tool.`, exitCode: 19 });
    const cwd = args.path.startsWith('/') ? '/' : (await journal.state()).cwd || place.lease.workdir;
    const plan = planEdit(args, seen, { cwd, parentExists: seen.parentExists, ...(undo ? { undo } : {}) });
    const { write } = plan;
    if (!write) return record(journal, place, { text: plan.observation, exitCode: plan.exitCode });
    const bytes = 'bytes' in write ? write.bytes : undefined;
    const before = seen.kind === 'file' ? await blobs.put(seen.bytes) : null;
    const after = bytes ? await blobs.put(bytes) : null;
    return record(
      journal,
      place,
      { text: plan.observation, exitCode: plan.exitCode, edit: { path: args.path, before, after } },
      { kind: bytes ? 'write' : 'delete', path: args.path, ...(bytes ? { bytes } : {}) },
    );
  }

  async function submit(journal: Journal, place: Place, turn: Turn): Promise<Outcome> {
    const { view } = profileNamed(config, turn.profile);
    const diff = place.lease.base
      ? (await journal.diff(place.lease.base, place.lease.workdir)).patch.toString('utf8')
      : '';
    const decision = submitDecision({
      reviewEnabled: view.reviewOnSubmit,
      reviewed: reviewedSinceLastEdit(place.steps),
      diff,
      review: promptsFor(view)['submit-review'],
    });
    const text = decision.kind === 'review' ? decision.observation : '';
    return record(journal, place, { text, exitCode: 0, submitted: decision.kind === 'accepted' });
  }

  async function perform(journal: Journal, place: Place, turn: Turn): Promise<Outcome> {
    const { tool, args } = turn.action;
    switch (tool) {
      case 'bash':
        return bash(journal, place, String(args.command));
      case 'str_replace_editor':
        return edit(journal, place, EditorArgs.parse(args));
      case 'submit':
        return submit(journal, place, turn);
      default:
        throw new SwitchyardError('InvalidInput', `no tool "${tool}" runs in a sandbox`, 'Register it in agent/tools.');
    }
  }

  /** Performs a turn after `steps` and gives the step that it makes. Heartbeats and cancellation are the caller's. */
  async function take(
    lease: Lease,
    steps: readonly Step[],
    parent: string,
    job: string,
    turn: Turn,
    seconds: number,
    signal: AbortSignal,
  ): Promise<{ step: Step; durationMs: number; submitted: boolean }> {
    const place = { lease, job, after: steps.at(-1)?.job ?? lease.origin, seconds, steps };
    const kill = () => void host.kill(lease.container, place.job);
    signal.addEventListener('abort', kill, { once: true });
    try {
      const outcome = await host.journal(lease.container, (journal) => perform(journal, place, turn));
      signal.throwIfAborted();
      const step: Step = {
        kind: 'step',
        parent,
        turn,
        observation: {
          text: await blobs.put(outcome.output),
          exitCode: outcome.exitCode,
          timedOutAfter: outcome.timedOutAfter,
          elidedBytes: outcome.elidedBytes,
        },
        ...(outcome.edit ? { edit: outcome.edit } : {}),
        workspace: outcome.tree,
        job: place.job,
      };
      return { step, durationMs: outcome.durationMs, submitted: outcome.submitted ?? false };
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  async function begin(container: string, problem: Problem): Promise<Lease> {
    return host.journal(container, async (journal) => ({
      host: deps.hostQueue,
      container,
      image: imageOf(problem),
      workdir: problem.workdir,
      base: await journal.digest(problem.workdir),
      origin: await journal.position(),
    }));
  }

  return {
    /**
     * Starts the run's sandbox on this host. Retry-safe: the container's name follows from the run, and one that exists
     * is taken as it is.
     */
    async claimSandbox({ owner, problem: ref, profile }: ClaimInput): Promise<Lease> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(ref);
        await host.assertRoom(owner, config.worker.sandboxes);
        const image = await ensureProblemImage(deps, owner, problem, signal);
        await host.ensure({ owner, role: ROLE, image, workdir: problem.workdir, profile });
        return begin(host.nameOf(owner, ROLE), problem);
      });
    },

    /**
     * Runs a turn's action and appends the step to the chain. Retry-safe: the action is a named journal job, so a retry
     * follows or reads the one that was started; `SandboxLost` when the container is gone or holds another history.
     */
    async runTool(input: RunToolInput & { run: string }): Promise<RunToolResult> {
      return withHeartbeat(async (signal) => {
        const turn = await transcripts.turn(input.turn);
        const { steps } = await transcripts.chain(input.head);
        const { step, durationMs, submitted } = await take(
          input.lease,
          steps,
          input.head,
          jobOf(turn, input.turn),
          turn,
          input.commandSeconds,
          signal,
        ).catch(asLost);
        const [head] = await Promise.all([
          transcripts.append(step),
          timings.record(input.run, { turn: turn.turn, durationMs, redone: 0 }),
        ]);
        const text = (await blobs.get(step.observation.text.sha256)).toString('utf8');
        return {
          preview: preview(text, PREVIEW),
          exitCode: step.observation.exitCode,
          timedOut: step.observation.timedOutAfter !== null,
          submitted,
          head,
        };
      });
    },

    /**
     * Makes the sandbox of a chain again: from the newest frame that the chain contains, else from the problem's image,
     * applying the recorded actions after it and comparing the work directory before each. Retry-safe: it always begins
     * with a fresh container. Throws `DigestMismatch` when the actions lead elsewhere this time.
     */
    async rebuildSandbox(
      input: ClaimInput & {
        head: string;
        frames: readonly Frame[];
        commandSeconds: number;
        run: string;
        strict?: boolean;
      },
    ): Promise<{ lease: Lease; redone: number; differences: string[] }> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(input.problem);
        const { steps, hashes, opening } = await transcripts.chain(input.head);
        const { owner, profile } = input;
        const spec = { owner, role: ROLE, workdir: problem.workdir, profile };
        const frame = [...input.frames].reverse().find((each) => steps.some((step) => step.job === each.position));
        await host.remove(owner, ROLE);
        if (frame) await restore(host.docker, host.specOf(spec), frame);
        else await host.ensure({ ...spec, image: await ensureProblemImage(deps, owner, problem, signal) });
        const lease = await begin(host.nameOf(owner, ROLE), problem);
        const done = frame ? steps.findIndex((step) => step.job === frame.position) + 1 : 0;
        const first = steps[0];
        const whole = { ...lease, base: done > 0 && first ? first.workspace : lease.base };
        const differences: string[] = [];
        for (let at = done; at < steps.length; at++) {
          const recorded = steps[at]!;
          const { step, durationMs } = await take(
            whole,
            steps.slice(0, at),
            recorded.parent,
            recorded.job,
            recorded.turn,
            input.commandSeconds,
            signal,
          ).catch(asLost);
          await timings.record(input.run, { turn: recorded.turn.turn, durationMs, redone: 1 });
          if (step.workspace !== recorded.workspace)
            differences.push(`before turn ${recorded.turn.turn}: ${step.workspace} instead of ${recorded.workspace}`);
        }
        if (differences.length > 0 && input.strict) {
          throw new SwitchyardError(
            'DigestMismatch',
            `the work directory differs ${differences[0]}`,
            `The recorded actions of ${opening.problemId} are not deterministic; head ${hashes.at(-1)}.`,
          );
        }
        return { lease: whole, redone: steps.length - done, differences: differences.slice(0, 5) };
      });
    },

    /** The work as a patch against the commit that the problem began with. Reads only. */
    async extractPatch({ lease }: { lease: Lease }): Promise<{ patch: Ref; tree: string | null; preview: string }> {
      return withHeartbeat(async () => {
        const { base } = lease;
        if (base === null) return { preview: '', patch: await blobs.put(''), tree: null };
        const { patch, tree } = await host
          .journal(lease.container, (journal) => journal.diff(base, lease.workdir))
          .catch(asLost);
        return { preview: preview(patch.toString('utf8'), 600), patch: await blobs.put(patch), tree };
      });
    },

    /** Pushes a frame onto the run's stack. Retry-safe: see `checkpoint`. */
    async checkpointSandbox(input: CheckpointInput): Promise<Frame> {
      return withHeartbeat(() =>
        host.journal(input.lease.container, (journal) =>
          checkpoint(host.docker, host.docker.getContainer(input.lease.container), journal, input),
        ),
      );
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
        host.forget(lease.container);
        await restore(host.docker, host.specOf({ owner, role: ROLE, workdir: lease.workdir, profile }), frame);
        await dropFrames(host.docker, owner, input.above);
      });
    },

    /** Removes frames of the run's stack. Retry-safe: what is gone counts as removed. */
    async dropFrames(input: { owner: Owner; indexes: readonly number[] }): Promise<void> {
      return withHeartbeat(() => dropFrames(host.docker, input.owner, input.indexes));
    },

    /** Removes all that the run owns on this host. Retry-safe: what is gone counts as removed. */
    async releaseSandbox({ owner }: { owner: Owner }): Promise<void> {
      return withHeartbeat(async () => {
        await host.removeAll(owner.firstRunId);
      });
    },
  };
}

function workdirOf(lease: Lease): { workdir?: string } {
  return lease.base === null ? {} : { workdir: lease.workdir };
}

function fromJournal(result: CommandResult): Pick<Outcome, 'output' | 'elidedBytes' | 'durationMs' | 'tree'> {
  const { output, elidedBytes, durationMs, tree } = result;
  return { output, elidedBytes, durationMs, tree };
}

function asLost(error: unknown): never {
  if (error instanceof Diverged) throw new SwitchyardError('SandboxLost', error.message);
  throw error;
}
