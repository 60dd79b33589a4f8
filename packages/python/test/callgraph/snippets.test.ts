import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { asObject, graphOfFolder, SNIPPETS } from './snippets';

interface Score {
  snippets: number;
  exact: number;
  complete: number;
  sound: number;
  found: number;
  expected: number;
  both: number;
}

const edgesIn = (graph: Readonly<Record<string, readonly string[]>>): Set<string> =>
  new Set(Object.entries(graph).flatMap(([caller, callees]) => callees.map((callee) => `${caller} → ${callee}`)));

test('there are enough of every category', () => {
  expect(new Set(SNIPPETS.map(({ category }) => category)).size).toBe(18);
  expect(SNIPPETS.length).toBeGreaterThanOrEqual(120);
});

test('every snippet has exactly the graph that is expected of it', async () => {
  const scores = new Map<string, Score>();
  const wrong: unknown[] = [];
  for (const snippet of SNIPPETS) {
    const graph = asObject(await graphOfFolder(snippet.dir));
    const [found, expected] = [edgesIn(graph), edgesIn(snippet.expected)];
    const both = [...found].filter((edge) => expected.has(edge)).length;
    const isExact = both === found.size && both === expected.size && sameKeys(graph, snippet.expected);
    if (!isExact)
      wrong.push({ snippet: `${snippet.category}/${snippet.name}`, found: graph, expected: snippet.expected });
    for (const key of [snippet.category, 'all']) {
      const score = scores.get(key) ?? { snippets: 0, exact: 0, complete: 0, sound: 0, found: 0, expected: 0, both: 0 };
      scores.set(key, score);
      score.snippets++;
      score.exact += Number(isExact);
      score.complete += Number(both === found.size);
      score.sound += Number(both === expected.size);
      score.found += found.size;
      score.expected += expected.size;
      score.both += both;
    }
  }
  process.stdout.write(`${report(scores)}\n`);
  expect(wrong).toEqual([]);
});

test('library mode, where anything may be called from outside, loses no edge', async () => {
  for (const { dir, category, name, expected } of SNIPPETS) {
    const found = edgesIn(asObject(await graphOfFolder(dir, undefined)));
    expect({ snippet: `${category}/${name}`, lost: [...edgesIn(expected)].filter((edge) => !found.has(edge)) }).toEqual(
      {
        snippet: `${category}/${name}`,
        lost: [],
      },
    );
  }
});

const interpreter = (() => {
  try {
    const code = 'import sys; print(sys.version_info >= (3, 11))';
    return execFileSync('python3', ['-c', code], { encoding: 'utf8' }).trim() === 'True' ? 'python3' : undefined;
  } catch {
    return undefined;
  }
})();

// Qualified names of code objects are known from Python 3.11 on.
(interpreter ? test : test.skip)('what Python itself is seen to call is expected', () => {
  const seen = callsSeen();
  const unexpected = SNIPPETS.flatMap((snippet, at) => {
    const expected = new Set([...edgesIn(snippet.expected)].map(unnumbered));
    const others = seen[at]!.filter((edge) => !expected.has(unnumbered(edge)));
    return others.map((edge) => `${snippet.category}/${snippet.name}: ${edge}`);
  });
  expect(unexpected).toEqual([]);
});

/** What ran in each snippet, in their order. */
function callsSeen(): string[][] {
  const folders = SNIPPETS.map(({ dir }) => dir);
  const printed = execFileSync('python3', ['-B', join(__dirname, 'dynamic.py'), ...folders], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return printed
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as [string, string][]).map(([caller, callee]) => `${caller} → ${callee}`));
}

/** Python does not number lambdas. */
function unnumbered(edge: string): string {
  return edge.replace(/<lambda\d+>/g, '<lambda>');
}

function sameKeys(one: object, other: object): boolean {
  return Object.keys(one).sort().join('\n') === Object.keys(other).sort().join('\n');
}

function report(scores: ReadonlyMap<string, Score>): string {
  const rows = [...scores].map(([category, each]) => {
    const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole).toFixed(3);
    return [
      category,
      each.snippets,
      each.exact,
      each.complete,
      each.sound,
      share(each.both, each.found),
      share(each.both, each.expected),
    ].join('\t');
  });
  return ['category\tn\texact\tcomplete\tsound\tedge P\tedge R', ...rows].join('\n');
}
