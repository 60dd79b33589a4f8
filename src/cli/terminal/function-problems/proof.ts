import type { CandidateOutcome } from '../../../contract';
import { count } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import { table } from '../table';

/** What the reference and a body that only raises came to on one problem. */
export interface Proof {
  readonly id: string;
  readonly oracle: CandidateOutcome | null;
  readonly stub: CandidateOutcome | null;
  /** The reference passed, and the stub was run and did not. */
  readonly proved: boolean;
}

/** One line a problem, and below what each that is not proved differs in. */
export function proofText(proofs: readonly Proof[], look: Look): string {
  const paint = ink(look.coloured);
  const failed = proofs.filter(({ proved }) => !proved);
  const shown = table(
    proofs,
    [
      { title: 'PROBLEM', value: ({ id }) => id, elastic: true },
      { title: 'ORACLE', value: ({ oracle }) => outcome(oracle), right: true },
      { title: 'STUB', value: ({ stub }) => outcome(stub), right: true },
      { title: 'PROVED', value: ({ proved }) => (proved ? 'yes' : 'NO') },
    ],
    look.width,
  );
  const ending =
    failed.length === 0
      ? paint.good(`${count(proofs.length, 'problem')}: oracle = 1, stub = 0`)
      : paint.bad(`${failed.length} of ${count(proofs.length, 'problem')} not proved`);
  return [shown, ...failed.flatMap((proof) => ['', ...why(proof, look)]), '', ending].join('\n');
}

function outcome(seen: CandidateOutcome | null): string {
  if (seen === null) return 'not run';
  const cases = `${seen.cases.passed}/${seen.cases.total}`;
  return seen.passed ? cases : `${seen.verdict.replaceAll('_', ' ')} ${cases}`;
}

function why({ id, oracle, stub }: Proof, look: Look): string[] {
  const paint = ink(look.coloured);
  const said = [
    ...(oracle?.passed ? [] : [`the reference: ${oracle?.detail || oracle?.verdict || 'was not run'}`]),
    ...(stub?.passed ? ['a body that only raises passes'] : []),
    ...(stub === null || stub.verdict === 'unjudged' ? [`the stub: ${stub?.detail || 'was not run'}`] : []),
  ];
  return [
    paint.bad(safeLine(id)),
    ...wrapWords(
      said.flatMap((each) => each.split('\n').map(safeLine)),
      look.width,
    ),
  ];
}
