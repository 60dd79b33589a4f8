import { errorSignature } from '../error-signature';
import type { SetupDossier } from '../roles/role';
import { readCounts } from '../test-output';
import type { Act, Goal, Predicament, Ways } from './goal';
import { isBetter, isWorse, type Outcome, type World, type WorldTrial, worldOf } from './worlds';

type SeenAction = SetupDossier['seen'][number];

/** Begins the word of a fix that names the unit which told of it. */
export const TAUGHT = 'taught:';

/** Frames are taken for other reasons too, so one rollback may not reach back to before a unit. */
const MOST_ROLLBACKS = 4;

/** A step of ours, read back from the thought that it was made with. */
interface Step {
  readonly kind: 'goal' | 'fix';
  readonly goal: string;
  /** Of a goal: its ways. Of a fix: its key, and where it is for several things at once, the key of each. */
  readonly words: readonly string[];
  readonly seen: SeenAction;
}

/**
 * The thought of a step begins with a mark that says what it is for, so what was done and tried is read from the steps
 * themselves and the policy needs no memory: `[goal python/project install=plain] …`, `[fix python/tests module:yaml] …`.
 */
export function marked(
  act: Act,
  kind: Step['kind'],
  goal: string,
  words: readonly string[],
  say: string,
): Act & { thought: string } {
  return { ...act, thought: `[${[kind, goal, ...words.map(encodeURI)].join(' ')}] ${say}` };
}

function stepOf(seen: SeenAction): Step | null {
  const mark = /^\[(goal|fix) (\S+)((?: [^\]\s]+)*)\]/.exec(seen.move.thought);
  if (!mark) return null;
  return {
    kind: mark[1] as Step['kind'],
    goal: mark[2]!,
    words: mark[3]!.split(' ').filter(Boolean).map(decoded),
    seen,
  };
}

function decoded(word: string): string {
  try {
    return decodeURI(word);
  } catch {
    return word;
  }
}

export type GoalState =
  | { readonly kind: 'open' }
  | { readonly kind: 'reached' }
  /** Something was mended since it failed. */
  | { readonly kind: 'again' }
  | { readonly kind: 'failed'; readonly text: string; readonly timedOut: boolean };

/** What was done so far, and with what result. Undone steps count as tried, and not as done. */
export class Progress {
  private readonly steps: readonly Step[];

  constructor(private readonly dossier: Pick<SetupDossier, 'seen' | 'verified'>) {
    this.steps = dossier.seen.map(stepOf).filter((step) => step !== null);
  }

  stateOf({ id }: Goal): GoalState {
    const attempts = this.attempts(id);
    if (attempts.length === 0) return { kind: 'open' };
    if (attempts.some((attempt) => this.worked(attempt))) return { kind: 'reached' };
    // What a rollback brought back failed as it had before, and doing it once more would only show that again.
    const last = attempts.findLast(({ seen }) => !seen.undone && seen.move.action !== 'verify') ?? attempts.at(-1)!;
    if (this.ok(last)) return { kind: 'again' };
    const after = this.steps.slice(this.steps.indexOf(last) + 1).filter((step) => step.goal === id);
    if (last.seen.undone && after.some(isRollback)) return { kind: 'again' };
    const since = after.filter((step) => !isRollback(step) && !isAttempt(step));
    if (since.some((step) => this.worked(step))) return { kind: 'again' };
    const trouble = since.findLast(({ seen }) => !seen.undone);
    return {
      kind: 'failed',
      // A remedy that failed says what the remedy needs; then comes what it was for.
      text: [trouble ? this.textOf(trouble) : '', this.textOf(last)].filter(Boolean).join('\n'),
      timedOut: last.seen.observed.timedOut,
    };
  }

  attempts(goal: string): readonly Step[] {
    return this.steps.filter((step) => step.kind === 'goal' && step.goal === goal);
  }

