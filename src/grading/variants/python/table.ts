import type {
  Argument,
  CallExpression,
  Expression,
  FunctionStatement,
  ModuleSyntax,
  Statement,
} from '@pointsman/python';
import type { Tolerance } from '../literals';
import type { Draft, TestFile } from '../variant';
import { isMakerOfContainers, type Leaf, lastName, leavesOf } from './literals';

/** A parameter that a test compares in every run that passes, by which statement. */
export interface ExpectedParameter {
  readonly statement: Statement;
  readonly tolerance: Tolerance;
}

/** A list of rows for a test, of which one column is what the test expects. */
export interface Table {
  readonly file: TestFile;
  readonly statement: Statement;
  readonly rows: readonly Row[];
  /** Whether tests are told apart by the number of the row, as `parameterized` does. */
  readonly numbered: boolean;
}

interface Row {
  /** Matches the row's part of an id. */
  readonly id: RegExp | undefined;
  /** The expected value's leaves that may change without changing the id. */
  readonly leaves: readonly Leaf[];
}

/** The tables among the decorators of a test or of its class whose expected column is certain. */
export function tablesOf(
  decorators: readonly Expression[],
  fn: FunctionStatement,
  file: TestFile,
  syntax: ModuleSyntax,
  expects: (parameter: string) => ExpectedParameter | undefined,
): Table[] {
  return decorators.flatMap((decorator) => {
    if (decorator.kind !== 'call' || decorator.arguments.some(({ spread }) => spread !== undefined)) return [];
    const name = lastName(decorator.callee);
    const numbered = name === 'expand';
    if (name !== 'parametrize' && !numbered) return [];
    if (given(decorator, 2, 'indirect')) return [];
    const names = numbered ? parametersOf(fn) : namesOf(given(decorator, 0, 'argnames'));
    const rows = rowsOf(given(decorator, numbered ? 0 : 1, numbered ? 'input' : 'argvalues'), syntax, file);
    if (!names || !rows) return [];
    return names.flatMap((parameter, column) => {
      const expected = expects(parameter);
      if (!expected) return [];
      const ids = given(decorator, 3, 'ids');
      const read = rows.map((row, at) => rowOf(row, at, { names, column, ids, numbered, file, expected }));
      return [{ file, statement: expected.statement, rows: read, numbered }];
    });
  });
}

/** The values that a parameter has in the rows of decorators, as far as they are written in place. */
export function cellsNamed(
  parameter: string,
  decorators: readonly Expression[],
  file: TestFile,
  syntax: ModuleSyntax,
): readonly Expression[] {
  return decorators.flatMap((decorator) => {
    if (decorator.kind !== 'call' || lastName(decorator.callee) !== 'parametrize') return [];
    const names = namesOf(given(decorator, 0, 'argnames')) ?? [];
    const column = names.indexOf(parameter);
    if (column < 0) return [];
    const rows = rowsOf(given(decorator, 1, 'argvalues'), syntax, file) ?? [];
    return rows.flatMap((row) => cellsOf(row, names.length)?.[column] ?? []);
  });
}

/** The table with the expectation of a test's own row changed; of all rows that its id may mean where that is open. */
export function tableDrafts(table: Table, id: string | undefined, number: number | undefined): Draft[] {
  if (table.numbered) {
    const row = number === undefined ? undefined : table.rows[number];
    return row ? draftsOf(table, [row]) : [];
  }
  return draftsOf(table, id === undefined ? table.rows : rowsMeant(table.rows, id));
}

function rowsMeant(rows: readonly Row[], id: string): readonly Row[] {
  const whole = rows.filter((row) => row.id && new RegExp(`^(?:${row.id.source})$`).test(id));
  if (whole.length > 0) return whole;
  // Other parameters, stacked or of fixtures, stand before and behind.
  const part = rows.filter((row) => row.id && new RegExp(`(?:^|-)(?:${row.id.source})(?:-|$)`).test(id));
  return part.length > 0 ? part : rows;
}

function draftsOf({ file, statement }: Table, rows: readonly Row[]): Draft[] {
  const made = (from: number, to: number, texts: readonly string[]): Draft => ({
    kind: 'table',
    file,
    from,
    to,
    texts,
    fails: 'assertion',
    statement,
  });
  const [only] = rows;
  if (rows.length === 1 && only) return only.leaves.slice(0, 2).map(({ start, end, texts }) => made(start, end, texts));
  // All rows at once: one of them is the test's, and which is not known.
  const firsts = rows.flatMap(({ leaves }) => leaves.slice(0, 1));
  if (firsts.length === 0 || firsts.length < rows.length) return [];
  const start = firsts[0]!.start;
  const end = firsts.at(-1)!.end;
  const most = Math.min(...firsts.map(({ texts }) => texts.length));
  const texts = Array.from({ length: most }, (_, nth) => {
    let at = start;
    const parts = firsts.map((leaf) => {
      const before = file.text.slice(at, leaf.start);
      at = leaf.end;
      return before + leaf.texts[nth]!;
    });
    return parts.join('');
  });
  return [made(start, end, texts)];
}

