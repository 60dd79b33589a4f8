import type { SetupAction } from '../../../src/contract';
import type { Suggestion } from '../../../src/contract/experience';
import { errorSignature } from '../../../src/setup/error-signature';
import { playbook } from '../../../src/setup/playbook/playbook';
import { surveyOf } from '../../../src/setup/repository/markers';
import { NO_COUNTS, type Observed, type SeenAction, type SetupDossier } from '../../../src/setup/roles/role';

export const OK: Observed = { exitCode: 0, output: '', timedOut: false };
export const failed = (output: string): Observed => ({ exitCode: 1, output, timedOut: false });

export function dossierOf(files: Readonly<Record<string, string>>, more: Partial<SetupDossier> = {}): SetupDossier {
  return {
    source: 'dir:/x',
    version: null,
    released: null,
    goal: '',
    workdir: '/repo',
    survey: surveyOf(Object.entries(files)),
    components: [],
    services: [],
    wanted: [],
    seen: [],
    suggestions: [],
    verified: null,
    stepsLeft: 60,
    ...more,
  };
}

/** Acts until it finishes, each action answered by `meet`. What the playbook decides is real, the sandbox is not. */
export function simulate(
  first: SetupDossier,
  meet: (action: SetupAction, seen: readonly SeenAction[]) => Observed & { undone?: boolean },
  suggestions: readonly Suggestion[] = [],
  fits: (output: string) => boolean = () => true,
): { seen: SeenAction[]; end: Extract<SetupAction, { action: 'finish' }> } {
  const seen: SeenAction[] = [];
  const tried = new Set<string>();
  let verified: SetupDossier['verified'] = null;
  let error = '';
  for (;;) {
    const last = seen.at(-1);
    const offered =
      last &&
      (last.undone || last.move.action === 'rollback' || (last.observed.exitCode !== 0 && fits(last.observed.output)))
        ? suggestions
        : [];
    const stepsLeft = first.stepsLeft - seen.length;
    // As the loop does: what was tried for this error, or stands, is not suggested.
    const open = offered.filter(({ unit }) => !tried.has(`${error}\n${unit}`) && !tried.has(unit));
    const action = playbook({ ...first, seen, suggestions: open, verified, stepsLeft });
    if (action.action === 'finish') return { seen, end: action };
    const { undone = false, ...observed } = meet(action, seen);
    if (action.action === 'try_experience' && !open.some(({ unit }) => unit === action.unit))
      throw new Error(`${action.unit} was not suggested`);
    if (action.action === 'try_experience') tried.add(undone ? `${error}\n${action.unit}` : action.unit);
    else if (action.action !== 'rollback') error = observed.exitCode === 0 ? '' : errorSignature(observed.output);
    if (action.action === 'verify') {
      const empty = { framework: null, counts: NO_COUNTS, evidence: null, failures: [], smoke: false, head: '' };
      verified = { ...empty, success: observed.exitCode === 0, hint: observed.output };
    }
    // One frame for each unit, as far as this goes.
    const from =
      action.action === 'rollback'
        ? seen.findLastIndex(({ move, undone }) => move.action === 'try_experience' && !undone)
        : -1;
    if (from >= 0) for (let at = from; at < seen.length; at++) seen[at] = { ...seen[at]!, undone: true };
    seen.push({ move: action, observed, turn: seen.length + 1, undone, notes: [] });
    if (seen.length > 400) throw new Error('the playbook does not end');
  }
}

export function textOf(action: SetupAction): string {
  if (action.action === 'shell') return action.command;
  if (action.action === 'try_experience') return action.unit;
  return action.action === 'set_env' ? `${action.key}=${action.value}` : action.action;
}
