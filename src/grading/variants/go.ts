import { EXACT, otherNeedles, otherNumbers, otherPatterns, otherTexts, type Tolerance } from './literals';
import { nearest } from './names';
import { child, eachNode, holds, type Node, namedChildren, openGrammar, type Parse } from './tree';
import { type Draft, type LocatedTest, none, type Range, type Suite, type TestFile } from './variant';

/** Reads tests of Go: what `testing` is told of itself, and testify. */
export async function openGoTests(): Promise<(files: readonly TestFile[]) => Suite> {
  const parse = await openGrammar(require.resolve('tree-sitter-go/tree-sitter-go.wasm'));
  return (files) => new GoSuite(files, parse);
}

interface Fn {
  readonly name: string;
  readonly segments: readonly string[];
  readonly file: TestFile;
  readonly node: Node;
  readonly body: Node;
  /** How a failure is told: `t`, or `s.T()` of a suite. */
  readonly reporter: string;
  readonly folder: Folder;
}

/** Functions and tables that the files of one package share. */
interface Folder {
  readonly functions: Map<string, Fn>;
  readonly lists: Map<string, { readonly file: TestFile; readonly list: Node }>;
}

/** The statements of a test that every passing run reaches, and the subtests among them. */
interface Body {
  readonly statements: readonly Reached[];
  readonly subtests: readonly Subtest[];
}

interface Reached {
  readonly statement: Node;
  /** Loops over tables around it. */
  readonly loops: readonly Loop[];
}

interface Subtest {
  readonly title: Node;
  readonly body: Body;
  readonly reporter: string;
  readonly loops: readonly Loop[];
}

/** `for name, tt := range tests`, where the rows can be read. */
interface Loop {
  readonly key: string;
  readonly row: string;
  readonly rows: readonly Row[];
  readonly file: TestFile;
  readonly node: Node;
}

interface Row {
  readonly key: Node | undefined;
  readonly cells: ReadonlyMap<string, Node>;
}

interface Equality {
  readonly sides: readonly [Node, Node];
  readonly tolerance: Tolerance;
}

interface Edit extends Range {
  readonly texts: readonly string[];
}

interface Assertion {
  readonly equalities: readonly Equality[];
  readonly values: readonly Node[];
  readonly sought: readonly Edit[];
  readonly negation: Edit | undefined;
}

