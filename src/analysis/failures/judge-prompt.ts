import { type ChatRequest, FailureCategory, type FailureVerdict, type SeenStep } from '../../contract';
import { preview, shortened } from '../../rollout/clip';
import { fillTemplate } from '../../rollout/prompts';
import { splitReasoning } from '../../rollout/reasoning';
import { endingOf, type FailureEvidence } from './evidence';

/** Prompt files of the judge, in `prompts/failures`. */
export const FAILURE_PROMPTS = ['system', 'run'] as const;
type FailurePrompts = Readonly<Record<(typeof FAILURE_PROMPTS)[number], string>>;

interface Shown {
  /** Turns that the judge sees, the last ones. */
  readonly lastTurns: number;
  /** Characters of the whole prompt, about. */
  readonly characters: number;
}

/** Shares of the prompt: the rest is left to the system prompt. */
const [STATEMENT, HISTORY, LEFT] = [0.15, 0.65, 0.15];
/** Of a turn, what it did before what it saw of it. */
const ACTION = 0.4;
const [MOST_STATEMENT, MOST_TURN, MOST_LEFT] = [12_000, 8_000, 12_000];

/** What a model is asked about one rollout (OEC, section 4.4 and appendix D; the words are ours). */
export function judgeRequest(
  evidence: FailureEvidence,
  prompts: FailurePrompts,
  { lastTurns, characters }: Shown,
): ChatRequest {
  const { instance, statement, steps } = evidence;
  const shown = steps.slice(-lastTurns);
  const perTurn = Math.min(MOST_TURN, Math.floor((characters * HISTORY) / Math.max(1, shown.length)));
  const history = shown.map((step) => turnText(step, perTurn)).join('\n\n');
  const values = {
    instance,
    turns: `${steps.length}`,
    ending: endingOf(evidence),
    statement: shortened(statement, Math.min(MOST_STATEMENT, Math.floor(characters * STATEMENT))),
    shown: `${shown.length}`,
    history: history === '' ? '(it made none)' : history,
    outcome: outcomeText(evidence, Math.min(MOST_LEFT, Math.floor(characters * LEFT))),
  };
  return {
    messages: [
      { role: 'system', content: fillTemplate(prompts.system, {}) },
      { role: 'user', content: fillTemplate(prompts.run, values) },
    ],
  };
}

function turnText({ turn, observation, exitCode, timedOutAfter }: SeenStep, most: number): string {
  const { tool, args } = turn.action;
  const thought = turn.thought.trim() === '' ? '' : `${shortened(turn.thought.trim(), Math.floor(most / 5))}\n`;
  const given = Object.entries(args).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const action = shortened([`[${tool}]`, ...given].join('\n'), Math.floor(most * ACTION));
  const ended =
    timedOutAfter !== null
      ? `killed after ${timedOutAfter} s`
      : exitCode !== null && exitCode !== 0
        ? `exit code ${exitCode}`
        : 'output';
  const seen = observation.trim() === '' ? '(none)' : shortened(observation, Math.floor(most * ACTION));
  return `### Turn ${turn.turn}\n${thought}${action}\n→ ${ended}:\n${seen}`;
}

function outcomeText({ patch, verdict, failing, unparsable }: FailureEvidence, most: number): string {
  const tests =
    verdict === null || verdict === 'graded'
      ? failing.length > 0
        ? `Tests that had to pass and do not: ${preview(failing.slice(0, 10).join(', '), 1_500)}`
        : 'Its tests were not all passed.'
      : `No verdict of tests: ${verdict.replaceAll('_', ' ')}.`;
  const broken = unparsable.length > 0 ? [`Not readable as Python: ${unparsable.slice(0, 5).join(', ')}`] : [];
  const diff = patch.trim() === '' ? 'It changed nothing.' : `Its changes:\n${shortened(patch, most)}`;
  return [tests, ...broken, diff].join('\n\n');
}

type ReadReply = Pick<FailureVerdict, 'category' | 'description'>;

/**
 * A judge's reply: an explanation in `<description>`, then the category on the last line. Judges write more than they are asked
 * to: a `Category:` before it, marks and capitals around it, spaces for underscores, reasoning before it.
 */
export function readReply(text: string): ReadReply {
  const { said } = splitReasoning(text);
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const category = categoryIn(lines.at(-1) ?? '');
  const description = descriptionIn(said, category === undefined ? lines : lines.slice(0, -1));
  return { category: category ?? 'unreadable', description };
}

function categoryIn(line: string): FailureCategory | undefined {
  // What stands behind the description, where both are on one line.
  const end = line.replace(/^.*<\/description>/i, '');
  const word = end
    .replace(/^[^\p{L}]*(?:(?:error|failure|final)\s+)?category\b[^\p{L}]*(?:is\b[^\p{L}]*)?/iu, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[^a-z_]/g, '')
    .replace(/^_+|_+$/g, '');
  return FailureCategory.options.find((each) => each === word);
}

function descriptionIn(text: string, lines: readonly string[]): string {
  const tagged = /<description>([\s\S]*?)(?:<\/description>|$)/i.exec(text)?.[1];
  const description = tagged ?? lines.join('\n');
  return description.trim();
}
