import { XMLParser } from 'fast-xml-parser';
import {
  asDot,
  asPycg,
  drawing,
  graphText,
  MOST_DRAWN,
  neighbourhood,
  type ShownGraph,
} from '../../../../src/cli/terminal/functions/graph';

const graph = (edges: Record<string, string[]>): ShownGraph => ({
  edges: new Map(Object.entries(edges).map(([caller, callees]) => [caller, new Set(callees)])),
  definitions: new Map(
    Object.keys(edges)
      .filter((name) => !name.startsWith('<'))
      .map((name) => [name, { name, kind: 'function', file: 'm.py', line: 1 }]),
  ),
  unresolved: [{ file: 'm.py', line: 3, text: 'x.y', why: 'the type of the receiver is not known' }],
});
const chain = graph({
  'm.b': ['m.c', '<builtin>.len'],
  'm.a': ['m.b'],
  'm.c': ['m.a'],
  'm.far': ['m.c'],
  '<builtin>.len': [],
});

test('PyCG’s JSON is sorted, callers and callees', () => {
  const text = asPycg(chain);
  expect(Object.keys(JSON.parse(text))).toEqual(['<builtin>.len', 'm.a', 'm.b', 'm.c', 'm.far']);
  expect(JSON.parse(text)['m.b']).toEqual(['<builtin>.len', 'm.c']);
});

test('a neighbourhood keeps what is so many calls away in either direction', () => {
  expect([...neighbourhood(chain, 'm.a', 1).edges.keys()].sort()).toEqual(['m.a', 'm.b', 'm.c']);
  expect([...neighbourhood(chain, 'm.far', 1).edges.keys()].sort()).toEqual(['m.c', 'm.far']);
});

test('names with quotes and angle brackets stay text in Graphviz and in the drawing', () => {
  const odd = graph({ 'm."q"': ['m.<lambda1>'], 'm.<lambda1>': [] });
  expect(asDot(odd)).toContain('"m.\\"q\\"" -> "m.<lambda1>";');
  const svg = drawing(odd)!;
  const parsed = new XMLParser({ ignoreAttributes: false }).parse(svg) as { svg: { text: { '#text': string }[] } };
  expect(parsed.svg.text.map((each) => each['#text'])).toEqual(['m."q"', 'm.<lambda1>']);
});

test('callers stand left of what they call, circles and self-calls are drawn too', () => {
  const svg = drawing(
    graph({ top: ['left', 'right'], left: ['bottom'], right: ['bottom', 'right'], bottom: ['left'] }),
  )!;
  const x = (name: string) => Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${name}<`).exec(svg)![1]);
  expect(x('top')).toBeLessThan(x('left'));
  expect(x('right')).toBeLessThan(x('bottom'));
});

test('a graph that nobody could read is not drawn', () => {
  const many = Object.fromEntries(Array.from({ length: MOST_DRAWN + 1 }, (_, at) => [`m.f${at}`, []]));
  expect(drawing(graph(many))).toBeUndefined();
});

test('the summary counts edges and says what is missing', () => {
  const text = graphText(chain, 80);
  expect(text).toContain('5 call edges (4 within the folder)');
  expect(text).toContain('1 × the type of the receiver is not known');
});
