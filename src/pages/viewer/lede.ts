import { needsExpert } from '../../rollout/handover';
import { count } from '../figures';
import type { GradeView, RunLine, RunPage, TurnView } from './payload';

/** What a run is and how it went, in a few sentences for somebody who has never seen one. */
export function ledeOf({ line, live, phase, turns, grade, policy }: RunPage): string {
  if (line.kind === 'setup') return setupLede(line, live, phase, turns);
  const parts = [
    live
      ? `Running${phase ? ` (${phase.toLowerCase()})` : ''}: ${count(turns.length, 'turn')} so far.`
      : endingOf(line, turns.length),
    authorsOf(turns, line, policy !== null && !needsExpert(policy)),
    grade ? gradeSentence(grade) : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const ENDINGS: Readonly<Record<string, string>> = {
  submitted: 'The agent submitted its work',
  limit_steps: 'It was ended at its limit of steps',
  limit_cost: 'It was ended at its limit of cost',
  limit_context: 'It was ended because the history no longer fits the model',
  limit_tokens: 'It was ended at its limit of tokens',
  limit_wall_clock: 'It was ended at its limit of time',
  format_exhausted: 'It was ended after too many replies that could not be read',
  timeouts_exhausted: 'It was ended after too many commands that had to be killed',
  sandbox_lost: 'Its sandbox was lost and could not be rebuilt',
  tampered: 'It was ended because a command tampered with the record of results in its sandbox',
  model_rejected: 'The provider refused its requests',
  budget_exhausted: 'It was ended because the budget above it was used up',
  cancelled: 'It was cancelled',
  failed: 'It failed',
  skipped: 'It was planned and never ran',
  terminated: 'It was terminated',
  'timed out': 'Its workflow timed out',
  chain: 'A chain of steps, without its workflow',
};

function endingOf({ status }: RunLine, turns: number): string {
  const said = ENDINGS[status] ?? `It ended as ${status.replaceAll('_', ' ')}`;
  return turns === 0 ? `${said}.` : `${said} after ${count(turns, 'turn')}.`;
}

/** Turns in a row by one author. */
export interface Stretch {
  readonly who: TurnView['who'];
  readonly from: number;
  readonly to: number;
  /** Index of its first turn. */
  readonly index: number;
}

export function stretches(turns: readonly TurnView[]): Stretch[] {
  const found: { -readonly [name in keyof Stretch]: Stretch[name] }[] = [];
  for (const [index, { who, turn }] of turns.entries()) {
    const last = found.at(-1);
    if (last?.who === who) last.to = turn;
    else found.push({ who, from: turn, to: turn, index });
  }
  return found;
}

function authorsOf(turns: readonly TurnView[], { k, handOverReason: why }: RunLine, never: boolean): string {
  const parts = stretches(turns);
  const [first, second] = parts;
  if (!first) return '';
  const drawn = k === null || never ? '' : ` (k = ${k})`;
  const because = why === null ? drawn : why === 'person' ? ', as a person wished' : `: ${ENDED[why] ?? why}`;
  if (!second) {
    if (first.who === 'expert') return `The expert made every turn${because}.`;
    return never || k === null
      ? 'The student made every turn.'
      : `The student made every turn: the hand-over${drawn} did not come.`;
  }
  if (parts.length > 2) return `Student and expert took turns, with ${parts.length - 1} hand-overs.`;
  const made = first.to === first.from ? `turn ${first.to}` : `turns ${first.from}–${first.to}`;
  return `The ${first.who} made ${made}, then the ${second.who} took over${because}.`;
}

/** How a student's own part ended. */
const ENDED: Readonly<Record<string, string>> = {
  format_exhausted: 'replies of the student could not be read',
  limit_context: 'the history no longer fitted the student',
  model_rejected: 'the provider refused the requests of the student',
};

const VERDICTS: Readonly<Record<string, string>> = {
  patch_failed: 'Its patch does not apply.',
  no_tests: 'No test was run, which is no pass.',
  timed_out: 'The tests did not end in time.',
  bribed: 'A test passes with a wrong expectation, so its passes say nothing.',
  controls_incomplete: 'All tests pass; some could not be tried with a wrong expectation.',
};

function gradeSentence({ verdict, groups }: GradeView): string {
  const [asked, kept] = groups;
  if (verdict !== 'graded' || !asked || !kept) return VERDICTS[verdict] ?? '';
  const first = `${asked.passed} of ${count(asked.total, 'test')} that had to be mended ${asked.passed === 1 ? 'passes' : 'pass'}`;
  const broken = kept.total - kept.passed;
  const second =
    kept.total === 0
      ? ''
      : broken === 0
        ? '; nothing that passed before is broken'
        : `; ${count(broken, 'test')} that passed before ${broken === 1 ? 'fails' : 'fail'}`;
  return `${first}${second}.`;
}

function setupLede({ status }: RunLine, live: boolean, phase: string | null, turns: readonly TurnView[]): string {
  const undone = turns.filter(({ undoneBy }) => undoneBy !== null).length;
  const state = live
    ? `Setting up${phase ? ` (${phase.toLowerCase()})` : ''}`
    : `The set-up ended ${status.replaceAll('_', ' ')}`;
  const back = undone === 0 ? '' : ` Snapshots took ${count(undone, 'turn')} back.`;
  return `${state} after ${count(turns.length, 'turn')}.${back}`;
}
