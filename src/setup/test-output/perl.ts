import { matches, noneFound, summed, type TestReader } from './reading';
import { between } from './reports';

/** Perl's harness: it counts subtests, and files that died before their plan. */
export const prove: TestReader = {
  framework: 'prove',
  command: /\bprove\b|\bmake\b.*\btest\b|\bBuild test\b/,
  runsOthers: true,
  reports: between(/^(\S+) \.{2,}/, /^Test Summary Report$|^Files=\d+/),
  read(lines) {
    const ends = matches(lines, /^Files=\d+, Tests=(\d+),/);
    if (ends.length === 0) {
      return noneFound(lines, /^(?:Result: NOTESTS|No tests named and 't' directory not found)/);
    }
    const files = lines.flatMap((line, at) => {
      const [, name, status, failed] = /^(\S+)\s+\(Wstat: (\d+).*Tests: \d+ Failed: (\d+)\)$/.exec(line) ?? [];
      if (name === undefined) return [];
      const below = lines.slice(at + 1).findIndex((next) => !/^\s/.test(next));
      const said = lines.slice(at + 1, below < 0 ? undefined : at + 1 + below).join('\n');
      return [{ name, failed: Number(failed), died: status !== '0' || /Parse errors|Non-zero/.test(said) }];
    });
    const failed = files.reduce((total, file) => total + file.failed, 0);
    // Only that something passed against its mark may be all that is said of a file.
    const broken = files.filter((file) => file.failed > 0 || file.died);
    const errors = broken.filter((file) => file.failed === 0).length;
    const skipped = matches(lines, /\(less (\d+) skipped subtests?: /).reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
    const total = ends.reduce((all, [, count]) => all + Number(count), 0);
    const counts = summed([{ passed: total - failed - skipped, failed, skipped, errors }])!;
    return { counts, failures: broken.map(({ name }) => name), named: failed + errors };
  },
};
