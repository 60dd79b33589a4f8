import type { ChatRequest, GradeResult, RawReply, Review } from '../contract';
import { shortened } from '../rollout/clip';
import { fillTemplate } from '../rollout/prompts';
import { splitReasoning } from '../rollout/reasoning';

/** Prompt files of a reviewer, in `prompts/review`. */
export const REVIEW_PROMPTS = ['system', 'patch'] as const;
type ReviewPrompts = Readonly<Record<(typeof REVIEW_PROMPTS)[number], string>>;

interface Reviewed {
  readonly statement: string;
  readonly patch: string;
  readonly grade: GradeResult;
}

/** Share of the prompt that the patch may take, which is what the question is about; the statement has less. */
const [PATCH, STATEMENT] = [0.6, 0.2];

/**
 * What a model is asked about a verdict that is in doubt, in about so many characters. What it answered before and could
 * not be read is shown to it, so that no question is asked twice in the same words.
 */
export function reviewRequest(
  { statement, patch, grade }: Reviewed,
  prompts: ReviewPrompts,
  characters: number,
  unread: readonly RawReply[],
): ChatRequest {
  const { suspicion, verdict, detail, failToPass, passToPass } = grade;
  const noticed = suspicion.map(
    ({ kind, path, line, detail }) => `- ${kind.replaceAll('_', ' ')}, ${path}:${line ?? '?'}: ${detail}`,
  );
  const values = {
    statement: shortened(statement, Math.floor(characters * STATEMENT)),
    patch: shortened(patch, Math.floor(characters * PATCH)),
    noticed: noticed.join('\n') || 'Nothing in its text: the tests alone leave a doubt.',
    verdict: [
      `FAIL_TO_PASS: ${failToPass.passed} of ${failToPass.total} passed; PASS_TO_PASS: ${passToPass.passed} of ${passToPass.total}.`,
      ...(verdict === 'controls_incomplete' ? [`Not all was shown: ${detail ?? 'some controls did not run'}.`] : []),
    ].join('\n'),
  };
  return {
    messages: [
      { role: 'system', content: fillTemplate(prompts.system, {}) },
      { role: 'user', content: fillTemplate(prompts.patch, values) },
      ...unread.flatMap((reply) => [
        { role: 'assistant' as const, content: reply.content ?? '' },
        { role: 'user' as const, content: 'The last line must be one word alone: `accept` or `refuse`.' },
      ]),
    ],
  };
}

/** A reviewer's word and reason; undefined where the last line says neither. */
export function readReview(text: string): Pick<Review, 'accepted' | 'why'> | undefined {
  const said = splitReasoning(text).said.trim();
  const at = said.lastIndexOf('\n');
  const word = /^\W*(?:verdict\W+)?(accept|refuse)(?:ed|d)?\W*$/i.exec(said.slice(at + 1).slice(-100))?.[1];
  if (!word) return undefined;
  const why = said.slice(0, Math.max(at, 0)).trim();
  return { accepted: word.toLowerCase() === 'accept', why: why || 'no reason given' };
}
