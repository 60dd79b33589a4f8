import {
  type Atom,
  type SetupMoment,
  type Suggestion,
  type TrialRecord,
  type UnitVerdict,
  Verdict3,
} from '../../contract';
import { errorSignature, errorSignatures } from '../error-signature';
import { changesEnvironment, parts, plain, repeats } from './commands';

/** What was shown, and what the agent was stuck on when it was. */
export interface AuditAnchor {
  readonly units: readonly Pick<Suggestion, 'unit' | 'commands' | 'advice' | 'atoms'>[];
  readonly error: string;
  readonly command: string | null;
}

/** Steps after a retrieval that an audit looks at (the paper's equation 4). */
export const AUDITED_STEPS = 5;

/**
 * Delayed audit without a model. A unit was adopted when it was tried by its id or when a later command does what its
 * commands do. Adopted and taken back, or the same error again: failure. The failed command run again without its error:
 * success. Adopted and never put to the test: neutral, because an exit code of 0 proves nothing.
 */
export function auditByRules(anchor: AuditAnchor, moments: readonly SetupMoment[]): UnitVerdict[] {
  const window = moments.slice(0, AUDITED_STEPS);
  return anchor.units.map((shown) => {
    const at = window.findIndex((moment) => adopted(shown, moment));
    if (at === -1) return { unit: shown.unit, verdict: 'neutral', why: 'not adopted' };
    return { unit: shown.unit, ...outcome(anchor, window, at) };
  });
}

function outcome(
  anchor: AuditAnchor,
  window: readonly SetupMoment[],
  at: number,
): Pick<UnitVerdict, 'verdict' | 'why'> {
  const moment = window[at]!;
  const before = errorSignature(anchor.error);
  if (moment.undone) return { verdict: 'failure', why: `adopted in turn ${moment.turn} and rolled back` };
  const test = window
    .slice(at)
    .find(
      ({ command, undone }) =>
        !undone && command !== null && anchor.command !== null && repeats(command, anchor.command),
    );
  if (test) {
    const after = test.exitCode === 0 ? [] : errorSignatures(test.output);
    if (before !== '' && after.includes(before)) {
      return { verdict: 'failure', why: `the same error again in turn ${test.turn}: ${before}` };
    }
    if (test.exitCode === 0) return { verdict: 'success', why: `the failed command passed in turn ${test.turn}` };
    // The command repeated in one go with the fix may not have come as far as before.
    if (test === moment && before !== '')
      return { verdict: 'neutral', why: 'another error in the step that adopted it' };
    return {
      verdict: 'success',
      why: `the error is gone in turn ${test.turn}; what fails now is ${after[0] ?? 'something else'}`,
    };
  }
  if (moment.exitCode !== 0 && moment.exitCode !== null) {
    return {
      verdict: 'failure',
      why: `adopted in turn ${moment.turn}, which failed: ${errorSignature(moment.output)}`,
    };
  }
  return { verdict: 'neutral', why: `adopted in turn ${moment.turn}, but the failed command was not run again` };
}

function adopted(shown: AuditAnchor['units'][number], moment: SetupMoment): boolean {
  if (moment.unit !== undefined) return moment.unit === shown.unit;
  const { command } = moment;
  if (command === null) return false;
  if (shown.atoms.some((atom) => makesWorld(command, atom))) return true;
  const done = parts(command).filter(changesEnvironment).flatMap(subjects);
  return shown.commands.some((advised) => {
    const wanted = parts(advised).filter(changesEnvironment).flatMap(subjects);
    return wanted.length > 0 && wanted.every((word) => done.includes(word));
  });
}

/** Whether a command takes packages as of a day, and apart from it what the atom says. */
function makesWorld(command: string, { name, args }: Atom): boolean {
  if (name !== 'dated_world' || !/--exclude-newer[ =]\d{4}/.test(command)) return false;
  const { runner = '', newer = {} } = args as { runner?: string; newer?: object };
  return (
    command.includes(`pytest${runner}`) &&
    Object.keys(newer).every((each) => command.includes(`--exclude-newer-package ${each}=`))
  );
}

/** What a part is about: the names it installs or sets, without versions and options. */
function subjects(part: string): string[] {
  const words = plain(part)
    .split(' ')
    .slice(1)
    .filter((word) => !word.startsWith('-') && !/^(?:install|add|update|-y|i)$/.test(word))
    .map((word) =>
      word
        .replace(/^['"]|['"]$/g, '')
        .replace(/(?:\[[^[\]]*\])?[=<>~!@].*$/s, '')
        .toLowerCase(),
    )
    .filter(Boolean);
  return words;
}

interface Trials {
  /** Ids of what was shown. */
  readonly shown: readonly string[];
  readonly trials: readonly TrialRecord[];
  /** Turns that were taken back. */
  readonly undone: ReadonlySet<number>;
}

/**
 * What a unit's own trial showed outweighs what anybody reads out of the steps. One that did not stay and had not failed
 * showed nothing that the steps after it could be about: another unit was kept, or nobody can tell. Of what stayed, and
 * was neutral or taken back later, the steps may tell more.
 */
export function withTrials(verdicts: readonly UnitVerdict[], { shown, trials, undone }: Trials): UnitVerdict[] {
  return shown.flatMap((unit): UnitVerdict[] => {
    const trial = trials.find((each) => each.unit === unit);
    const read = verdicts.filter((each) => each.unit === unit);
    if (!trial) return read;
    const { outcome, kept, turn } = trial;
    if (outcome === 'failure')
      return [{ unit, verdict: 'failure', why: `the failed command failed as before after its trial in turn ${turn}` }];
    if (!kept) return [{ unit, verdict: 'neutral', why: `its trial in turn ${turn} was not kept` }];
    if (outcome === 'neutral' || undone.has(turn)) return read;
    return [{ unit, verdict: 'success', why: `the failed command came further after its trial in turn ${turn}` }];
  });
}

export interface CheckedAudit {
  readonly accepted: UnitVerdict[];
  readonly refused: { readonly unit: string; readonly why: string }[];
}

/**
 * Verdicts as they may be booked. One about a unit that was not recommended, a second one about the same unit and one that
 * is not readable are refused each by itself: the others stand.
 */
export function checkedAudit(recommended: readonly string[], verdicts: unknown): CheckedAudit {
  const accepted: UnitVerdict[] = [];
  const refused: { unit: string; why: string }[] = [];
  for (const item of Array.isArray(verdicts) ? verdicts : []) {
    const { unit, verdict, why } = (item ?? {}) as Record<string, unknown>;
    const read = Verdict3.safeParse(verdict);
    const refuse = (reason: string) => refused.push({ unit: typeof unit === 'string' ? unit : '', why: reason });
    if (typeof unit !== 'string') refuse('names no unit');
    else if (!recommended.includes(unit)) refuse('was not recommended');
    else if (!read.success) refuse(`${JSON.stringify(verdict) ?? 'nothing'} is no verdict`);
    else if (accepted.some((each) => each.unit === unit)) refuse('has a verdict already');
    else accepted.push({ unit, verdict: read.data, why: typeof why === 'string' ? why.slice(0, 500) : '' });
  }
  return { accepted, refused };
}
