import type { FunctionInstance } from '../../../contract';
import { table } from '../table';
import { dotted } from './instance';
import { share } from './share';

/**
 * One line an instance: how large it is, how many definitions it depends on (in its own file, or out of it too), and how
 * well its harness tells right from wrong. Functions are named as Python does, which is shorter than an id, where no other
 * problem has the same.
 */
export function instanceTable(instances: readonly FunctionInstance[], width: number): string {
  const shared = new Set<string>();
  const names = new Set<string>();
  for (const { subject } of instances) (names.has(dotted(subject.target)) ? shared : names).add(dotted(subject.target));
  const name = ({ id, subject }: FunctionInstance) =>
    shared.has(dotted(subject.target)) ? id : dotted(subject.target);
  return table(
    instances,
    [
      { title: 'PROBLEM', value: name, elastic: true },
      { title: 'LINES', value: ({ size }) => String(size.lines), right: true },
      {
        title: 'NEEDS',
        value: ({ dependencies, outOfFile }) => `${dependencies} ${outOfFile ? 'out' : 'in'}`,
        right: true,
      },
      { title: 'CASES', value: ({ harness }) => String(harness.cases.length), right: true },
      { title: 'BRANCHES', value: ({ quality }) => share(quality.branchCoverage), right: true },
      { title: 'MUTANTS', value: ({ quality }) => share(quality.mutationScore), right: true },
    ],
    width,
  );
}
