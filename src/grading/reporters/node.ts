import type { TestOutcome } from '../../contract';
import { Collected, CollectedFailures, programOf, type Report, type Reporter, spelledAs } from './reporter';

/**
 * Node's own runner by its TAP: its JUnit report has no word for a test that has parts and fails by itself. Ids are the names
 * of a test and what it lies in, ` > ` between two.
 */
export const node: Reporter = {
  name: 'node',
  starts: (words) => programOf(words[0]) === 'node' && words.includes('--test'),
  asks(file, words) {
    const report = ['--test-reporter=tap', `--test-reporter-destination=${file}`];
    // Behind the first file they would be arguments of the tests.
    return { variables: { NODE_OPTIONS: report.join(' ') }, words: report, at: words.indexOf('--test') + 1 };
  },
  read(report, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    for (const { parts, outcome } of pointsOf(report)) {
      for (const id of spelledAs(spellingsOf(parts), wanted)) collected.add(id, outcome);
    }
    return collected.outcomes();
  },
  failures(report, ids) {
    const wanted = new Set(ids);
    const failures = new CollectedFailures();
    for (const { parts, outcome, said } of pointsOf(report)) {
      if (outcome !== 'failed') continue;
      for (const id of spelledAs(spellingsOf(parts), wanted)) failures.add(id, said);
    }
    return failures.texts;
  },
  only(words, files) {
    const at = words.indexOf('--test');
    const options = words.filter((word) => word.startsWith('-'));
    return at < 0 || words.includes('--') ? undefined : [words[0]!, ...options, ...files];
  },
};

interface Point {
  readonly parts: readonly string[];
  readonly outcome: TestOutcome;
  /** What is said below it, and of its parts. */
  readonly said: string;
}

/** Tests of a report in the order in which they ended: parts before what they are parts of. Suites are no tests. */
function pointsOf({ file }: Report): Point[] {
  const points: Point[] = [];
  const above: string[] = [];
  const said: string[] = [];
  const lines = (file ?? '').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const [, indent = '', named] = /^( *)# Subtest: (.*)$/.exec(line) ?? [];
    if (named !== undefined) {
      above.length = indent.length / 4;
      said.length = above.length;
      above.push(plain(named));
      said.push('');
      continue;
    }
    const [, deep = '', not, name, mark] = /^( *)(not )?ok \d+ - (.*?)(?: # (SKIP|TODO)\b.*)?$/.exec(line) ?? [];
    if (name === undefined) continue;
    const depth = deep.length / 4;
    const below = blockAt(lines, at + 1, `${deep}  `);
    // What a test said may look like a point.
    at += below.length;
    const parts = [...above.slice(0, depth), plain(name)];
    const own = `${said[depth] ?? ''}\n${below.join('\n')}`;
    if (depth > 0) said[depth - 1] += own;
    above.length = depth;
    said.length = depth;
    if (below.some((each) => each === `${deep}  type: 'suite'`)) continue;
    points.push({ parts, outcome: mark ? 'skipped' : not ? 'failed' : 'passed', said: own });
  }
  return points;
}

/** What is said of a point, in the lines behind it: from `---` to `...`, indented so. One that does not end is none. */
function blockAt(lines: readonly string[], from: number, indent: string): readonly string[] {
  if (lines[from] !== `${indent}---`) return [];
  for (let at = from + 1; lines[at] === '' || lines[at]?.startsWith(indent); at++)
    if (lines[at] === `${indent}...`) return lines.slice(from, at);
  return [];
}

const plain = (name: string) => name.replace(/\\([\\#])/g, '$1');

function spellingsOf(parts: readonly string[]): string[] {
  return [parts.join(' > '), parts.join(' '), parts.at(-1)!];
}
