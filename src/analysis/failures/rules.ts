import type { FailureCategory, SeenStep } from '../../contract';
import { pipelinesOf } from '../../dataset/pipelines';
import { repetitionOf } from '../../dataset/repetition';
import { actionLine } from '../../rollout/summary';
import { endingOf, type FailureEvidence, SUBMITTED } from './evidence';

export const RULES = 'builtin:rules';

export interface RuledFailure {
  readonly category: FailureCategory;
  readonly description: string;
}

/** Of the characters that a run was shown, the share from which listings are what filled its context. */
const OVERFLOWING = 0.5;

/**
 * What can be decided without a model, in this order: code that does not parse; for a run that never submitted, a context that
 * listings filled, one action over and over, endless reading, calls that were no calls. Everything else is `other`, and says
 * that no rule decides it. Only repetition that lasts into the last turns counts: what a run got over is not why it failed.
 */
export function judgeByRules(evidence: FailureEvidence, lastTurns: number): RuledFailure {
  const broken = syntaxError(evidence);
  if (broken) return { category: 'syntax_error', description: broken };
  if (evidence.status !== SUBMITTED) {
    const listings = evidence.status === 'limit_context' ? overflow(evidence.steps) : undefined;
    if (listings) return { category: 'context_overflow_from_listing', description: listings };
    const repetition = repetitionOf(evidence.steps);
    if (repetition && repetition.run.last > evidence.steps.length - lastTurns) {
      const category = repetition.reason === 'identical_actions' ? 'infinite_loop' : 'endless_file_reading';
      return { category, description: capital(repetition.detail) };
    }
    if (evidence.status === 'format_exhausted') return { category: 'tool_error', description: endingOf(evidence) };
  }
  return {
    category: 'other',
    description: `No rule decides this one; a model as judge would say more. ${endingOf(evidence)}`,
  };
}

/** Files left unreadable, or a test run that stopped at one of the changed files. */
function syntaxError({ unparsable, patch, testLog }: FailureEvidence): string | undefined {
  if (unparsable.length > 0) return `Left in a state that Python cannot read: ${unparsable.join(', ')}.`;
  const changed = [...patch.matchAll(/^\+\+\+ (?:b\/)?(\S+\.py)\s*$/gm)].map(([, path]) => path!);
  const lines = testLog.split('\n');
  for (const [at, line] of lines.entries()) {
    if (!/^\s*(?:E\s+)?(?:SyntaxError|IndentationError|TabError)\b/.test(line)) continue;
    // The lines above it say where; code that is only about syntax errors has no changed file there.
    const path = changed.find((each) => lines.slice(Math.max(0, at - 6), at + 1).some((near) => near.includes(each)));
    if (path !== undefined) return `The tests stop at ${path}: ${line.replace(/^\s*(?:E\s+)?/, '').slice(0, 200)}.`;
  }
  return undefined;
}

function overflow(steps: readonly SeenStep[]): string | undefined {
  const all = steps.reduce((sum, { observation }) => sum + observation.length, 0);
  const listings = steps.filter(isListing);
  const listed = listings.reduce((sum, { observation }) => sum + observation.length, 0);
  if (all === 0 || listed / all < OVERFLOWING) return undefined;
  const largest = listings.reduce((best, step) => (step.observation.length > best.observation.length ? step : best));
  return (
    `${listings.length} listings make ${Math.round((listed / all) * 100)} % of what it was shown; the largest, ` +
    `${largest.observation.length} characters, came of: ${actionLine(largest.turn.action)}.`
  );
}

/** Programs that print names of files, or lines of many files. */
const LISTERS = new Set(['ls', 'find', 'tree', 'grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack', 'fd', 'du']);

function isListing({ turn, observation }: SeenStep): boolean {
  const { tool, args } = turn.action;
  if (tool === 'str_replace_editor')
    return args.command === 'view' && /^Here's the files and directories/.test(observation);
  if (tool !== 'bash' || typeof args.command !== 'string') return false;
  return pipelinesOf(args.command).some(([first]) => {
    const [program = '', argument = ''] = first?.words ?? [];
    const name = program.slice(program.lastIndexOf('/') + 1);
    return LISTERS.has(name) || (name === 'git' && ['ls-files', 'ls-tree', 'grep'].includes(argument));
  });
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
