import { count } from '../../../pages/figures';
import { escapeText } from '../../../pages/html';
import { table } from '../table';

/** What is shown of a call graph: `CallGraph` of `@pointsman/python` fits. */
export interface ShownGraph {
  readonly edges: ReadonlyMap<string, ReadonlySet<string>>;
  readonly definitions: ReadonlyMap<
    string,
    { readonly name: string; readonly kind: string; readonly file: string; readonly line: number }
  >;
  readonly unresolved: readonly {
    readonly file: string;
    readonly line: number;
    readonly text: string;
    readonly why: string;
  }[];
}

/** More names than this make no picture. */
export const MOST_DRAWN = 150;

/** PyCG's simple JSON: callees of each caller, all sorted. */
export function asPycg({ edges }: ShownGraph): string {
  const sorted = [...edges].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(sorted.map(([caller, callees]) => [caller, [...callees].sort()])),
    undefined,
    2,
  );
}

export function asDot({ edges, definitions }: ShownGraph): string {
  const name = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const lines = [...edges.keys()]
    .sort()
    .flatMap((caller) => [
      `  ${name(caller)}${definitions.has(caller) ? '' : ' [style=dashed]'};`,
      ...[...edges.get(caller)!].sort().map((callee) => `  ${name(caller)} -> ${name(callee)};`),
    ]);
  return [
    'digraph calls {',
    '  rankdir=LR;',
    '  node [shape=box, fontname="monospace", fontsize=10];',
    ...lines,
    '}',
  ].join('\n');
}

/** The part of a graph that is at most `depth` calls away from a name, in either direction. */
export function neighbourhood<Graph extends ShownGraph>(graph: Graph, from: string, depth: number): Graph {
  const callers = new Map<string, string[]>();
  for (const [caller, callees] of graph.edges)
    for (const callee of callees) callers.set(callee, [...(callers.get(callee) ?? []), caller]);
  const kept = new Set([from]);
  const walk = (next: (name: string) => Iterable<string>): void => {
    let front = [from];
    for (let step = 0; step < depth; step++) {
      front = front.flatMap((name) => [...next(name)]);
      for (const name of front) kept.add(name);
      front = [...new Set(front)];
    }
  };
  walk((name) => graph.edges.get(name) ?? []);
  walk((name) => callers.get(name) ?? []);
  const edges = new Map(
    [...graph.edges]
      .filter(([caller]) => kept.has(caller))
      .map(([caller, callees]) => [caller, new Set([...callees].filter((callee) => kept.has(callee)))]),
  );
  return { ...graph, edges };
}

export function graphText({ edges, definitions, unresolved }: ShownGraph, width: number): string {
  const callers = new Map<string, number>();
  for (const callees of edges.values())
    for (const callee of callees) callers.set(callee, (callers.get(callee) ?? 0) + 1);
  const total = [...edges.values()].reduce((sum, { size }) => sum + size, 0);
  const own = [...edges.keys()].filter((name) => definitions.has(name));
  const functions = own.filter((name) => definitions.get(name)?.kind !== 'module').length;
  const internal = own.reduce(
    (sum, name) => sum + [...edges.get(name)!].filter((each) => definitions.has(each)).length,
    0,
  );
  const rows = own
    .map((name) => ({ name, calls: edges.get(name)!.size, calledBy: callers.get(name) ?? 0 }))
    .sort((one, other) => other.calls + other.calledBy - one.calls - one.calledBy || (one.name < other.name ? -1 : 1))
    .slice(0, 15);
  const reasons = new Map<string, number>();
  for (const { why } of unresolved) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  return [
    `${count(own.length - functions, 'module')}, ${count(functions, 'function')}, ${count(total, 'call edge')} (${internal} within the folder)`,
    '',
    table(
      rows,
      [
        { title: 'MOST CONNECTED', value: ({ name }) => name, elastic: true },
        { title: 'CALLS', value: ({ calls }) => String(calls), right: true },
        { title: 'CALLED BY', value: ({ calledBy }) => String(calledBy), right: true },
      ],
      width,
    ),
    '',
    unresolved.length === 0
      ? 'every call was resolved'
      : `${count(unresolved.length, 'call')} without an answer (--format json lists them):`,
    ...[...reasons].sort((one, other) => other[1] - one[1]).map(([why, times]) => `  ${times} × ${why}`),
  ].join('\n');
}

const ROW = 26;
const LETTER = 6.7;
const GAP = 70;
const MARGIN = 16;

interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The graph in columns, callers left of what they call; undefined where it has too many names. Needs no other file. */
export function drawing({ edges, definitions }: ShownGraph): string | undefined {
  if (edges.size > MOST_DRAWN) return undefined;
  const columns = inOrder(layersOf(edges), edges);
  const boxes = placed(columns);
  const width = Math.max(...[...boxes.values()].map((box) => box.x + box.width), 0) + MARGIN;
  const height = Math.max(...columns.map((names) => names.length), 1) * ROW + 2 * MARGIN;
  const lines = [...edges].flatMap(([caller, callees]) =>
    [...callees].map((callee) => line(boxes.get(caller)!, boxes.get(callee)!)),
  );
  const shapes = [...boxes.values()].map((box) => shape(box, definitions.get(box.name)?.kind));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...lines,
    ...shapes,
    '</svg>',
  ].join('\n');
}

/** The column of each name: one right of its callers, where they do not call each other in a circle. */
function layersOf(edges: ShownGraph['edges']): string[][] {
  const order: string[] = [];
  const back = new Map<string, Set<string>>();
  const state = new Map<string, 'open' | 'done'>();
  const visit = (name: string): void => {
    state.set(name, 'open');
    for (const callee of edges.get(name) ?? []) {
      if (!state.has(callee)) visit(callee);
      else if (state.get(callee) === 'open') back.set(name, (back.get(name) ?? new Set()).add(callee));
    }
    state.set(name, 'done');
    order.unshift(name);
  };
  const called = new Set([...edges.values()].flatMap((callees) => [...callees]));
  for (const name of [...edges.keys()].sort((one, other) => Number(called.has(one)) - Number(called.has(other))))
    if (!state.has(name)) visit(name);
  const layer = new Map<string, number>();
  const columns: string[][] = [];
  for (const name of order) {
    const at = layer.get(name) ?? 0;
    while (columns.length <= at) columns.push([]);
    columns[at]!.push(name);
    for (const callee of edges.get(name) ?? [])
      if (!back.get(name)?.has(callee)) layer.set(callee, Math.max(layer.get(callee) ?? 0, at + 1));
  }
  return columns;
}

/** Names of a column next to what calls them (barycentre of the column before), so that fewer lines cross. */
function inOrder(columns: readonly string[][], edges: ShownGraph['edges']): string[][] {
  const place = new Map<string, number>();
  return columns.map((names) => {
    const weight = (name: string): number => {
      const above = [...edges].flatMap(([caller, callees]) =>
        callees.has(name) && place.has(caller) ? [place.get(caller)!] : [],
      );
      return above.length === 0 ? 0 : above.reduce((sum, each) => sum + each, 0) / above.length;
    };
    const weights = new Map(names.map((name) => [name, weight(name)]));
    const sorted = [...names].sort((one, other) => weights.get(one)! - weights.get(other)! || (one < other ? -1 : 1));
    for (const [at, name] of sorted.entries()) place.set(name, at);
    return sorted;
  });
}

function placed(columns: readonly string[][]): Map<string, Box> {
  const boxes = new Map<string, Box>();
  let x = MARGIN;
  for (const names of columns) {
    const width = Math.max(...names.map(({ length }) => length), 1) * LETTER + 14;
    for (const [at, name] of names.entries())
      boxes.set(name, { name, x, y: MARGIN + at * ROW, width: name.length * LETTER + 14 });
    x += width + GAP;
  }
  return boxes;
}

function line(from: Box, to: Box): string {
  const [y1, y2] = [from.y + 9, to.y + 9];
  const x1 = from.x + from.width;
  if (from === to) return `<path d="M${x1} ${y1}c26 -14 26 14 2 6" fill="none" stroke="#99a" marker-end="url(#head)"/>`;
  // What calls back to the left leaves and arrives on the outside.
  const bend = to.x > from.x ? Math.max(30, (to.x - x1) / 2) : 60;
  return `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}" fill="none" stroke="#99a" marker-end="url(#head)"/>`;
}

function shape({ name, x, y, width }: Box, kind: string | undefined): string {
  const fill = kind === undefined ? '#f6f6f6' : kind === 'module' ? '#e8f0fe' : '#eef8ee';
  const dash = kind === undefined ? ' stroke-dasharray="3 2"' : '';
  return `<rect x="${x}" y="${y}" width="${width}" height="19" rx="3" fill="${fill}" stroke="#889"${dash}/><text x="${x + 7}" y="${y + 13}">${escapeText(name)}</text>`;
}
