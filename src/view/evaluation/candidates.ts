import type { CandidateOutcome } from '../../contract';
import { wrapHard } from '../columns';
import { dollars } from '../figures';
import { ink } from '../ink';
import { safeLines } from '../safe-text';
import type { Look } from '../shown-run';
import { heading } from '../verdict';

export interface ShownCandidate extends CandidateOutcome {
  /** Source, where there is one. */
  readonly source: string | null;
}

/** Lines of a candidate's source and of what told it from the reference, where not all is asked for. */
const SHOWN_LINES = 24;

/** The candidates of one problem: what each was, and the first case that told it from the reference. */
export function candidateLines(candidates: readonly ShownCandidate[], look: Look): string[] {
  const paint = ink(look.coloured);
  return candidates.flatMap(({ sample, repair, verdict, passed, cases, detail, source, cost }) => {
    const name = repair === 0 ? `sample ${sample + 1}` : `repair ${repair} of sample ${sample + 1}`;
    const colour = passed ? paint.good : paint.bad;
    const price = cost.tokens > 0 ? ` · ${dollars(cost.usd)}, ${cost.tokens} tokens` : '';
    return [
      heading(name, look),
      `${colour(verdict.replaceAll('_', ' '))} · ${cases.passed} of ${cases.total} cases${price}`,
      ...folded(detail, look).map((line) => `  ${line}`),
      ...(source === null ? [] : ['', ...folded(source, look).map((line) => paint.dim(`│ ${line}`))]),
      '',
    ];
  });
}

function folded(text: string, look: Look): string[] {
  if (text === '') return [];
  const lines = wrapHard(safeLines(text.trimEnd()), look.width - 2);
  if (look.full || lines.length <= SHOWN_LINES) return lines;
  return [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES} more lines: --full`];
}
