import type { FailureAnalysisInput, FailureAnalysisResult } from '../../contract';
import { RULES } from './rules';

export type FailureFigures = Omit<FailureAnalysisResult, 'folder' | 'files'>;

/** What the files beside it hold and how to read them. Markdown. */
export function failuresReadme(
  input: FailureAnalysisInput,
  { id, judge, table, notGraded, notJudged }: FailureFigures,
): string {
  const unresolved = table.reduce((sum, { submitted, notSubmitted }) => sum + submitted + notSubmitted, 0);
  return `# Failures: ${id}

Why ${unresolved} unresolved rollouts failed, by their last ${input.lastTurns} turns (on-policy expert corrections, section 4.4 and appendix D).

- \`failures.jsonl\`: a verdict a line: category, description, whether the rollout submitted, the judge's reply as a blob.
- \`failures.csv\`: shares as in the paper's table 3, of the submitted and of the others. Lines with \`source\` = \`paper\` are the paper's
  own, for comparison: other models, SWE-bench Verified, GPT-5 as judge.
- \`categories.csv\`: counts of all ten categories.
- \`buckets.csv\`: resolve rate by the switch index that was drawn, of those handed over, with Wilson's 95 % interval. A student that submits
  before the switch leaves the bucket, the more often the later the switch: compare \`drawn\` with \`handed_over\` before comparing rates.

Judge: ${judgeText(judge)}

${notGraded} rollouts were left out because no test ever said whether they are resolved; ${notJudged} unresolved ones have no verdict because
their trajectory is gone or the analysis was abandoned.

A category is one judgement of one judge on one run. A reply that holds none of the ten categories counts as \`other\`, with
\`unreadable\` set.
`;
}

function judgeText(judge: string): string {
  return judge === RULES
    ? `\`${RULES}\`. Loops, endless reading, listings that fill the context, code that does not parse and calls that are no calls can be decided by rules; everything else is \`other\`, so these shares are not comparable with those of a model.`
    : `the model profile \`${judge}\`.`;
}
