import { EXACT, otherNeedles, otherNumbers, otherPatterns, otherTexts, type Tolerance } from './literals';
import { child, eachNode, holds, type Node, namedChildren, openGrammar, type Parse } from './tree';
import { type Draft, type Failure, type LocatedTest, none, type Range, type Suite, type TestFile } from './variant';

/** Reads tests of Jest, Vitest, Mocha with Chai or `assert`, and Node.js's own runner. */
export async function openJavascriptTests(): Promise<(files: readonly TestFile[]) => Suite> {
  const javascript = await openGrammar(require.resolve('tree-sitter-javascript/tree-sitter-javascript.wasm'));
  const typescript = await openGrammar(require.resolve('tree-sitter-typescript/tree-sitter-typescript.wasm'));
  const tsx = await openGrammar(require.resolve('tree-sitter-typescript/tree-sitter-tsx.wasm'));
  const grammarOf = (path: string) => (/\.tsx$/.test(path) ? tsx : /\.[cm]?ts$/.test(path) ? typescript : javascript);
  return (files) => new JavascriptSuite(files, grammarOf);
}

/** A name as far as it is written: what is computed matches anything. */
interface Title {
  readonly text: string;
  readonly pattern: string;
  readonly isFixed: boolean;
}

interface Test {
  readonly file: TestFile;
  readonly title: Title;
  readonly body: Node;
  /** Parameters of the callback, where each is a plain name or a pattern. */
  readonly parameters: readonly Node[];
  /** Own title and rows of `test.each`. */
  readonly own: string;
  readonly outer: string;
  readonly rows: readonly Node[] | undefined;
  readonly helpers: ReadonlyMap<string, Node>;
}

const SUITES = /^(describe|suite|context|fdescribe|xdescribe)$/;
const TESTS = /^(it|test|specify|fit)$/;

/** What can be equal, by matcher: which argument is expected. Not those that any of several calls may satisfy. */
const MATCHERS: Readonly<Record<string, number>> = {
  toBe: 0,
  toEqual: 0,
  toStrictEqual: 0,
  toMatchObject: 0,
  toBeCloseTo: 0,
  toHaveLength: 0,
  toHaveValue: 0,
  toHaveBeenCalledTimes: 0,
  toBeCalledTimes: 0,
  toHaveReturnedTimes: 0,
  toHaveBeenLastCalledWith: 0,
  lastCalledWith: 0,
  toHaveBeenCalledExactlyOnceWith: 0,
  toHaveLastReturnedWith: 0,
  toHaveBeenNthCalledWith: 1,
  toHaveProperty: 1,
  toHaveAttribute: 1,
};
/** Chai's, behind `expect(x).to` or `x.should`. */
const CHAI: Readonly<Record<string, number>> = {
  equal: 0,
  equals: 0,
  eq: 0,
  eql: 0,
  eqls: 0,
  lengthOf: 0,
  length: 0,
  callCount: 0,
  property: 1,
};
/** Functions of `assert` that compare their first two arguments, with their opposites. */
const ASSERTS: Readonly<Record<string, string | undefined>> = {
  equal: 'notEqual',
  strictEqual: 'notStrictEqual',
  deepEqual: 'notDeepEqual',
  deepStrictEqual: 'notDeepStrictEqual',
  lengthOf: undefined,
  sameMembers: undefined,
  is: 'not',
  same: 'notSame',
};
const OPPOSITES: Readonly<Record<string, string>> = {
  isTrue: 'isFalse',
  isFalse: 'isTrue',
  isOk: 'isNotOk',
  isNotOk: 'isOk',
  isNull: 'isNotNull',
  isNotNull: 'isNull',
  isUndefined: 'isDefined',
  isDefined: 'isUndefined',
  exists: 'notExists',
  notExists: 'exists',
  include: 'notInclude',
  match: 'doesNotMatch',
  notEqual: 'equal',
  notStrictEqual: 'strictEqual',
  notDeepEqual: 'deepEqual',
  notDeepStrictEqual: 'deepStrictEqual',
};
/** Matchers that look for a text or a pattern. */
const SEEKERS =
  /^(toContain|toMatch|toThrow|toThrowError|toHaveTextContent|string|include|includes|contain|contains|match|throw|throws)$/;
const UNRELATED = ['EvalError', 'URIError'];

interface Edit extends Range {
  readonly texts: readonly string[];
  readonly fails: Failure;
}

