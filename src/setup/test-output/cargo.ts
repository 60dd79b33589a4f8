import { between, type Lines, matches, summed, type TestReader, tallyOf } from './reading';

/** How nextest names a test that did not pass: live and once more at the end. */
const NEXTEST =
  /^\s*(?:FAIL|TIMEOUT|ABORT|LEAK-FAIL|XPASS|EXECFAIL|SIG[A-Z]+) \[[^\]]*\] +(?:\(\s*\d+\/\d+\) +)?(\S.*)$/;

/** `cargo test` runs one binary for each target, then the examples in the documentation; nextest runs all at once. */
export const cargo: TestReader = {
  framework: 'cargo',
  command: /\bcargo\b/,
  reports: between(
    new RegExp(`^---- (.+) stdout ----$|${NEXTEST.source}`),
    /^failures:$|^test result: |^\s*[A-Z][A-Z-]+ \[ *[\d.]+s\] /,
  ),
  read(lines) {
    const binaries = matches(lines, /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;/).map(
      ([, passed, failed, ignored]) => ({ passed: Number(passed), failed: Number(failed), skipped: Number(ignored) }),
    );
    const nextest = matches(lines, /^\s*Summary \[.*\]\s+\d+(?:\/\d+)? tests? run: (.+)$/).map(([, text]) => {
      const tally = tallyOf(text!.replace(/\([^()]*\)/g, ''));
      const failed = (tally.failed ?? 0) + (tally['timed out'] ?? 0);
      return { passed: tally.passed ?? 0, failed, skipped: tally.skipped ?? 0, errors: tally['exec failed'] ?? 0 };
    });
    const counts = summed([...binaries, ...nextest]);
    if (!counts) return null;
    const all = nextest.length > 0 ? nextestNames(lines) : listed(lines);
    return { counts, failures: [...new Set(all)], named: all.length, cut: cutBy(lines) };
  },
};

/** Each binary lists its failures once more at its end, whatever stood in the way of their lines before. */
function listed(lines: Lines): string[] {
  const names: string[] = [];
  let listing = false;
  for (const line of lines) {
    const name = /^ {4}(\S.*)$/.exec(line)?.[1];
    if (line === 'failures:') listing = true;
    else if (listing && name !== undefined) names.push(name);
    else listing = false;
  }
  if (names.length > 0) return names;
  return matches(lines, /^(?:test (.+) \.\.\. FAILED|---- (.+) stdout ----)$/).map(([, one, other]) => one ?? other!);
}

function nextestNames(lines: Lines): string[] {
  return [...new Set(matches(lines, NEXTEST).map(([, name]) => name!))];
}

/**
 * A binary that died, or was never built, has no result of its own beside those of the others. Where tests failed it ends
 * with 101; any other end counts below cargo's own words only, as tests run programs too.
 */
function cutBy(lines: Lines): string {
  const said = /\bprocess didn't exit successfully: .*\(signal: |^error: could not compile\b/;
  const ended = /^\s+process didn't exit successfully: .*\(exit status: (?!101\))\d+\)/;
  const failed = (at: number) =>
    lines.slice(Math.max(0, at - 3), at).some((line) => /^error: test failed\b/.test(line));
  return lines.filter((line, at) => said.test(line) || (ended.test(line) && failed(at))).join('\n');
}
