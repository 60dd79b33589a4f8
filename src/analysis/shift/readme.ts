import type { CovariateShiftInput, CovariateShiftResult, Interval, ShiftPoint } from '../../contract';
import { HASHED_DIMENSIONS, HASHING } from './hashed-history';

export type ShiftFigures = Omit<CovariateShiftResult, 'folder' | 'files'>;

export interface Missing {
  readonly id: string;
  readonly why: string;
}

/** What the files beside it hold, how it was computed, and what must not be read into it. Markdown. */
export function shiftReadme(input: CovariateShiftInput, figures: ShiftFigures, missing: readonly Missing[]): string {
  const { id, dimensions, groups, instances, points } = figures;
  const last = Math.max(0, ...points.map(({ turn }) => turn));
  const over =
    input.over === 'pooled'
      ? 'Replicates are drawn over all instances together.'
      : 'Replicates are drawn within each instance; a figure is the mean over instances, and its interval resamples instances too.';
  return `# Covariate shift: ${id}

How far the histories of ${groups.slice(1).map(named).join(', ')} are from those of the expert ${named(groups[0]!)}, turn by turn
(on-policy expert corrections, section 4.3 and appendix E).

| group | rollouts | embedded |
|---|---|---|
${groups.map(({ name, rollouts, embedded }) => `| ${cell(name)} | ${rollouts} | ${embedded} |`).join('\n')}

${otherText(groups)}${instances.length} instances, ${last} turns, vectors of ${dimensions} dimensions.

## Files

- \`points.csv\`: all figures, a line a student and turn.
- \`shift-*.svg\` with a CSV each: Fréchet distance with the baseline, KL, the reduced distance, p-values, and the rollouts behind them.

## How it was computed

1. The whole history up to and including turn t (system prompt, statement, every action and observation) is rendered in the
   \`${input.view.dialect}\` dialect for all groups alike, and embedded by ${embedder(input)} Vectors have length 1.
2. At each turn, only rollouts that have such a turn count: \`n_student\` and \`n_expert\`.
3. ${input.replicateSize} rollouts make a replicate: disjoint ones in a drawn order; where a group has fewer than ${2 * input.replicateSize} rollouts,
   ${input.bootstrapReplicates} replicates drawn with replacement (\`bootstrapped\`). ${over}
4. Each replicate is a Gaussian (sample mean, covariance with n − 1). \`fd2\` is the squared Fréchet distance, the convention of
   FID, averaged over all pairs of a student's and an expert's replicate; \`fd\` averages its root. Exact: with
   A and B the centred replicates over √(n − 1), the trace of the root is the sum of the singular values of A Bᵀ.
5. \`baseline_fd2\` is the same between replicates of two disjoint halves of the expert's rollouts.
6. \`kl\` is KL(student ‖ expert) in nats with ε = ${input.ridge} added to the diagonal of both covariances (absolute).
7. \`pca_fd2\` is \`fd2\` in the space of the first ${input.pcaDimensions} principal components, fitted at each turn on both groups pooled.
8. Intervals: 95 %, percentiles of 500 resamplings of the replicates on both sides (pairs that share a replicate depend on each other).
9. ${permutationText(input)}

Seed ${input.seed}. The same rollouts and seed give the same bytes.

## What it does not say

- A replicate has ${input.replicateSize} rollouts in ${dimensions} dimensions. With n ≪ d a covariance has rank n − 1, two replicates of one and the same
  policy are a distance apart, and \`fd2\` is biased upwards by it. Compare with \`baseline_fd2\`, which has the same bias; with
  \`pca_fd2\`, where it is small; and with the p-value, which is valid whatever the bias.
- KL depends on ε: its trend over turns can be read, its size cannot.
- Late turns are those of long rollouts only (survivorship): a policy whose easy rollouts end early leaves its hard ones.
- One p-value a turn, not corrected for the number of turns.
- Where replicates are drawn with replacement they overlap: intervals are too narrow, and the baseline, whose halves have half the
  rollouts, is biased more than what it is compared with.
${input.embedding === HASHING ? `- \`${HASHING}\` counts words and pairs of words, hashed into ${HASHED_DIMENSIONS} dimensions: it sees spelling, not meaning.\n` : ''}${missingText(missing)}`;
}

/** Switches that nobody drew: a student that ends so has drifted already, and a person saw why. */
function otherText(groups: ShiftFigures['groups']): string {
  const of = groups.flatMap(({ name, otherHandOvers: n }) => (n ? [`${n} of **${cell(name)}**`] : []));
  if (of.length === 0) return '';
  return `The expert took over for another reason than the drawn switch in ${of.join(', ')}: such switches are not random (\`handOvers: [policy]\` of a group leaves them out).\n\n`;
}

function embedder({ embedding, embedTokens }: CovariateShiftInput): string {
  const part =
    embedTokens === null ? '' : ` (the last ${embedTokens} ${embedding === HASHING ? 'words' : 'tokens at most'})`;
  return embedding === HASHING
    ? `\`${HASHING}\`${part}, which needs no model.`
    : `the model profile \`${embedding}\`${part}.`;
}

function permutationText({ permutations }: CovariateShiftInput): string {
  if (permutations === 0) return '`p_value` was left out.';
  return (
    `\`p_value\` is (1 + k) / (1 + ${permutations}), where k of ${permutations} relabellings of whole rollouts, within their instance, give a distance at ` +
    'least as large as the one seen. The distance here is the mean of `fd2` over at most 64 pairs of replicates, or over one pair for each replicate where there are more.'
  );
}

function missingText(missing: readonly Missing[]): string {
  if (missing.length === 0) return '';
  const lines = missing.slice(0, 50).map(({ id, why }) => `- \`${id.replaceAll('`', "'")}\`: ${cell(why)}`);
  const more = missing.length > 50 ? [`- and ${missing.length - 50} more`] : [];
  return `\n## Not embedded\n\n${[...lines, ...more].join('\n')}\n`;
}

function named({ name }: { name: string }): string {
  return `**${cell(name)}**`;
}

/** Names come from people and campaigns: no line break or bar of a table in them. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}

/** Columns of `points.csv`, in their order. */
export const POINT_COLUMNS: readonly (readonly [key: string, of: (point: ShiftPoint) => string | number | null])[] = [
  ['student', ({ student }) => student],
  ['turn', ({ turn }) => turn],
  ['n_student', ({ nStudent }) => nStudent],
  ['n_expert', ({ nExpert }) => nExpert],
  ['bootstrapped', ({ bootstrapped }) => (bootstrapped ? 1 : 0)],
  ...intervalColumns('fd2', ({ fd2 }) => fd2),
  ...intervalColumns('fd', ({ fd }) => fd),
  ...intervalColumns('baseline_fd2', ({ baselineFd2 }) => baselineFd2),
  ...intervalColumns('kl', ({ kl }) => kl),
  ...intervalColumns('pca_fd2', ({ pcaFd2 }) => pcaFd2),
  ['p_value', ({ pValue }) => pValue],
];

function intervalColumns(key: string, of: (point: ShiftPoint) => Interval | null): (typeof POINT_COLUMNS)[number][] {
  return [
    [key, (point) => of(point)?.mean ?? null],
    [`${key}_low`, (point) => of(point)?.low ?? null],
    [`${key}_high`, (point) => of(point)?.high ?? null],
  ];
}