const COMPLAINTS = /^(Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/;
const EQUALS = /^(reflect\.DeepEqual|bytes\.Equal|cmp\.Equal|slices\.Equal|maps\.Equal|proto\.Equal)$/;

/** testify's comparisons of two values; the place of the first, behind the `t` where one is given. */
const EQUALITIES = /^(Equal|EqualValues|Exactly|JSONEq|YAMLEq|ElementsMatch|EqualError|Len|InDelta)f?$/;
const OPPOSITES: Readonly<Record<string, string>> = {
  Equal: 'NotEqual',
  NotEqual: 'Equal',
  EqualValues: 'NotEqualValues',
  True: 'False',
  False: 'True',
  Nil: 'NotNil',
  NotNil: 'Nil',
  NoError: 'Error',
  Error: 'NoError',
  Empty: 'NotEmpty',
  NotEmpty: 'Empty',
  Zero: 'NotZero',
  NotZero: 'Zero',
  Contains: 'NotContains',
  NotContains: 'Contains',
  Panics: 'NotPanics',
  NotPanics: 'Panics',
  Regexp: 'NotRegexp',
  Greater: 'LessOrEqual',
  Less: 'GreaterOrEqual',
  GreaterOrEqual: 'Less',
  LessOrEqual: 'Greater',
};

class GoSuite implements Suite {
  private readonly tests = new Map<string, Fn[]>();
  private readonly methods = new Map<string, Fn[]>();
  private readonly bodies = new Map<Fn, Body>();

  constructor(files: readonly TestFile[], parse: Parse) {
    const folders = new Map<string, Folder>();
    for (const file of files) {
      const segments = file.path.split('/').slice(0, -1);
      const key = segments.join('/');
      const folder = folders.get(key) ?? { functions: new Map(), lists: new Map() };
      folders.set(key, folder);
      this.index(parse(file.text), file, segments, folder);
    }
  }

  private index(root: Node, file: TestFile, segments: readonly string[], folder: Folder): void {
    const { text } = file;
    for (const node of root.children) {
      if (node.type === 'var_declaration')
        for (const [name, list] of listsIn(node, text)) folder.lists.set(name, { file, list });
      const named = child(node, 'name');
      const body = child(node, 'body');
      if (!named || !body) continue;
      const name = textOf(named, text);
      const receiver = node.type === 'method_declaration' ? parametersOf(child(node, 'receiver'), text)[0] : undefined;
      const reporter = receiver ? `${receiver}.T()` : (reporterOf(node, text) ?? 't');
      const fn: Fn = { name, segments, file, node, body, reporter, folder };
      if (node.type === 'function_declaration') {
        folder.functions.set(name, fn);
        if (/^(Test|Fuzz)/.test(name)) push(this.tests, name, fn);
      } else if (/^Test/.test(name)) push(this.methods, name, fn);
    }
  }

  locate(id: string): LocatedTest {
    for (const found of id.matchAll(/(?:^|[./: ])((?:Test|Fuzz|Example)\w*)(?=\/|$|\s)/g)) {
      const name = found[1]!;
      const before = id.slice(0, found.index).split(/[/:]+/).filter(Boolean);
      const all = this.tests.get(name) ?? [];
      const [only, ...more] = all;
      const near = nearest(all, before);
      if (!only) continue;
      const candidates =
        more.length === 0 ? [only] : near.length > 0 ? near : all.filter((each) => each.segments.length === 0);
      const [test, ...others] = candidates.length > 0 ? candidates : all;
      if (!test || others.length > 0) return none('several tests have this name');
      const rest = id
        .slice(found.index + found[0].length)
        .replace(/^\//, '')
        .trim();
      return this.draftsAt(test, rest === '' ? [] : rest.split('/'));
    }
    return none(
      /\bExample\w*/.test(id) ? 'an example, whose output is a comment' : 'no test of this name in the files given',
    );
  }

  private draftsAt(test: Fn, names: readonly string[]): LocatedTest {
    const body = this.bodyOf(test);
    const why = 'no assertion is reached in every run';
    if (names.length === 0) return { drafts: this.draftsOf(body, test, test.reporter, undefined), why };
    const method = this.methodOf(test, names[0]!);
    if (method) return this.draftsAt(method, names.slice(1));
    const found = subtestAt(body.subtests, names, test.file.text);
    if (!found) return none('its subtest is not found by its name');
    return { drafts: this.draftsOf(found.subtest.body, test, found.subtest.reporter, found), why };
  }

  /** `TestSuite/TestMethod`, where the suite is run by testify. */
  private methodOf(test: Fn, name: string): Fn | undefined {
    const [method, ...others] = (this.methods.get(name) ?? []).filter(({ folder }) => folder === test.folder);
    return method && others.length === 0 && /\bsuite\.Run\(/.test(textOf(test.body, test.file.text))
      ? method
      : undefined;
  }

  private bodyOf(fn: Fn): Body {
    const known = this.bodies.get(fn);
    if (known) return known;
    const body = readBody(fn.body, fn, []);
    this.bodies.set(fn, body);
    return body;
  }

  /** Drafts of a body and of the subtests in it, whose failure is its own too. */
  private draftsOf(body: Body, fn: Fn, reporter: string, at: Located | undefined): Draft[] {
    const own = body.statements.flatMap((each) => this.statementDrafts(each, fn, at));
    const inner = body.subtests.flatMap((each) => this.draftsOf(each.body, fn, each.reporter, undefined));
    const last = body.statements
      .map(({ statement }) => statement)
      .filter((each) => !mayLeave(each, fn.file.text))
      .at(-1);
    if (!last || inner.some(({ kind }) => kind === 'must-fail')) return [...own, ...inner];
    const texts = ['2 != 1 { REPORTER.Error("got 2, want 1") }', 'len("ab") != 3 { REPORTER.Error("got 2, want 3") }'];
    const mustFail: Draft = {
      kind: 'must-fail',
      file: fn.file,
      from: last.end,
      to: last.end,
      texts: texts.map((each) => `; if ${each.replace('REPORTER', reporter)}`),
      fails: 'assertion',
      statement: last,
    };
    return [...own, ...inner, mustFail];
  }

  private statementDrafts({ statement, loops }: Reached, fn: Fn, at: Located | undefined): Draft[] {
    const { file } = fn;
    const { text } = file;
    const draft = (kind: Draft['kind'], each: Edit, from: TestFile = file): Draft => ({
      kind,
      file: from,
      from: each.start,
      to: each.end,
      texts: each.texts,
      fails: 'assertion',
      statement,
    });
    const helped = this.helped(statement, fn).map((each) => draft('helper', each));
    const assertion = assertionOf(statement, text);
    if (!assertion) return helped;
    const leaves = [
      ...assertion.equalities.flatMap((each) => valuesOf(each, text)),
      ...assertion.values.flatMap((each) => leavesOf(each, text, EXACT).slice(0, 1)),
    ];
    const table = assertion.equalities.flatMap((each) => tableEdits(each, statement, loops, text, at));
    const typed = leaves.length > 0 ? [] : assertion.equalities.flatMap((each) => unequal(each, text)).slice(0, 1);
    return [
      ...leaves.map((each) => draft('value', each)),
      ...table.map(({ file: from, edit }) => draft('table', edit, from)),
      ...helped,
      ...typed.map((each) => draft('value-type', each)),
      ...assertion.sought.map((each) => draft('raises', each)),
      ...(assertion.negation ? [draft('negate', assertion.negation)] : []),
    ];
  }

  /** Literal arguments that a function of the package compares in every run that passes. */
  private helped(statement: Node, { file, folder }: Fn): Edit[] {
    const call = statement.type === 'expression_statement' ? namedChildren(statement)[0] : undefined;
    const callee = call?.type === 'call_expression' ? child(call, 'function') : undefined;
    const helper = callee?.type === 'identifier' ? folder.functions.get(textOf(callee, file.text)) : undefined;
    if (!call || !helper) return [];
    const names = parametersOf(child(helper.node, 'parameters'), helper.file.text);
    const edits = argumentsOf(call).flatMap((argument, position) => {
      const name = names[position];
      const tolerance = name === undefined ? undefined : comparedBy(helper, name);
      return tolerance ? leavesOf(argument, file.text, tolerance).slice(0, 1) : [];
    });
    return edits.slice(0, 2);
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const all = map.get(key);
  if (all) all.push(value);
  else map.set(key, [value]);
}

function textOf(node: Node, text: string): string {
  return text.slice(node.start, node.end);
}

function argumentsOf(call: Node): readonly Node[] {
  return namedChildren(child(call, 'arguments'));
}

/** Names of parameters in order, each of `got, want int` for itself. */
function parametersOf(list: Node | undefined, text: string): string[] {
  return namedChildren(list).flatMap((each) => {
    const names = each.children.filter(({ field }) => field === 'name').map((name) => textOf(name, text));
    return each.type === 'variadic_parameter_declaration' ? [] : names;
  });
}

/** The parameter of the type `*testing.T` or `testing.TB`. */
function reporterOf(fn: Node, text: string): string | undefined {
  for (const each of namedChildren(child(fn, 'parameters'))) {
    const type = child(each, 'type');
    if (type && /^\*?testing\.(T|TB|F)$/.test(textOf(type, text))) return textOf(child(each, 'name') ?? each, text);
  }
  return undefined;
}

/** Lists with something in them that a declaration binds. */
function listsIn(declaration: Node, text: string): [string, Node][] {
  const found: [string, Node][] = [];
  eachNode(declaration, (node) => {
    if (node.type === 'func_literal') return false;
    const names =
      node.type === 'short_var_declaration' ? child(node, 'left') : node.type === 'var_spec' ? node : undefined;
    if (!names) return true;
    const left = node.type === 'var_spec' ? child(node, 'name') : namedChildren(names)[0];
    const values = child(node, node.type === 'var_spec' ? 'value' : 'right');
    const [value, ...others] = namedChildren(values);
    if (left && value?.type === 'composite_literal' && others.length === 0) found.push([textOf(left, text), value]);
    return true;
  });
  return found;
}

// What is reached

function readBody(block: Node, fn: Fn, loops: readonly Loop[]): Body {
  const statements: Reached[] = [];
  const subtests: Subtest[] = [];
  const lists = new Map<string, { readonly file: TestFile; readonly list: Node }>(fn.folder.lists);
  follow(statementsIn(block), loops);
  return { statements, subtests };

  function follow(list: readonly Node[], around: readonly Loop[]): boolean {
    for (const statement of list) {
      if (/^(return_statement|break_statement|continue_statement|goto_statement)$/.test(statement.type)) return false;
      const subtest = subtestOf(statement, around);
      if (subtest) {
        subtests.push(subtest);
        continue;
      }
      for (const [name, each] of /_declaration$/.test(statement.type) ? listsIn(statement, fn.file.text) : [])
        lists.set(name, { file: fn.file, list: each });
      if (statement.type === 'block') {
        if (!follow(statementsIn(statement), around)) return false;
        continue;
      }
      statements.push({ statement, loops: around });
      if (statement.type === 'if_statement' && complains(child(statement, 'consequence'), fn.file.text)) {
        const otherwise = child(statement, 'alternative');
        if (otherwise && !follow(otherwise.type === 'block' ? statementsIn(otherwise) : [otherwise], around))
          return false;
        continue;
      }
      if (statement.type === 'for_statement') {
        const loop = loopOf(statement);
        if (loop) follow(statementsIn(child(statement, 'body')), [...around, loop]);
      }
      if (mayLeave(statement, fn.file.text)) return false;
    }
    return true;
  }

  function subtestOf(statement: Node, around: readonly Loop[]): Subtest | undefined {
    const call = statement.type === 'expression_statement' ? namedChildren(statement)[0] : undefined;
    const callee = call?.type === 'call_expression' ? child(call, 'function') : undefined;
    if (!call || callee?.type !== 'selector_expression' || textOf(child(callee, 'field')!, fn.file.text) !== 'Run')
      return undefined;
    const [title, run] = argumentsOf(call);
    const inner = run?.type === 'func_literal' ? child(run, 'body') : undefined;
    if (!title || !run || !inner) return undefined;
    const reporter = reporterOf(run, fn.file.text) ?? fn.reporter;
    return { title, body: readBody(inner, fn, around), reporter, loops: around };
  }

  function loopOf(statement: Node): Loop | undefined {
    const clause = namedChildren(statement).find(({ type }) => type === 'range_clause');
    const right = child(clause, 'right');
    const names = namedChildren(child(clause, 'left')).map((each) => textOf(each, fn.file.text));
    if (!right) return undefined;
    const known = right.type === 'identifier' ? lists.get(textOf(right, fn.file.text)) : undefined;
    const list = right.type === 'composite_literal' ? right : known?.list;
    const file = known?.file ?? fn.file;
    const rows = list ? rowsOf(list, file.text) : [];
    // An empty list has no rows, and its loop runs for nothing.
    return rows.length > 0 ? { key: names[0] ?? '_', row: names[1] ?? '_', rows, file, node: statement } : undefined;
  }
}

function statementsIn(block: Node | undefined): readonly Node[] {
  const list = namedChildren(block).find(({ type }) => type === 'statement_list');
  return namedChildren(list ?? block);
}

/** Whether a block says that the test failed: what leaves it leaves no passing run. */
function complains(block: Node | undefined, text: string): boolean {
  return statementsIn(block).some((each) => {
    const call = each.type === 'expression_statement' ? namedChildren(each)[0] : undefined;
    const callee = call?.type === 'call_expression' ? child(call, 'function') : undefined;
    if (callee?.type !== 'selector_expression') return false;
    const to = textOf(child(callee, 'operand')!, text);
    return COMPLAINTS.test(textOf(child(callee, 'field')!, text)) && !/^(fmt|log|errors|logger|slog)$/.test(to);
  });
}

function mayLeave(statement: Node, text: string): boolean {
  return holds(
    statement,
    ({ type }) => /^(return_statement|continue_statement|break_statement|goto_statement)$/.test(type),
    (each) => each.type !== 'func_literal' && !(each.type === 'block' && complains(each, text)),
  );
}

/** The rows of a table: a list of structs, or a map to them. */
function rowsOf(list: Node, text: string): Row[] {
  const type = child(list, 'type');
  const fields: string[] = [];
  if (type)
    eachNode(type, (node) => {
      if (node.type !== 'field_declaration') return true;
      for (const each of node.children) if (each.field === 'name') fields.push(textOf(each, text));
      return false;
    });
  return namedChildren(child(list, 'body')).map((element) => {
    const value = element.type === 'keyed_element' ? child(element, 'value') : element;
    const key = element.type === 'keyed_element' ? namedChildren(child(element, 'key'))[0] : undefined;
    const cells = new Map<string, Node>();
    const inner = namedChildren(value)[0];
    const struct = inner?.type === 'composite_literal' ? child(inner, 'body') : inner;
    if (struct?.type === 'literal_value')
      namedChildren(struct).forEach((each, position) => {
        const isKeyed = each.type === 'keyed_element';
        const name = isKeyed ? textOf(child(each, 'key')!, text) : fields[position];
        const cell = namedChildren(isKeyed ? child(each, 'value') : each)[0];
        if (name !== undefined && cell) cells.set(name, cell);
      });
    return { key, cells };
  });
}

// Subtests by name

interface Located {
  readonly subtest: Subtest;
  /** The row that gives the subtest its name. */
  readonly row: { readonly loop: Loop; readonly row: Row } | undefined;
}

function subtestAt(subtests: readonly Subtest[], names: readonly string[], text: string): Located | undefined {
  const found = subtests.flatMap((each): Located[] => {
    const deeper = names.length;
    for (let taken = deeper; taken > 0; taken--) {
      const located = namedBy(each, names.slice(0, taken).join('/'), text);
      if (!located) continue;
      if (taken === deeper) return [located];
      const inner = subtestAt(each.body.subtests, names.slice(taken), text);
      return inner ? [inner.row ? inner : { subtest: inner.subtest, row: located.row }] : [];
    }
    return [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function namedBy(subtest: Subtest, name: string, text: string): Located | undefined {
  const { title, loops } = subtest;
  const own = contentOf(title, text);
  if (own !== undefined) return isNamed(own, name) ? { subtest, row: undefined } : undefined;
  for (const loop of loops) {
    const field = title.type === 'selector_expression' ? child(title, 'field') : undefined;
    const isField = field && textOf(child(title, 'operand')!, text) === loop.row;
    const isKey = title.type === 'identifier' && textOf(title, text) === loop.key;
    if (!isField && !isKey) continue;
    const row = loop.rows.find(({ key, cells }) => {
      const cell = isKey ? key : cells.get(textOf(field!, text));
      const given = cell && contentOf(cell, loop.file.text);
      return given !== undefined && isNamed(given, name);
    });
    return row && { subtest, row: { loop, row } };
  }
  return undefined;
}

function contentOf(node: Node, text: string): string | undefined {
  return /_string_literal$/.test(node.type) ? textOf(node, text).slice(1, -1).replace(/\\(.)/g, '$1') : undefined;
}

/** Go writes blanks in names as `_`, and numbers those that come again. */
function isNamed(given: string, name: string): boolean {
  return (
    given.replace(/\s/g, '_') === name.replace(/#\d+$/, '') || given.replace(/\s/g, '_') === name || given === name
  );
}

// Assertions

function assertionOf(statement: Node, text: string): Assertion | undefined {
  if (statement.type === 'if_statement')
    return complains(child(statement, 'consequence'), text) ? ofRefusal(statement, text) : undefined;
  const call = statement.type === 'expression_statement' ? namedChildren(statement)[0] : undefined;
  const callee = call?.type === 'call_expression' ? child(call, 'function') : undefined;
  return call && callee?.type === 'selector_expression' ? ofCall(call, callee, text) : undefined;
}

/** `if got != 3 { t.Error() }`: where any part holds the test fails. */
function ofRefusal(statement: Node, text: string): Assertion {
  const condition = child(statement, 'condition')!;
  const equalities: Equality[] = [];
  const values: Node[] = [];
  const sought: Edit[] = [];
  for (const part of disjuncts(condition)) {
    if (part.type === 'binary_expression' && child(part, 'operator')?.type === '!=') {
      const diff = diffOf(statement, child(part, 'left')!, text);
      equalities.push({ sides: diff ?? [child(part, 'left')!, child(part, 'right')!], tolerance: EXACT });
    }
    const denied =
      part.type === 'unary_expression' && child(part, 'operator')?.type === '!' ? child(part, 'operand') : undefined;
    if (denied?.type !== 'call_expression') continue;
    const name = textOf(child(denied, 'function')!, text);
    const [first, second] = argumentsOf(denied);
    if (!first || !second) continue;
    if (EQUALS.test(name)) equalities.push({ sides: [first, second], tolerance: EXACT });
    if (/^(strings|bytes)\.(HasPrefix|HasSuffix)$/.test(name)) values.push(second);
    if (/^(strings|bytes)\.Contains$/.test(name)) sought.push(...altered(second, text, otherNeedles));
  }
  const negation: Edit = { start: condition.start, end: condition.end, texts: [`!(${textOf(condition, text)})`] };
  return { equalities, values, sought, negation };
}

function disjuncts(condition: Node): Node[] {
  if (condition.type === 'parenthesized_expression') return namedChildren(condition).flatMap(disjuncts);
  if (condition.type !== 'binary_expression' || child(condition, 'operator')?.type !== '||') return [condition];
  return [...disjuncts(child(condition, 'left')!), ...disjuncts(child(condition, 'right')!)];
}

/** `if diff := cmp.Diff(want, got); diff != ""`: what is compared. */
function diffOf(statement: Node, name: Node, text: string): [Node, Node] | undefined {
  const initializer = child(statement, 'initializer');
  if (initializer?.type !== 'short_var_declaration') return undefined;
  const [left] = namedChildren(child(initializer, 'left'));
  const [right] = namedChildren(child(initializer, 'right'));
  if (!left || right?.type !== 'call_expression' || textOf(left, text) !== textOf(name, text)) return undefined;
  if (!/(^|\.)Diff$/.test(textOf(child(right, 'function')!, text))) return undefined;
  const [first, second] = argumentsOf(right);
  return first && second ? [first, second] : undefined;
}

function ofCall(call: Node, callee: Node, text: string): Assertion | undefined {
  const field = child(callee, 'field')!;
  const name = textOf(field, text);
  const plain = name.replace(/f$/, '');
  const all = argumentsOf(call);
  const isReporter = all[0] && /^(t|tb|\w+\.T\(\))$/.test(textOf(all[0], text));
  const [first, second, third] = isReporter ? all.slice(1) : all;
  const opposite = Object.hasOwn(OPPOSITES, plain) ? OPPOSITES[plain]! : undefined;
  if (!opposite && !EQUALITIES.test(name) && plain !== 'ErrorContains') return undefined;
  // `assert.Error(t, err)` asserts, `t.Error("…")` complains.
  if (COMPLAINTS.test(name) && !isReporter && /^(t|tb|b)$/.test(textOf(child(callee, 'operand')!, text)))
    return undefined;
  const suffix = name === plain ? '' : 'f';
  const negation = opposite ? { start: field.start, end: field.end, texts: [`${opposite}${suffix}`] } : undefined;
  const delta = plain === 'InDelta' && third ? Number(textOf(third, text)) : 0;
  const isEqual = EQUALITIES.test(name) && first && second && !Number.isNaN(delta);
  const sought =
    plain === 'Contains' || plain === 'ErrorContains'
      ? altered(second, text, otherNeedles)
      : plain === 'Regexp'
        ? altered(first, text, otherPatterns)
        : [];
  const tolerance = delta > 0 ? { relative: 0, absolute: delta } : EXACT;
  return { equalities: isEqual ? [{ sides: [first, second], tolerance }] : [], values: [], sought, negation };
}

function altered(node: Node | undefined, text: string, others: (content: string) => string[]): Edit[] {
  if (!node || !/_string_literal$/.test(node.type)) return [];
  const texts = requoted(node, text, others);
  return texts.length > 0 ? [{ start: node.start, end: node.end, texts }] : [];
}

function requoted(node: Node, text: string, others: (content: string) => string[]): string[] {
  const whole = textOf(node, text);
  return others(whole.slice(1, -1)).map((each) => whole[0]! + each + whole.at(-1)!);
}

const CONVERSIONS = /^(u?int(8|16|32|64)?|float(32|64)|string|byte|rune)$/;
const ZEROS: Readonly<Record<string, string>> = { string: '"x"', int: '2', float64: '2', bool: 'true', byte: '2' };

function leavesOf(node: Node, text: string, tolerance: Tolerance): Edit[] {
  const exact = tolerance === EXACT;
  const leaf = (texts: readonly string[]): Edit[] =>
    texts.length > 0 ? [{ start: node.start, end: node.end, texts }] : [];
  switch (node.type) {
    case 'int_literal':
    case 'float_literal':
      return leaf(otherNumbers(textOf(node, text), tolerance));
    case 'interpreted_string_literal':
    case 'raw_string_literal':
      return exact ? leaf(requoted(node, text, otherTexts)) : [];
    case 'rune_literal':
      return exact && /^'[A-Za-z0-9]'$/.test(textOf(node, text)) ? leaf(requoted(node, text, otherTexts)) : [];
    case 'true':
    case 'false':
      return exact ? leaf([node.type === 'true' ? 'false' : 'true']) : [];
    case 'unary_expression': {
      const operand = child(node, 'operand');
      const operator = child(node, 'operator')?.type;
      const inside = operator === '-' ? /^(int|float)_literal$/ : operator === '&' ? /^composite_literal$/ : /^$/;
      return operand && inside.test(operand.type) ? leavesOf(operand, text, tolerance) : [];
    }
    case 'parenthesized_expression':
      return namedChildren(node).flatMap((each) => leavesOf(each, text, tolerance));
    case 'composite_literal': {
      const body = child(node, 'body');
      if (namedChildren(body).length > 0) return body ? leavesOf(body, text, tolerance) : [];
      const type = textOf(child(node, 'type') ?? node, text);
      const zero = type.startsWith('[]') ? ZEROS[type.slice(2)] : undefined;
      return exact && zero ? leaf([`${type}{${zero}}`]) : [];
    }
    case 'literal_value':
      return namedChildren(node).flatMap((each) => leavesOf(each, text, tolerance));
    case 'literal_element':
      return namedChildren(node).flatMap((each) => leavesOf(each, text, tolerance));
    case 'keyed_element':
      return leavesOf(child(node, 'value')!, text, tolerance);
    case 'type_conversion_expression': {
      const operand = child(node, 'operand');
      return operand ? leavesOf(operand, text, tolerance) : [];
    }
    case 'call_expression': {
      const [only] = argumentsOf(node);
      return only && CONVERSIONS.test(textOf(child(node, 'function')!, text)) ? leavesOf(only, text, tolerance) : [];
    }
    default:
      return [];
  }
}

function isLiteral(node: Node): boolean {
  return (
    /_literal$|^(true|false|nil)$/.test(node.type) && node.type !== 'composite_literal' && node.type !== 'func_literal'
  );
}

function valuesOf({ sides, tolerance }: Equality, text: string): Edit[] {
  const [left, right] = sides;
  if (isLiteral(left) && isLiteral(right)) return [];
  const inLeft = leavesOf(left, text, tolerance);
  const inRight = leavesOf(right, text, tolerance);
  const leaves = inRight.length > 0 && !isLiteral(left) ? inRight : inLeft;
  return leaves.length > 2 ? [leaves[0]!, leaves.at(-1)!] : leaves;
}

const TEXTS = /^(fmt\.Sprintf?|strings\.\w+|strconv\.(Itoa|Quote|Format\w+)|[\w.]+\.(String|Error|Name))$/;

/** An operand made unequal where its type is certain: a wrong guess would not compile, and take the package with it. */
function unequal({ sides, tolerance }: Equality, text: string): Edit[] {
  if (tolerance !== EXACT || sides.some((each) => each.type === 'nil')) return [];
  const kinds = sides.map((side) => {
    const called = side.type === 'call_expression' ? textOf(child(side, 'function')!, text) : '';
    if (called === 'len' || called === 'cap') return 'number';
    if (/^strings\.(Contains|Has|Index|Count|Equal|Fields|Split|NewR|NewB|Cut|Compare)/.test(called)) return undefined;
    return TEXTS.test(called) ||
      (side.type === 'binary_expression' && side.children.some(({ type }) => /string_literal$/.test(type)))
      ? 'text'
      : undefined;
  });
  const kind = kinds[0] ?? kinds[1];
  if (!kind) return [];
  // The side that says its type is rather the result.
  const wanted = kinds[1] && !kinds[0] ? sides[0] : sides[1];
  const source = `(${textOf(wanted, text)})`;
  const texts = kind === 'number' ? [`${source} + 2`, `${source} + 4`] : [`${source} + "x"`, `${source} + "no"`];
  return [{ start: wanted.start, end: wanted.end, texts }];
}

/** The tolerance with which a function compares a parameter in every run that passes, using it for nothing else before. */
function comparedBy(fn: Fn, name: string): Tolerance | undefined {
  const { text } = fn.file;
  for (const { statement } of readBody(fn.body, fn, []).statements) {
    for (const { sides, tolerance } of assertionOf(statement, text)?.equalities ?? [])
      for (const [side, other] of [sides, [sides[1], sides[0]] as const])
        if (side.type === 'identifier' && textOf(side, text) === name && !mentions(other, name, text)) return tolerance;
    if (mentions(statement, name, text)) return undefined;
  }
  return undefined;
}

function mentions(node: Node, name: string, text: string): boolean {
  return holds(node, (each) => each.type === 'identifier' && textOf(each, text) === name);
}

/** The compared field in the test's own row; for the whole test in its first and its last row. */
function tableEdits(
  { sides, tolerance }: Equality,
  statement: Node,
  loops: readonly Loop[],
  text: string,
  at: Located | undefined,
): { readonly file: TestFile; readonly edit: Edit }[] {
  for (const side of [sides[1], sides[0]]) {
    const field = side.type === 'selector_expression' ? child(side, 'field') : undefined;
    const operand = field && textOf(child(side, 'operand')!, text);
    const loop = loops.find(({ row }) => row === operand);
    if (!field || !loop) continue;
    if (isUsedBefore(loop, textOf(field, text), side, statement, text)) continue;
    const rows = at ? (at.row?.loop.node === loop.node ? [at.row.row] : []) : [loop.rows[0]!, loop.rows.at(-1)!];
    const edits = [...new Set(rows)].flatMap(({ cells }) => {
      const cell = cells.get(textOf(field, text));
      return cell ? leavesOf(cell, loop.file.text, tolerance).slice(0, 1) : [];
    });
    return edits.map((edit) => ({ file: loop.file, edit }));
  }
  return [];
}

/** Whether a row's field, or the row as a whole, may have had a say in what is compared with it. */
function isUsedBefore(loop: Loop, field: string, side: Node, statement: Node, text: string): boolean {
  const body = child(loop.node, 'body')!;
  let used = false;
  eachNode(body, (node) => {
    if (used || node.start >= statement.end || node === side) return false;
    if (node.type === 'block' && complains(node, text)) return false;
    if (node.type === 'short_var_declaration' && textOf(node, text) === `${loop.row} := ${loop.row}`) return false;
    if (node.type === 'selector_expression' && textOf(child(node, 'operand')!, text) === loop.row) {
      if (textOf(child(node, 'field')!, text) === field) used = true;
      return false;
    }
    if (node.type === 'identifier' && textOf(node, text) === loop.row) used = true;
    return !used;
  });
  return used;
}
