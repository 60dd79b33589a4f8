import { between, matches, named, noneFound, summed, type TestReader, tallyOf } from './reading';

/** How a runner says in TAP that it was given no file: a failure of its own, and no test of anybody's. */
const TAP_NONE = /^not ok 1 -? ?no tests? (?:specified|found)\b/i;
/** Closing comments of tape, node's own runner and others, in TAP (`# pass 3`) or in prose (`ℹ pass 3`). */
const TAP_END = /^(?:#|ℹ) (tests|pass|fail|skip(?:ped)?|todo|cancelled|ok)\s+(\d+)$/;
/** The last line of tap's own runner before it was 1.0; each file's, with the same dots, is above. */
const TAP_TOTAL = /^total \.{3,200} (\d+)\/(\d+)$/;
/** In TAP, or in the prose of node's own runner, which heads the reports at its end in the same way. */
const TAP_FAILED =
  /^\s*(?:not ok \d+ -? ?|✖ (?!failing tests:$))(?!.*# (?:TODO|SKIP))(.+?)(?: # time.*| \([\d.]+m?s\))?$/i;

/** Without the points that only sum up a subtest whose own points failed: a file that says so did not fail to load. */
function withoutSums(lines: readonly string[]): string[] {
  let deepest = -1;
  return lines.filter((line) => {
    const point = /^( *)(not (?!.*# (?:TODO|SKIP)))?(?:not )?ok\b/i.exec(line);
    if (!point) return true;
    const depth = point[1]!.length;
    const sums = deepest > depth;
    if (depth < deepest) deepest = -1;
    if (point[2] !== undefined) deepest = Math.max(deepest, depth);
    return !(sums && point[2] !== undefined);
  });
}

/** Test Anything Protocol. With closing comments those count; else the lines of the outermost level. */
export const tap: TestReader = {
  framework: 'tap',
  command: /\b(?:tape?|node\b.{0,400} --test|qunit|faucet)\b/,
  reports: between(TAP_FAILED, /^\s*(?:ok \d+\b|# Subtest|[✔▶ℹ] |✖ failing tests:$|test at )/),
  read(output) {
    const lines = output.filter((line) => !TAP_NONE.test(line));
    const totals = matches(lines, TAP_TOTAL).map(([, passed, all]) => ({
      passed: Number(passed),
      failed: Number(all) - Number(passed),
    }));
    const ends = matches(lines, TAP_END);
    const failures = named(withoutSums(lines), TAP_FAILED);
    if (totals.length > 0) return { counts: summed(totals)!, ...failures };
    if (ends.some(([, word]) => word === 'pass')) {
      const sum = (...words: string[]) =>
        ends.filter(([, word]) => words.includes(word!)).reduce((total, [, , count]) => total + Number(count), 0);
      const counts = summed([
        { passed: sum('pass'), failed: sum('fail'), skipped: sum('skip', 'skipped', 'todo'), errors: sum('cancelled') },
      ]);
      return { counts: counts!, ...failures };
    }
    const asserts = matches(lines, /^Asserts:\s+(\S.*), of \d+$/).map(([, text]) => {
      const tally = tallyOf(text!);
      return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: (tally.skip ?? 0) + (tally.todo ?? 0) };
    });
    if (asserts.length > 0) return { counts: summed(asserts)!, ...failures };
    const plan = lines.some((line) => /^1\.\.\d+/.test(line));
    if (!plan) return null;
    const points = matches(lines, /^(not )?ok\b(?: \d+)?(.*)$/).map(([, not, rest = '']) => {
      if (/# (?:skip|todo)/i.test(rest)) return { skipped: 1 };
      return not ? { failed: 1 } : { passed: 1 };
    });
    return { counts: summed(points.length > 0 ? points : [{}])!, ...failures };
  },
};

/** Perl's harness: it counts subtests, and files that died before their plan. */
export const prove: TestReader = {
  framework: 'prove',
  command: /\bprove\b|\bmake\b.{0,400}\btest\b|\bBuild test\b/,
  runsOthers: true,
  reports: between(/^(\S+) \.{2,}/, /^Test Summary Report$|^Files=\d+/),
  read(lines) {
    const ends = matches(lines, /^Files=\d+, Tests=(\d+),/);
    if (ends.length === 0) {
      return noneFound(lines, /^(?:Result: NOTESTS|No tests named and 't' directory not found)/);
    }
    const files = lines.flatMap((line, at) => {
      const [, name, status, failed] = /^(\S+)\s+\(Wstat: (\d+)(?!\d).*Tests: \d+ Failed: (\d+)\)$/.exec(line) ?? [];
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