interface Assertion {
  readonly equality:
    | { readonly sides: readonly [Node, Node]; readonly tolerance: Tolerance; readonly partial: boolean }
    | undefined;
  readonly values: readonly Node[];
  readonly sought: readonly Edit[];
  readonly negation: Edit | undefined;
}

class JavascriptSuite implements Suite {
  private readonly fixed = new Map<string, Test[]>();
  private readonly computed: Test[] = [];
  private readonly bodies = new Map<Test, readonly Draft[]>();

  constructor(
    private readonly files: readonly TestFile[],
    grammarOf: (path: string) => Parse,
  ) {
    for (const file of files) {
      const root = grammarOf(file.path)(file.text);
      const helpers = helpersIn(root, file.text);
      this.index(root, file, [], helpers);
    }
  }

  /** `context` is what a test of Node.js calls for its parts: `t.test('…', () => {…})`. */
  private index(
    node: Node,
    file: TestFile,
    outer: readonly Title[],
    helpers: ReadonlyMap<string, Node>,
    context?: string,
  ): void {
    for (const each of node.children) {
      const called = each.type === 'call_expression' ? definitionOf(each, file.text, context) : undefined;
      if (!called) {
        this.index(each, file, outer, helpers, context);
        continue;
      }
      if (called.isSuite) {
        this.index(called.body, file, [...outer, called.title], helpers);
        continue;
      }
      const [first] = called.parameters;
      if (first?.type === 'identifier' && !called.rows)
        this.index(called.body, file, [...outer, called.title], helpers, textOf(first, file.text));
      const title = joined([...outer, called.title]);
      const test: Test = {
        file,
        title,
        body: called.body,
        parameters: called.parameters,
        own: called.title.text,
        outer: joined(outer).pattern,
        rows: called.rows,
        helpers,
      };
      if (!title.isFixed) this.computed.push(test);
      else if (this.fixed.has(title.text)) this.fixed.get(title.text)!.push(test);
      else this.fixed.set(title.text, [test]);
    }
  }

  locate(id: string): LocatedTest {
    const { path, name } = this.partsOf(id);
    const inFile = (test: Test) => path === undefined || endsWithPath(test.file.path, path);
    let found = (this.fixed.get(name) ?? []).filter(inFile);
    if (found.length === 0)
      found = this.computed.filter((test) => inFile(test) && new RegExp(`^${test.title.pattern}$`, 's').test(name));
    const [test, ...others] = found;
    if (!test) return none('no test of this name in the files given');
    if (others.length > 0) return none('several tests have this name');
    const drafts = this.bodies.get(test) ?? draftsOf(test);
    this.bodies.set(test, drafts);
    return { drafts: [...drafts, ...tableDrafts(test, name)], why: 'no assertion is reached in every run' };
  }

  /** The file, where an id begins with one, and the names of suites and test as Jest joins them. */
  private partsOf(id: string): { path: string | undefined; name: string } {
    const found = /^(\S*?\.[cm]?[jt]sx?)(?:\s*[>›]\s*|::|:|\s+)(.*)$/s.exec(id);
    const path = found && this.files.some((file) => endsWithPath(file.path, found[1]!)) ? found[1] : undefined;
    const rest = path === undefined ? id : found![2]!;
    return {
      path,
      name: rest
        .split(/(?<!\s)\s+[>›]\s+|::/)
        .join(' ')
        .trim(),
    };
  }
}

function endsWithPath(path: string, end: string): boolean {
  const [long, short] = path.length >= end.length ? [path, end] : [end, path];
  return long === short || long.endsWith(`/${short}`);
}

function textOf(node: Node, text: string): string {
  return text.slice(node.start, node.end);
}

function argumentsOf(call: Node): readonly Node[] {
  const list = child(call, 'arguments');
  return list?.type === 'arguments' ? namedChildren(list) : [];
}

/** `describe('…', () => {…})`, `it.each(rows)('…', (row) => {…})`. */
function definitionOf(call: Node, text: string, context?: string) {
  const [title, ...rest] = argumentsOf(call);
  const body = rest.find(({ type }) => /^(arrow_function|function_expression|function)$/.test(type));
  if (!title || !body) return undefined;
  let callee = child(call, 'function');
  let rows: readonly Node[] | undefined;
  let isEach = false;
  if (callee?.type === 'call_expression') {
    isEach = true;
    const [table] = argumentsOf(callee);
    rows = table?.type === 'array' ? namedChildren(table) : undefined;
    callee = child(callee, 'function');
  }
  const isPart = context !== undefined && callee !== undefined && textOf(callee, text) === `${context}.test`;
  const root = isPart ? 'test' : callee && rootOf(callee, text);
  if (!root || (!SUITES.test(root) && !TESTS.test(root))) return undefined;
  if (/\.(failing|todo)\b/.test(textOf(callee!, text))) return undefined;
  const inner = child(body, 'body');
  const parameters = child(body, 'parameters');
  const single = child(body, 'parameter');
  return inner
    ? {
        isSuite: SUITES.test(root),
        title: titleOf(title, text, isEach),
        body: inner,
        parameters: (single ? [single] : namedChildren(parameters)).map((each) => child(each, 'pattern') ?? each),
        rows,
      }
    : undefined;
}

