import type { CaseOutcome, Cut, ValueTree } from '../../contract';
import { Comparison, type Difference } from './compare-values';
import type { Tolerance } from './value-float';

export type OutcomeDifference = { equal: true } | ({ equal: false } & Difference);

const TOLERANCE: Tolerance = { relative: 1e-9, absolute: 1e-12 };

/**
 * Whether a candidate came to what the reference came to. Data only: nothing of the candidate's is asked. A case that timed out,
 * crashed or was not run equals nothing, not even another that did. Exceptions are compared by type, not by message.
 */
export function compareOutcomes(expected: CaseOutcome, actual: CaseOutcome, tolerance = TOLERANCE): OutcomeDifference {
  const status = statusDifference(expected, actual);
  if (status) return { equal: false, ...status };
  const files = filesDifference(expected.files, actual.files);
  if (expected.status === 'returned') {
    const comparison = new Comparison(expected.value ?? NONE, actual.value ?? NONE, tolerance);
    if (comparison.difference) return { equal: false, ...comparison.difference };
  }
  return files ? { equal: false, ...files } : { equal: true };
}

const NONE: ValueTree = { t: 'none' };

function statusDifference(expected: CaseOutcome, actual: CaseOutcome): Difference | undefined {
  const said = { path: 'status', expected: outcomeText(expected), actual: outcomeText(actual) };
  const answered = (outcome: CaseOutcome) => outcome.status === 'returned' || outcome.status === 'raised';
  if (!answered(expected) || expected.status !== actual.status) return { ...said, failure: 'status' };
  if (expected.status === 'raised' && expected.raised?.type !== actual.raised?.type) {
    return { ...said, path: 'raised', failure: 'type' };
  }
  return undefined;
}

function outcomeText({ status, raised }: CaseOutcome): string {
  if (status !== 'raised' && status !== 'crashed') return status;
  const what = [raised?.type, raised?.message].filter((part) => part).join(': ');
  return what === '' ? status : `${status} ${what}`;
}

type Files = CaseOutcome['files'];

function filesDifference(expected: Files, actual: Files): Difference | undefined {
  const paths = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort();
  for (const path of paths) {
    const [was, is] = [fileText(expected[path]), fileText(actual[path])];
    if (was !== is) return { path: `file ${path}`, expected: was, actual: is, failure: 'files' };
  }
  return undefined;
}

function fileText(file: Files[string] | undefined): string {
  if (file === undefined) return 'no such file';
  if (typeof file === 'string') return JSON.stringify(file);
  return 'base64' in file ? `base64 ${file.base64}` : cutText({ of: file.bytes, sha256: file.sha256 });
}

const cutText = ({ of, sha256 }: Cut) => `${of} bytes, sha256 ${sha256}`;
