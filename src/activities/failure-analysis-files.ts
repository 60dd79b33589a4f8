import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FailureFigures, failuresReadme } from '../analysis/failures/readme';
import { type FailureAnalysisInput, FailureCategory } from '../contract';
import { type Cell, column, csvOf } from '../page/report/data';
import { failureData } from '../page/report/parts/failure-table';

export interface FailuresToWrite {
  readonly input: FailureAnalysisInput;
  readonly figures: FailureFigures;
  /** `failures.jsonl`. */
  readonly verdicts: string;
}

export async function writeFailures(folder: string, { input, figures, verdicts }: FailuresToWrite): Promise<void> {
  const { table, buckets } = figures;
  const categories = table.flatMap(({ method, whenSubmitted, whenNotSubmitted }) =>
    FailureCategory.options.map((category): Cell[] => [
      method,
      category,
      whenSubmitted[category] ?? 0,
      whenNotSubmitted[category] ?? 0,
    ]),
  );
  const files = {
    'failures.jsonl': verdicts,
    'failures.csv': csvOf(failureData(table)),
    'categories.csv': csvOf({
      columns: titled(['method', 'category', 'submitted', 'not_submitted']),
      rows: categories,
    }),
    'buckets.csv': csvOf({
      columns: titled(BUCKET_COLUMNS),
      rows: buckets.map(({ method, from, to, drawn, handedOver, submittedBeforeSwitch, resolved, resolveRate }) => [
        ...[method, from, to, drawn, handedOver, submittedBeforeSwitch, resolved],
        ...(resolveRate ? [resolveRate.value, resolveRate.low, resolveRate.high] : [null, null, null]),
      ]),
    }),
    'README.md': failuresReadme(input, figures),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

const BUCKET_COLUMNS = [
  ...['method', 'k_from', 'k_to', 'drawn', 'handed_over', 'submitted_before_switch', 'resolved'],
  ...['resolve_rate', 'resolve_rate_low', 'resolve_rate_high'],
];

function titled(keys: readonly string[]) {
  return keys.map((key) => column(key, key));
}
