import { profileNamed } from '../../config';
import { type Edit, isPointsmanError, type Lease, PointsmanError, type Step, type Turn } from '../../contract';
import type { Deps } from '../../deps';
import { TOOLS } from '../../rollout/tools';
import { planEdit } from '../../rollout/tools/edit-plan';
import { EditorArgs, lastUndoable } from '../../rollout/tools/editor';
import { reviewedSinceLastEdit, submitDecision } from '../../rollout/tools/submit';
import type { CommandResult, Journal } from '../../sandbox/sandbox';
import { promptsFor } from '../prompts';
import { createGuard, diskNote } from './guard';

/** A step's job is named by its turn, so a step that is run again anywhere finds what it did. */
export function jobOf(turn: Turn, hash: string): string {
  return `${turn.turn}-${hash.slice(0, 20)}`;
}

/** One turn to perform, after `steps`. */
export interface Performance {
  readonly lease: Lease;
  readonly steps: readonly Step[];
  /** Hash of the last of `steps`. */
  readonly parent: string;
  readonly job: string;
  readonly turn: Turn;
  /** Time limit of a command. */
  readonly seconds: number;
  /** What is asked next of who submits, where it is not the end. */
  readonly next?: string | undefined;
}

export interface Performed {
  readonly step: Step;
  readonly durationMs: number;
  readonly submitted: boolean;
}

type Place = Performance & { readonly after: string };

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

/** What makes a step out of a turn: performing its action in the sandbox, as one named job of the journal. */
export function createPerformer(deps: Deps) {
  const { blobs, config } = deps;
  const guarded = createGuard(deps);

  async function command(journal: Journal, place: Place, line: string): Promise<Outcome> {
    const result = await journal.run({
      id: place.job,
      after: place.after,
      command: line,
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
    const plan = planEdit(args, seen, { cwd, parentExists: seen.parentExists, undo });
    const { write } = plan;
    if (!write) return record(journal, place, { text: plan.observation, exitCode: plan.exitCode });
    const bytes = 'bytes' in write ? write.bytes : undefined;
    // Side by side: a store may be a network away.
    const [before, after] = await Promise.all([
      seen.kind === 'file' ? blobs.put(seen.bytes) : null,
      bytes ? blobs.put(bytes) : null,
    ]);
    return record(
      journal,
      place,
      { text: plan.observation, exitCode: plan.exitCode, edit: { path: args.path, before, after } },
      { kind: bytes ? 'write' : 'delete', path: args.path, bytes },
    );
  }

  async function submit(journal: Journal, place: Place): Promise<Outcome> {
    const { view } = profileNamed(config, place.turn.profile);
    const diff = place.lease.base ? await shownDiff(journal, place.lease.base, place.lease.workdir) : '';
    const decision = submitDecision({
      reviewEnabled: view.reviewOnSubmit,
      reviewed: reviewedSinceLastEdit(place.steps),
      diff,
      review: promptsFor(view)['submit-review'],
    });
    const text = decision.kind === 'review' ? decision.observation : (place.next ?? '');
    return record(journal, place, { text, exitCode: 0, submitted: decision.kind === 'accepted' });
  }

  async function act(journal: Journal, place: Place): Promise<Outcome> {
    const { tool, args } = place.turn.action;
    const does = TOOLS.get(tool)?.does;
    switch (does?.kind) {
      case 'command':
        return command(journal, place, does.command(args));
      case 'edit':
        return edit(journal, place, EditorArgs.parse(args));
      case 'submit':
        return submit(journal, place);
      case undefined:
        throw new PointsmanError(
          'InvalidInput',
          `no tool "${tool}" runs in a sandbox`,
          'Register it in rollout/tools.',
        );
      default:
        return does satisfies never;
    }
  }

  /** Performs the turn and gives the step that it makes. */
  return async function perform(given: Performance, signal: AbortSignal): Promise<Performed> {
    const { lease, steps, turn, parent, job } = given;
    const place = { ...given, after: steps.at(-1)?.job ?? lease.origin };
    const { value: outcome, full } = await guarded(place, signal, (journal) => act(journal, place));
    const output = full ? Buffer.concat([outcome.output, diskNote(lease)]) : outcome.output;
    const step: Step = {
      kind: 'step',
      parent,
      turn,
      observation: {
        text: await blobs.put(output),
        exitCode: outcome.exitCode,
        timedOutAfter: outcome.timedOutAfter,
        elidedBytes: outcome.elidedBytes,
      },
      ...(outcome.edit ? { edit: outcome.edit } : {}),
      workspace: outcome.tree,
      job,
    };
    return { step, durationMs: outcome.durationMs, submitted: outcome.submitted ?? false };
  };
}

function workdirOf(lease: Lease): { workdir?: string } {
  return lease.base === null ? {} : { workdir: lease.workdir };
}

/** What is submitted, as the review shows it. */
async function shownDiff(journal: Journal, base: string, workdir: string): Promise<string> {
  try {
    return (await journal.diff(base, workdir)).patch.toString('utf8');
  } catch (error) {
    if (isPointsmanError(error) && error.code === 'TooLarge') return `(${error.message})`;
    throw error;
  }
}

function fromJournal(result: CommandResult): Pick<Outcome, 'output' | 'elidedBytes' | 'durationMs' | 'tree'> {
  const { output, elidedBytes, durationMs, tree } = result;
  return { output, elidedBytes, durationMs, tree };
}
