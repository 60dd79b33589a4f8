import type { SetupAction } from '../../contract';
import { errorSignature } from '../error-signature';
import type { SetupDossier, SetupPolicy } from '../roles/role';
import { decide, type Knowledge } from './diagnosis';
import type { Goal, Project } from './goal';
import { knowledgeFor, planFor, projectsOf } from './plan';
import { marked, Progress } from './progress';

/** Attempts and remedies of one goal: past them a ladder of errors leads nowhere. */
const MOST_ATTEMPTS = 20;
const MOST_FIXES = 40;

/**
 * `builtin:playbook`, the set-up agent without a model: a plan of goals for the ecosystem of the repository, and on a
 * failure a table that reads the cause and knows a remedy, or a unit of experience. Pure: where it stands follows from the
 * steps that it is shown. It never tries the same remedy twice for the same thing, so it ends: verified, or giving up with
 * the error that is left.
 */
export const playbook: SetupPolicy = (dossier) => {
  const progress = new Progress(dossier);
  const plan = projectsOf(dossier).flatMap((project) => planFor(project).map((goal) => ({ project, goal })));
  for (const [at, { project, goal }] of plan.entries()) {
    if (goal.optional && isTooLate(plan.slice(at + 1), progress, dossier)) continue;
    const action = towards(goal, project, knowledgeFor(project), progress, dossier);
    if (action !== 'next') return action;
  }
  return { action: 'finish', thought: 'Every goal is reached.', message: reportOf(dossier), success: true };
};

/** What is optional may cost no step that the rest of the plan needs: only a `verify` ends it well. */
function isTooLate(rest: readonly { goal: Goal }[], progress: Progress, { stepsLeft }: SetupDossier): boolean {
  if (stepsLeft >= rest.length) return false;
  return rest.filter(({ goal }) => !goal.optional && progress.stateOf(goal).kind !== 'reached').length > stepsLeft;
}

/** The next action for a goal, or `next` when it is reached or given up as optional. */
function towards(
  goal: Goal,
  project: Project,
  knowledge: Knowledge,
  progress: Progress,
  dossier: SetupDossier,
): SetupAction | 'next' {
  const state = progress.stateOf(goal);
  const ways = progress.waysOf(goal.id);
  const attempt = (words: readonly string[], say: string) =>
    marked(goal.act(waysFrom(words)), 'goal', goal.id, words, say) as SetupAction;
  const words = [...ways].map((way) => way.join('='));
  switch (state.kind) {
    case 'reached':
      return 'next';
    case 'open':
      return attempt(words, goal.say);
    case 'again':
      if (progress.attempts(goal.id).length < MOST_ATTEMPTS)
        return attempt(words, `${goal.say} Again, as something was mended.`);
      return goal.optional ? 'next' : giveUp(goal, 'too many errors one after the other');
    case 'failed': {
      const spoiled = progress.spoiled(goal.id);
      if (spoiled !== null) {
        const act = { action: 'rollback' as const, frames: 1 };
        return marked(act, 'fix', goal.id, [`harm:${spoiled.key}`], `${spoiled.why}: take it back.`) as SetupAction;
      }
      const tired = progress.fixesOf(goal.id) >= MOST_FIXES || progress.attempts(goal.id).length >= MOST_ATTEMPTS;
      const { suggestions } = dossier;
      const predicament = { project, goal, ways, text: state.text, worlds: progress.worldsOf(goal.id), suggestions };
      const decision = tired ? null : decide(predicament, knowledge, progress);
      if (decision?.kind === 'unit') {
        const { unit, command, why } = decision;
        const act = { action: 'try_experience' as const, unit, ...(command ? { command } : {}), why };
        return marked(
          act,
          'fix',
          goal.id,
          [`unit:${decision.unit}`],
          `Experience fits this error: ${decision.why}.`,
        ) as SetupAction;
      }
      const fix = decision?.fix;
      if (fix && 'way' in fix) {
        const [slot, value] = fix.way;
        return attempt([...words.filter((word) => !word.startsWith(`${slot}=`)), `${slot}=${value}`], decision.say);
      }
      if (decision && fix) return marked(fix.act, 'fix', goal.id, decision.keys, decision.say) as SetupAction;
      const unit = progress.standingUnit(goal.id);
      if (unit) {
        const act = { action: 'rollback' as const, frames: 1 };
        const key = [`rollback:${unit}:${progress.fixesOf(goal.id)}`];
        return marked(act, 'fix', goal.id, key, `${unit} did not lead on: take it back.`) as SetupAction;
      }
      if (goal.optional) return 'next';
      return giveUp(
        goal,
        state.timedOut ? 'it ran past its deadline' : errorSignature(state.text) || 'it failed without a word',
      );
    }
    default:
      return state satisfies never;
  }
}

function waysFrom(words: readonly string[]): Map<string, string> {
  return new Map(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
}

function giveUp(goal: Goal, reason: string): SetupAction {
  return {
    action: 'finish',
    thought: 'No remedy is left that was not tried.',
    message: `${goal.id} cannot be reached: ${reason}`,
    success: false,
  };
}

function reportOf({ verified }: SetupDossier): string {
  if (!verified) return 'Everything is installed.';
  const { passed, failed, skipped } = verified.counts;
  return `Everything is installed; ${verified.framework ?? 'the smoke test'}: ${passed} passed, ${failed} failed, ${skipped} skipped.`;
}