function parametersOf(fn: FunctionStatement): string[] {
  return fn.parameters.map(({ name }) => name).filter((name) => name !== 'self');
}

function given(call: CallExpression, position: number, name: string): Expression | undefined {
  const placed = call.arguments[position];
  return (
    call.arguments.find((each) => each.name === name)?.value ?? (placed && !placed.name ? placed.value : undefined)
  );
}

function namesOf(expression: Expression | undefined): string[] | undefined {
  if (expression?.kind === 'string')
    return expression.value
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  if (expression?.kind !== 'list' && expression?.kind !== 'tuple') return undefined;
  return expression.elements.map((each) => (each.kind === 'string' ? each.value : ''));
}

/** The rows of a list that is written in place, or under a name that the module binds once and uses for this alone. */
function rowsOf(
  expression: Expression | undefined,
  syntax: ModuleSyntax,
  file: TestFile,
): readonly Expression[] | undefined {
  if (expression?.kind === 'name') {
    const uses = file.text.match(new RegExp(`\\b${expression.id}\\b`, 'g'))?.length ?? 0;
    const bound = syntax.body.find(
      (each) => each.kind === 'assign' && each.targets.length === 1 && lastName(each.targets[0]!) === expression.id,
    );
    return uses === 2 && bound?.kind === 'assign' ? rowsOf(listed(bound.value), syntax, file) : undefined;
  }
  const list = expression && listed(expression);
  return list && !list.elements.some(({ kind }) => kind === 'starred') ? list.elements : undefined;
}

function listed(expression: Expression): Extract<Expression, { kind: 'list' | 'tuple' | 'set' }> | undefined {
  return expression.kind === 'list' || expression.kind === 'tuple' ? expression : undefined;
}

interface Column {
  readonly names: readonly string[];
  readonly column: number;
  readonly ids: Expression | undefined;
  readonly numbered: boolean;
  readonly file: TestFile;
  readonly expected: ExpectedParameter;
}

function rowOf(row: Expression, at: number, { names, column, ids, numbered, file, expected }: Column): Row {
  const isParam = row.kind === 'call' && lastName(row.callee) === 'param';
  const named = isParam ? row.arguments.find(({ name }) => name === 'id')?.value : undefined;
  const marked = isParam && row.arguments.some(({ name }) => name === 'marks');
  const cells = cellsOf(row, names.length);
  const cell = cells?.[column];
  const explicit = named ?? (ids?.kind === 'list' || ids?.kind === 'tuple' ? ids.elements[at] : undefined);
  const id = explicit
    ? explicit.kind === 'string'
      ? literally(explicit.value)
      : undefined
    : cells && !numbered && (!ids || ids.kind === 'none')
      ? new RegExp(cells.map((each, place) => idOf(each, `${names[place]}${at}`)).join('-'))
      : undefined;
  // A marked row may be expected to fail.
  if (!cell || marked) return { id, leaves: [] };
  const keepsId = explicit !== undefined && explicit.kind !== 'none';
  const silent = numbered
    ? column > 0 || cell.kind !== 'string'
    : keepsId || ((!ids || ids.kind === 'none') && isObject(cell));
  return { id, leaves: silent ? leavesOf(cell, file.text, expected.tolerance) : [] };
}

function cellsOf(row: Expression, columns: number): readonly Expression[] | undefined {
  if (row.kind === 'call' && lastName(row.callee) === 'param') {
    const placed = row.arguments.filter((each: Argument) => each.name === undefined);
    return placed.some(({ spread }) => spread) ? undefined : placed.map(({ value }) => value);
  }
  if (columns === 1) return [row];
  return row.kind === 'tuple' || row.kind === 'list' ? row.elements : undefined;
}

/** Whether pytest names a value by its parameter instead of itself. */
function isObject(cell: Expression): boolean {
  if (cell.kind === 'call') return isMakerOfContainers(cell) && !/^(str|bytes)$/.test(lastName(cell.callee));
  return cell.kind === 'list' || cell.kind === 'tuple' || cell.kind === 'dict' || cell.kind === 'set';
}

/** The part of an id that pytest makes of a value, as a pattern. */
function idOf(cell: Expression, unnamed: string): string {
  switch (cell.kind) {
    case 'string':
      return !cell.isBytes && /^[ -[\]-~]*$/.test(cell.value) ? escaped(cell.value) : '.*';
    case 'number':
      return /^\d+$/.test(cell.text) ? cell.text : '.*';
    case 'boolean':
      return cell.value ? 'True' : 'False';
    case 'none':
      return 'None';
    case 'lambda':
      return '.*';
    default:
      return isObject(cell) ? escaped(unnamed) : '.*';
  }
}

function literally(text: string): RegExp {
  return new RegExp(escaped(text));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