/** First name of `it.only`, `test.concurrent.each`; undefined for `x.test(…)` of anything else. */
function rootOf(callee: Node, text: string): string | undefined {
  if (callee.type === 'identifier') return textOf(callee, text);
  if (callee.type !== 'member_expression') return undefined;
  const property = child(callee, 'property');
  if (
    !property ||
    !/^(only|skip|each|concurrent|sequential|failing|todo|parallel|serial)$/.test(textOf(property, text))
  )
    return undefined;
  return rootOf(child(callee, 'object')!, text);
}

function titleOf(node: Node, text: string, isEach: boolean): Title {
  const isText = node.type === 'string' || node.type === 'template_string';
  if (!isText) return { text: '', pattern: '.*', isFixed: false };
  const parts = namedChildren(node);
  const pattern = parts
    .map((each) => (each.type === 'template_substitution' ? '.*' : placeholders(unescaped(textOf(each, text)), isEach)))
    .join('');
  const isFixed =
    !parts.some(({ type }) => type === 'template_substitution') && !(isEach && /[%$]/.test(textOf(node, text)));
  return { text: parts.map((each) => unescaped(textOf(each, text))).join(''), pattern, isFixed };
}

function placeholders(text: string, isEach: boolean): string {
  if (!isEach) return escaped(text);
  return text
    .split(/(%[psdifjoO#$c]|\$[\w.#]+)/)
    .map((part, at) => (at % 2 === 1 ? '.*' : escaped(part.replace(/%%/g, '%'))))
    .join('');
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, each: string) => ({ n: '\n', t: '\t' })[each] ?? each);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function joined(titles: readonly Title[]): Title {
  return {
    text: titles
      .map(({ text }) => text)
      .join(' ')
      .trim(),
    pattern: titles.map(({ pattern }) => pattern).join(' '),
    isFixed: titles.every(({ isFixed }) => isFixed),
  };
}

/** Functions of a file by name. */
function helpersIn(root: Node, text: string): Map<string, Node> {
  const helpers = new Map<string, Node>();
  eachNode(root, (node) => {
    const name = child(node, 'name');
    if (!name) return true;
    if (node.type === 'function_declaration') helpers.set(textOf(name, text), node);
    const value = child(node, 'value');
    if (node.type === 'variable_declarator' && value && /^(arrow_function|function_expression)$/.test(value.type))
      helpers.set(textOf(name, text), value);
    return true;
  });
  return helpers;
}

// What is reached

const FUNCTIONS =
  /^(arrow_function|function_expression|function_declaration|function|method_definition|class_declaration|class|generator_function_declaration)$/;

/** The statements that every passing run reaches, in order. A body that is an expression is its only one. */
function reachedIn(body: Node): Node[] {
  if (body.type !== 'statement_block') return [body];
  const reached: Node[] = [];
  follow(namedChildren(body), reached);
  return reached;
}

function follow(block: readonly Node[], reached: Node[]): boolean {
  for (const statement of block) {
    reached.push(statement);
    switch (statement.type) {
      case 'return_statement':
      case 'throw_statement':
      case 'break_statement':
      case 'continue_statement':
        return false;
      case 'statement_block':
        if (!follow(namedChildren(statement), reached)) return false;
        continue;
      case 'for_in_statement': {
        const list = child(statement, 'right');
        const inner = child(statement, 'body');
        const first = namedChildren(list)[0];
        if (
          statement.children.some(({ type }) => type === 'of') &&
          list?.type === 'array' &&
          first &&
          first.type !== 'spread_element' &&
          inner
        )
          follow(inner.type === 'statement_block' ? namedChildren(inner) : [inner], reached);
        break;
      }
      case 'try_statement': {
        const finalizer = child(statement, 'finalizer');
        if (child(statement, 'handler') || (finalizer && mayLeave(finalizer))) break;
        if (!follow(namedChildren(child(statement, 'body')), reached)) return false;
        if (finalizer && !follow(namedChildren(child(finalizer, 'body')), reached)) return false;
        continue;
      }
      default:
    }
    if (mayLeave(statement)) return false;
  }
  return true;
}

/** Taken strictly: a `break` or `continue` counts wherever it leads. */
function mayLeave(statement: Node): boolean {
  return (
    holds(
      statement,
      ({ type }) => /^(return_statement|break_statement|continue_statement)$/.test(type),
      ({ type }) => !FUNCTIONS.test(type) && !/^(while_statement|do_statement|switch_statement)$/.test(type),
    ) ||
    holds(
      statement,
      ({ type }) => type === 'return_statement',
      ({ type }) => !FUNCTIONS.test(type),
    )
  );
}

// Assertions

interface Link {
  readonly name: string;
  readonly node: Node;
  /** Where the dot before the name stands. */
  readonly dot: number;
  readonly call: Node | undefined;
}

/** `expect(x).not.toBe(3)` as its first part and its links. */
function chainOf(expression: Node, text: string): { root: Node; links: Link[] } {
  const links: Link[] = [];
  let at = expression;
  for (;;) {
    const call = at.type === 'call_expression' ? at : undefined;
    const member = call ? child(call, 'function') : at;
    if (member?.type !== 'member_expression') return { root: at, links: links.reverse() };
    const property = child(member, 'property')!;
    const dot = member.children.find(({ type }) => type === '.' || type === '?.')?.start ?? property.start;
    links.push({ name: textOf(property, text), node: property, dot, call });
    at = child(member, 'object')!;
  }
}

function assertionOf(statement: Node, text: string, isLast: boolean): Assertion | undefined {
  const isReturned = statement.type === 'return_statement' || isLast;
  const holder = /^(expression_statement|return_statement)$/.test(statement.type)
    ? namedChildren(statement)[0]
    : statement;
  if (!holder) return undefined;
  const isAwaited = holder.type === 'await_expression';
  const expression = isAwaited ? namedChildren(holder)[0] : holder;
  if (!expression) return undefined;
  const { root, links } = chainOf(expression, text);
  const needsAwait = links.some(({ name }) =>
    /^(resolves|rejects|eventually|rejectedWith|fulfilled|rejected)$/.test(name),
  );
  if (needsAwait && !isAwaited && !isReturned) return undefined;
  const callee = root.type === 'call_expression' ? textOf(child(root, 'function')!, text) : '';
  if (callee === 'expect' && links.length > 0) return ofExpect(root, links, text);
  if (links.some(({ name, call }) => name === 'should' && !call)) return ofChai(root, links, text, 'should');
  if (callee === 'assert') return ofCondition(argumentsOf(root)[0], text);
  const name = root.type === 'identifier' ? textOf(root, text) : '';
  return /^(assert|t|chai)$/.test(name) && links.length > 0 ? ofAssert(links, text) : undefined;
}

function ofCondition(condition: Node | undefined, text: string): Assertion | undefined {
  if (!condition) return undefined;
  const operator = condition.type === 'binary_expression' ? child(condition, 'operator')?.type : undefined;
  const sides = [child(condition, 'left'), child(condition, 'right')];
  const [left, right] = sides;
  return {
    equality:
      (operator === '===' || operator === '==') && left && right
        ? { sides: [left, right], tolerance: EXACT, partial: false }
        : undefined,
    values: [],
    sought: [],
    negation: {
      start: condition.start,
      end: condition.end,
      texts: [`!(${textOf(condition, text)})`],
      fails: 'assertion',
    },
  };
}

function ofExpect(root: Node, links: readonly Link[], text: string): Assertion | undefined {
  if (links.some(({ name, call }) => !call && /^(to|be|have|deep|is|an|a)$/.test(name)))
    return ofChai(root, links, text, 'to');
  const last = links.at(-1)!;
  if (!last.call) return undefined;
  const not = links.find(({ name, call }) => name === 'not' && !call);
  if (not) return negationOnly({ start: not.dot, end: not.node.end, texts: [''], fails: 'assertion' });
  const given = argumentsOf(last.call);
  const negation: Edit = { start: last.dot, end: last.dot, texts: ['.not'], fails: 'assertion' };
  // A snapshot that is not there is written, not compared.
  if (/Snapshot/.test(last.name)) return undefined;
  const position = MATCHERS[last.name] ?? -1;
  const wanted = position < 0 ? undefined : given[position];
  const [actual] = argumentsOf(root);
  const digits = given[1] ? Number(textOf(given[1], text)) : 2;
  const isClose = last.name === 'toBeCloseTo';
  const tolerance = isClose ? { relative: 0, absolute: 10 ** -digits } : EXACT;
  const isCall = /CalledWith|NthCalled|OnceWith/.test(last.name);
  return {
    equality:
      wanted && actual && !isCall && !Number.isNaN(tolerance.absolute)
        ? { sides: [actual, wanted], tolerance, partial: last.name === 'toMatchObject' }
        : undefined,
    values: isCall && position >= 0 ? given.slice(position) : [],
    sought: SEEKERS.test(last.name) ? soughtIn(given[0], text, /[tT]hrow/.test(last.name)) : [],
    negation,
  };
}

function ofChai(root: Node, links: readonly Link[], text: string, hinge: 'to' | 'should'): Assertion | undefined {
  const not = links.find(({ name, call }) => name === 'not' && !call);
  if (not) return negationOnly({ start: not.dot, end: not.node.end, texts: [''], fails: 'assertion' });
  const calls = links.filter(({ call }) => call);
  const last = links.at(-1)!;
  const turning = links.find(({ name }) => name === hinge) ?? links[0]!;
  const negation: Edit = { start: turning.node.end, end: turning.node.end, texts: ['.not'], fails: 'assertion' };
  // Of several assertions in one chain any may fail: which is not told.
  const several = links.some(({ name }) => name === 'and') || (hinge === 'to' && calls.length > 1);
  if (several || !last.call) return several ? undefined : negationOnly(negation);
  const given = argumentsOf(last.call);
  const position = CHAI[last.name] ?? -1;
  const wanted = position < 0 ? undefined : given[position];
  const actual = hinge === 'to' ? argumentsOf(root)[0] : root;
  return {
    equality: wanted && actual ? { sides: [actual, wanted], tolerance: EXACT, partial: false } : undefined,
    values: [],
    sought: SEEKERS.test(last.name) ? soughtIn(given[0], text, /throw/.test(last.name)) : [],
    negation,
  };
}

function ofAssert(links: readonly Link[], text: string): Assertion | undefined {
  const last = links.at(-1)!;
  if (!last.call) return undefined;
  const given = argumentsOf(last.call);
  const [first, second] = given;
  const swapped = (to: string): Edit => ({
    start: last.node.start,
    end: last.node.end,
    texts: [to],
    fails: 'assertion',
  });
  if (Object.hasOwn(ASSERTS, last.name)) {
    const opposite = ASSERTS[last.name];
    return {
      equality: first && second ? { sides: [first, second], tolerance: EXACT, partial: false } : undefined,
      values: [],
      sought: [],
      negation: opposite ? swapped(opposite) : undefined,
    };
  }
  if (last.name === 'ok' || last.name === 'true' || last.name === 'false') return ofCondition(first, text);
  const opposite = OPPOSITES[last.name];
  const isThrow = last.name === 'throws';
  return {
    equality: undefined,
    values: [],
    sought: SEEKERS.test(last.name) ? soughtIn(second, text, isThrow) : [],
    negation: opposite ? swapped(opposite) : undefined,
  };
}

function negationOnly(negation: Edit): Assertion {
  return { equality: undefined, values: [], sought: [], negation };
}

/** A text, a pattern or a class that is looked for. */
function soughtIn(node: Node | undefined, text: string, isThrow: boolean): Edit[] {
  if (!node) return [];
  const edit = (texts: readonly string[]): Edit[] =>
    texts.length > 0 ? [{ start: node.start, end: node.end, texts, fails: 'assertion' }] : [];
  if (node.type === 'string') return edit(requoted(node, text, otherNeedles));
  if (node.type === 'regex') {
    const pattern = child(node, 'pattern')!;
    const whole = textOf(node, text);
    const from = pattern.start - node.start;
    return edit(
      otherPatterns(textOf(pattern, text)).map(
        (each) => whole.slice(0, from) + each + whole.slice(pattern.end - node.start),
      ),
    );
  }
  const named = node.type === 'identifier' ? textOf(node, text) : '';
  return isThrow && /^[A-Z]/.test(named) && named !== 'Error' ? edit(UNRELATED.filter((each) => each !== named)) : [];
}

function requoted(node: Node, text: string, others: (content: string) => string[]): string[] {
  const whole = textOf(node, text);
  const [open, close] = [whole[0]!, whole.at(-1)!];
  return others(whole.slice(1, -1)).map((each) => open + each + close);
}

interface Leaf extends Range {
  readonly texts: readonly string[];
}

function leavesOf(node: Node, text: string, tolerance: Tolerance): Leaf[] {
  const leaf = (texts: readonly string[]): Leaf[] =>
    texts.length > 0 ? [{ start: node.start, end: node.end, texts }] : [];
  const exact = tolerance === EXACT;
  switch (node.type) {
    case 'number':
      return leaf(otherNumbers(textOf(node, text), tolerance));
    case 'string':
      return exact ? leaf(requoted(node, text, otherTexts)) : [];
    case 'template_string':
      return exact && !namedChildren(node).some(({ type }) => type === 'template_substitution')
        ? leaf(requoted(node, text, otherTexts))
        : [];
    case 'true':
      return exact ? leaf(['false']) : [];
    case 'false':
      return exact ? leaf(['true']) : [];
    case 'null':
    case 'undefined':
      return exact ? leaf(['0', "'x'", 'false']) : [];
    case 'parenthesized_expression':
    case 'as_expression':
    case 'satisfies_expression': {
      const [inner] = namedChildren(node);
      return inner ? leavesOf(inner, text, tolerance) : [];
    }
    case 'unary_expression': {
      const operand = child(node, 'argument');
      return operand?.type === 'number' && child(node, 'operator')?.type === '-'
        ? leavesOf(operand, text, tolerance)
        : [];
    }
    case 'array':
      if (namedChildren(node).length === 0) return exact ? leaf(['[2]', '[null]']) : [];
      return namedChildren(node).flatMap((each) => leavesOf(each, text, tolerance));
    case 'object': {
      const members = namedChildren(node);
      if (members.length === 0) return exact ? leaf(['{ a: 2 }', '{ x: null }']) : [];
      const keys = members.flatMap((each) => (child(each, 'key') ? [textOf(child(each, 'key')!, text)] : []));
      // What is spread, or named twice, may be lost again.
      if (new Set(keys).size < keys.length || members.some(({ type }) => type === 'spread_element')) return [];
      return members.flatMap((each) =>
        child(each, 'value') && each.type === 'pair' ? leavesOf(child(each, 'value')!, text, tolerance) : [],
      );
    }
    default:
      return [];
  }
}

function isLiteral(node: Node): boolean {
  if (/^(number|string|true|false|null|undefined|regex)$/.test(node.type)) return true;
  if (
    /^(array|object|pair|unary_expression|parenthesized_expression|template_string|string_fragment|property_identifier|computed_property_name)$/.test(
      node.type,
    )
  )
    return namedChildren(node).every(
      (each) => isLiteral(each) || /^(string_fragment|escape_sequence|property_identifier)$/.test(each.type),
    );
  return false;
}

// Drafts

function draftsOf(test: Test): Draft[] {
  const { file } = test;
  const { text } = file;
  const reached = reachedIn(test.body);
  const drafts = reached.flatMap((statement) => statementDrafts(statement, test, statement === test.body));
  const last = mustFailAfter(reached, test);
  if (last) {
    const { statements, fails } = failures(text);
    const semicolon = text[last.end - 1] === ';';
    drafts.push({
      kind: 'must-fail',
      file,
      from: last.end,
      to: last.end,
      texts: statements.map((each) => (semicolon ? ` ${each};` : `; ${each}`)),
      fails,
      statement: last,
    });
  }
  return drafts;
}

/** A failing statement in the style of the file. */
function failures(text: string): { statements: readonly string[]; fails: Failure } {
  if (/\bexpect\([^;]*\)[\w.\s]*\.to[A-Z]/.test(text))
    return { statements: ['expect(2).toBe(1)', 'expect([1]).toEqual([3])'], fails: 'assertion' };
  if (/\bexpect\([^;]*\)\s*\.to\b/.test(text))
    return { statements: ['expect(2).to.equal(1)', 'expect([1]).to.eql([3])'], fails: 'assertion' };
  if (/\bassert\.\w*[eE]qual\(/.test(text))
    return { statements: ['assert.equal(2, 1)', 'assert.deepEqual([1], [3])'], fails: 'assertion' };
  return { statements: ["throw new Error('2 is not 1')", "throw new Error('[1] is not [3]')"], fails: 'anything' };
}

/** The last statement behind which another can stand; before the test says itself that it is done. */
function mustFailAfter(reached: readonly Node[], { parameters, rows, file }: Test): Node | undefined {
  const simple = reached.filter(({ type }) =>
    /^(expression_statement|lexical_declaration|variable_declaration)$/.test(type),
  );
  const [done] = rows ? [] : parameters;
  if (done?.type !== 'identifier') return simple.at(-1);
  const name = textOf(done, file.text);
  return simple.find((each) => !mentions(each, name, file.text));
}

function mentions(node: Node, name: string, text: string): boolean {
  return holds(
    node,
    (each) => /^(identifier|shorthand_property_identifier)$/.test(each.type) && textOf(each, text) === name,
  );
}

function statementDrafts(statement: Node, test: Test, isLast: boolean): Draft[] {
  const { file, helpers } = test;
  const { text } = file;
  const draft = (
    kind: Draft['kind'],
    each: Range & { texts: readonly string[] },
    fails: Failure = 'assertion',
  ): Draft => ({
    kind,
    file,
    from: each.start,
    to: each.end,
    texts: each.texts,
    fails,
    statement,
  });
  const assertion = assertionOf(statement, text, isLast);
  const helped = helperArguments(statement, text, helpers)
    .flatMap(({ argument, tolerance }) => leavesOf(argument, text, tolerance).slice(0, 1))
    .slice(0, 2)
    .map((each) => draft('helper', each));
  if (!assertion) return helped;
  const { equality } = assertion;
  const leaves = equality ? valuesOf(equality, text) : [];
  const values = [
    ...leaves,
    ...assertion.values.flatMap((each) => leavesOf(each, text, EXACT).slice(0, 1)).slice(0, 2),
  ];
  const typed = equality && values.length === 0 ? unequal(equality, text) : [];
  return [
    ...values.map((each) => draft('value', each)),
    ...helped,
    ...typed.map((each) => draft('value-type', each)),
    ...assertion.sought.map((each) => draft('raises', each, each.fails)),
    ...(assertion.negation ? [draft('negate', assertion.negation, assertion.negation.fails)] : []),
  ];
}

type Equality = NonNullable<Assertion['equality']>;

function valuesOf({ sides, tolerance, partial }: Equality, text: string): Leaf[] {
  const [actual, wanted] = sides;
  if (isLiteral(actual) && isLiteral(wanted)) return [];
  const side = isLiteral(actual) ? actual : wanted;
  const leaves = leavesOf(side, text, tolerance).filter(({ texts }) => !partial || !texts[0]!.startsWith('{'));
  return leaves.length > 2 ? [leaves[0]!, leaves.at(-1)!] : leaves;
}

/** `(want) + 2`: a number, or a text that is equal to nothing of another type. */
function unequal({ sides, tolerance, partial }: Equality, text: string): Leaf[] {
  const [actual, wanted] = sides;
  if (tolerance !== EXACT || partial || isLiteral(actual) || FUNCTIONS.test(wanted.type)) return [];
  if (wanted.type === 'spread_element') return [];
  const source = `(${textOf(wanted, text)})`;
  return [{ start: wanted.start, end: wanted.end, texts: [`${source} + 2`, `${source} + 4`, `${source} + '2'`] }];
}

/** Arguments that a function of the file compares in every run that passes. */
function helperArguments(
  statement: Node,
  text: string,
  helpers: ReadonlyMap<string, Node>,
): { readonly argument: Node; readonly tolerance: Tolerance }[] {
  const holder = /^(expression_statement|return_statement)$/.test(statement.type)
    ? namedChildren(statement)[0]
    : statement;
  const isAwaited = holder?.type === 'await_expression';
  const call = isAwaited ? namedChildren(holder)[0] : holder;
  const callee = call?.type === 'call_expression' ? child(call, 'function') : undefined;
  const helper = callee?.type === 'identifier' ? helpers.get(textOf(callee, text)) : undefined;
  if (!call || !helper) return [];
  const isAsync = helper.children.some(({ type }) => type === 'async');
  if (isAsync && !isAwaited && statement.type !== 'return_statement') return [];
  const given = argumentsOf(call);
  if (given.some(({ type }) => type === 'spread_element')) return [];
  return namedChildren(child(helper, 'parameters')).flatMap((each, position) => {
    const parameter = child(each, 'pattern') ?? each;
    const argument = given[position];
    const body = child(helper, 'body');
    if (parameter.type !== 'identifier' || !argument || !body) return [];
    const compared = comparedBy(body, textOf(parameter, text), text);
    return compared ? [{ argument, tolerance: compared.tolerance }] : [];
  });
}

/** Where a body compares a name in every run that passes, using it for nothing else before. */
function comparedBy(body: Node, name: string, text: string): { statement: Node; tolerance: Tolerance } | undefined {
  for (const statement of reachedIn(body)) {
    const equality = assertionOf(statement, text, statement === body)?.equality;
    if (equality && !equality.partial) {
      const [actual, wanted] = equality.sides;
      const isName = (node: Node) => node.type === 'identifier' && textOf(node, text) === name;
      if (isName(wanted) && !mentions(actual, name, text)) return { statement, tolerance: equality.tolerance };
      if (isName(actual) && !mentions(wanted, name, text)) return { statement, tolerance: equality.tolerance };
    }
    if (mentions(statement, name, text)) return undefined;
  }
  return undefined;
}

/** Rows of `test.each` whose expected column is compared and no part of the title. */
function tableDrafts(test: Test, name: string): Draft[] {
  const { rows, parameters, file, body, own } = test;
  const { text } = file;
  if (!rows || rows.length === 0) return [];
  const columns = columnsOf(parameters, text);
  const placed = own.match(/%[psdifjoOc]/g)?.length ?? 0;
  return columns.flatMap(({ name: column, cellOf, position }) => {
    const compared = comparedBy(body, column, text);
    if (!compared) return [];
    const shown =
      position === undefined ? new RegExp(`\\$${column}\\b`).test(own) || /%[pjoOs]/.test(own) : position < placed;
    if (shown) return [];
    const meant = rows.filter((row) => titleOfRow(test, row).test(name));
    const [row, ...others] = meant;
    // Of rows that cannot be told apart none is known to be this test's.
    if (!row || others.length > 0) return [];
    const cell = cellOf(row);
    return (cell ? leavesOf(cell, text, compared.tolerance) : []).slice(0, 2).map(
      ({ start, end, texts }): Draft => ({
        kind: 'table',
        file,
        from: start,
        to: end,
        texts,
        fails: 'assertion',
        statement: compared.statement,
      }),
    );
  });
}

interface Column {
  readonly name: string;
  readonly position: number | undefined;
  readonly cellOf: (row: Node) => Node | undefined;
}

function columnsOf(parameters: readonly Node[], text: string): Column[] {
  const [only] = parameters;
  if (parameters.length === 1 && only?.type === 'object_pattern')
    return namedChildren(only).flatMap((each) =>
      each.type === 'shorthand_property_identifier_pattern'
        ? [
            {
              name: textOf(each, text),
              position: undefined,
              cellOf: (row: Node) => member(row, textOf(each, text), text),
            },
          ]
        : [],
    );
  const places = parameters.length === 1 && only?.type === 'array_pattern' ? namedChildren(only) : parameters;
  return places.flatMap((each, position) =>
    each.type === 'identifier'
      ? [
          {
            name: textOf(each, text),
            position,
            cellOf: (row: Node) => (row.type === 'array' ? namedChildren(row)[position] : undefined),
          },
        ]
      : [],
  );
}

function member(row: Node, key: string, text: string): Node | undefined {
  if (row.type !== 'object') return undefined;
  const pair = namedChildren(row).find((each) => {
    const named = child(each, 'key');
    return named !== undefined && textOf(named, text).replace(/^['"]|['"]$/g, '') === key;
  });
  return child(pair, 'value');
}

/** The title that a row gives, as far as its cells are plain. */
function titleOfRow({ own, outer, file }: Test, row: Node): RegExp {
  const plain = (cell: Node | undefined) => {
    if (cell?.type === 'string') return escaped(unescaped(textOf(cell, file.text).slice(1, -1)));
    return cell?.type === 'number' ? escaped(textOf(cell, file.text)) : '.*';
  };
  let position = 0;
  const pattern = own
    .split(/(%[psdifjoO#$c]|\$[\w.#]+)/)
    .map((part, at) => {
      if (at % 2 === 0) return escaped(part.replace(/%%/g, '%'));
      if (part.startsWith('$')) return plain(member(row, part.slice(1), file.text));
      if (part === '%#' || part === '%$') return '\\d+';
      const cell = row.type === 'array' ? namedChildren(row)[position] : row;
      position += 1;
      return /%[sdif]/.test(part) ? plain(cell) : '.*';
    })
    .join('');
  return new RegExp(`^${outer ? `${outer} ` : ''}${pattern}$`, 's');
}