  /** Ways are chosen for a project, by whichever of its goals met the reason: what follows goes the same way. */
  waysOf(goal: string): Ways {
    const words = this.attemptsOfProject(goal).flatMap((step) => step.words);
    return new Map(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  }

  /** Whether a way was taken before, even if another has replaced it. */
  tookWay(goal: string, way: string): boolean {
    return this.attemptsOfProject(goal).some(({ words }) => words.includes(way));
  }

  private attemptsOfProject(goal: string): readonly Step[] {
    // What is of no project, as `verify`, comes after the main one's goals and goes their ways.
    const of = goal.includes('/') ? goal : this.steps.findLast((step) => step.goal.includes('/'))?.goal;
    if (of === undefined) return [];
    const project = of.slice(0, of.indexOf('/') + 1);
    return this.steps.filter((step) => step.kind === 'goal' && step.goal.startsWith(project));
  }

  /** Whether a remedy, alone or with others at once, ran without an error: then it has done what it can do. */
  helped(key: string): boolean {
    return this.steps.some((step) => step.kind === 'fix' && step.words.includes(key) && this.ok(step));
  }

  /**
   * Whether trying a remedy (again) is pointless: it worked once, or failed and nothing was mended since, or failed twice.
   * The same action for another reason counts as the same.
   */
  spent(key: string, act: Act | null): boolean {
    const tries = this.steps.filter(
      (step) => step.kind === 'fix' && (step.words[0] === key || (act !== null && isSame(step.seen.move, act))),
    );
    const last = tries.at(-1);
    if (!last) return false;
    if (tries.length >= 2 || tries.some((step) => this.ok(step))) return true;
    return !this.steps.slice(this.steps.indexOf(last) + 1).some((step) => this.worked(step));
  }

  fixesOf(goal: string): number {
    return this.steps.filter((step) => step.kind === 'fix' && step.goal === goal).length;
  }

  /** The newest unit that was tried for a goal and is still in force, unless it was rolled back often enough in vain. */
  standingUnit(goal: string): string | null {
    const fixes = this.steps.filter((step) => step.kind === 'fix' && step.goal === goal);
    if (this.rollbacksOf(goal) >= MOST_ROLLBACKS) return null;
    const unit = fixes.filter(({ seen }) => seen.move.action === 'try_experience' && !seen.undone).at(-1);
    if (unit?.seen.move.action !== 'try_experience' || this.gainedSince(unit)) return null;
    return unit.seen.move.unit;
  }

  /**
   * The remedy that is to be taken back, and why: the one that the newest attempt of a goal followed at once, where that
   * attempt ran fewer tests well than the one before it; a world that could not be made, or that is no better. Only where one
   * frame back is the state before this remedy; null for any other, and when that was done in vain often enough.
   */
  spoiled(goal: string): { readonly key: string; readonly why: string } | null {
    const last = this.steps.at(-1);
    if (!last || last.goal !== goal || last.seen !== this.dossier.seen.at(-1) || last.seen.undone) return null;
    // The frame before a `verify` has nothing after it; any other attempt with a frame would only be taken back itself.
    if (last.kind === 'fix') {
      const failed = worldIn(last) && isFramed(last) && last.seen.observed.exitCode !== 0;
      return failed ? { key: last.words[0]!, why: 'it cannot be made' } : null;
    }
    const fix = this.steps.at(-2);
    if (fix?.kind !== 'fix' || fix.goal !== goal || fix.seen !== this.dossier.seen.at(-2)) return null;
    if (!isFramed(fix) || isFramed(last) || fix.seen.undone) return null;
    const before = this.attempts(goal).findLast((attempt) => attempt !== last && !attempt.seen.undone);
    if (!before) return null;
    if (worldIn(fix)) {
      const better = !last.seen.observed.timedOut && isBetter(outcomeOf(last), outcomeOf(before));
      return better ? null : { key: fix.words[0]!, why: 'it is no better' };
    }
    if (last.seen.observed.timedOut || this.rollbacksOf(goal) >= MOST_ROLLBACKS) return null;
    return isWorse(outcomeOf(last), outcomeOf(before)) ? { key: fix.words[0] ?? '', why: 'it did harm' } : null;
  }

  /** Worlds that were made for the project of a goal, with what its goal showed in each, and how it stood before the first. */
  worldsOf(goal: string): Predicament['worlds'] {
    const made = this.steps.filter((step) => worldIn(step));
    const first = this.steps.indexOf(made[0]!);
    const base = this.steps.findLast(
      (step, at) => isAttempt(step) && step.goal === (made[0]?.goal ?? goal) && (first < 0 || at < first),
    );
    const trials = made.map((step): WorldTrial => {
      const next = this.steps[this.steps.indexOf(step) + 1];
      const tried = next && isAttempt(next) && next.goal === step.goal && !next.seen.observed.timedOut ? next : null;
      const isMade = step.seen.observed.exitCode === 0;
      return {
        world: worldIn(step)!,
        stands: isMade && !step.seen.undone,
        taught: step.words.some((word) => word.startsWith(TAUGHT)),
        made: step.seen.observed.output,
        outcome: isMade && tried ? outcomeOf(tried) : null,
      };
    });
    return { base: base ? outcomeOf(base) : { passed: 0, wrong: 0, first: '', output: '' }, trials };
  }

  private rollbacksOf(goal: string): number {
    return this.steps.filter(
      (step) => isRollback(step) && step.goal === goal && !step.words[0]?.startsWith('harm:world:'),
    ).length;
  }

  /** Whether more tests pass than before a fix, in what stands: then it helped, whatever still fails. */
  private gainedSince(fix: Step): boolean {
    const attempts = this.attempts(fix.goal);
    const at = this.steps.indexOf(fix);
    const before = attempts.filter((attempt) => this.steps.indexOf(attempt) < at).at(-1);
    const now = attempts.findLast(({ seen }) => !seen.undone);
    return testsOf(now).passed > testsOf(before).passed;
  }

  /** It succeeded and still stands. */
  private worked(step: Step): boolean {
    return this.ok(step) && !step.seen.undone;
  }

  private ok({ seen }: Step): boolean {
    // Only the newest verdict is about this state.
    if (seen.move.action === 'verify')
      return seen === this.dossier.seen.at(-1) && this.dossier.verified?.success === true;
    return seen.observed.exitCode === 0;
  }

  private textOf({ seen }: Step): string {
    const { verified } = this.dossier;
    if (seen.move.action !== 'verify' || !verified) return seen.observed.output;
    const failures = verified.failures.map(({ test, why }) => `${test}: ${why}`);
    return [seen.observed.output, verified.evidence?.preview ?? '', ...failures, verified.hint].join('\n');
  }
}

/** Tests that a step ran, and those of them that passed: what its output says, or what the verifier says of its own run. */
function testsOf(step: Step | undefined): { readonly ran: number; readonly passed: number } {
  const { move, observed } = step?.seen ?? {};
  if (move?.action === 'verify') {
    const [, passed = 0, failed = 0] = (/(?<!\d)(\d+) passed, (\d+) failed/.exec(observed?.output ?? '') ?? []).map(
      Number,
    );
    return { ran: passed + failed, passed };
  }
  const counts = move?.action === 'shell' && observed ? readCounts(move.command, observed.output)?.counts : undefined;
  return counts ? { ran: counts.passed + counts.failed + counts.errors, passed: counts.passed } : { ran: 0, passed: 0 };
}

const isAttempt = ({ kind }: Step) => kind === 'goal';
const isRollback = ({ kind, seen }: Step) => kind === 'fix' && seen.move.action === 'rollback';
/** The world that a step made, or tried to. */
const worldIn = ({ kind, words }: Step): World | null => (kind === 'fix' ? worldOf(words[0] ?? '') : null);

function outcomeOf(step: Step): Outcome {
  const { output } = step.seen.observed;
  const { ran, passed } = testsOf(step);
  return { passed, wrong: ran - passed, first: errorSignature(output), output };
}

/** A frame was taken before it, of which the loop says so. */
const isFramed = ({ seen }: Step) =>
  seen.move.action === 'shell' && seen.notes.some((note) => /^frame \d+ before it/.test(note));

/** Whether two actions do the same, whatever defaults a schema has filled in since. */
function isSame(move: SeenAction['move'], act: Act): boolean {
  if (move.action === 'start_service' && act.action === 'start_service') return move.service.name === act.service.name;
  if (move.action === 'shell' && act.action === 'shell') return move.command === act.command;
  return false;
}
