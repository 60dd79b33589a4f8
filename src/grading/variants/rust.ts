import { EXACT, otherNeedles, otherNumbers, otherTexts } from './literals';
import { type Named, nearest } from './names';
import { child, holds, type Node, namedChildren, openGrammar, type Parse } from './tree';
import { type Draft, type Failure, type LocatedTest, none, type Range, type Suite, type TestFile } from './variant';

/** Reads Rust's own tests, and cases of `rstest`. What stands in macros is tokens: literals alone are read there. */
export async function openRustTests(): Promise<(files: readonly TestFile[]) => Suite> {
  const parse = await openGrammar(require.resolve('tree-sitter-rust/tree-sitter-rust.wasm'));
  return (files) => new RustSuite(files, parse);
}

interface Fn extends Named {
  readonly name: string;
  readonly file: TestFile;
  readonly node: Node;
  readonly body: Node;
  readonly attributes: readonly Node[];
  readonly helpers: Map<string, Fn>;
}

interface Edit extends Range {
  readonly texts: readonly string[];
}

interface Assertion {
  /** Tokens of two sides that are equal. */
  readonly equalities: readonly (readonly [readonly Node[], readonly Node[]])[];
  readonly sought: readonly Edit[];
  readonly negation: Edit | undefined;
}

class RustSuite implements Suite {
  private readonly tests = new Map<string, Fn[]>();
  private readonly drafts = new Map<Fn, readonly Draft[]>();

  constructor(files: readonly TestFile[], parse: Parse) {
    for (const file of files) {
      const segments = file.path
        .replace(/\.rs$/, '')
        .split('/')
        .filter((each) => !/^(src|mod|lib|main)$/.test(each));
      this.index(parse(file.text), file, segments, new Map());
    }
  }

  private index(items: Node, file: TestFile, segments: readonly string[], helpers: Map<string, Fn>): void {
    let attributes: Node[] = [];
    for (const node of namedChildren(items)) {
      if (node.type === 'attribute_item') {
        attributes.push(node);
        continue;
      }
      const named = child(node, 'name');
      const body = child(node, 'body');
      if (named && body) {
        const name = textOf(named, file.text);
        const own = [...segments, name];
        if (node.type === 'mod_item') this.index(body, file, own, helpers);
        if (node.type === 'function_item') {
          const fn: Fn = { name, segments: own, file, node, body, attributes, helpers };
          const isTest = attributes.some((each) => /^#\[([\w:]+::)?(test|rstest)\b/.test(textOf(each, file.text)));
          if (!isTest) helpers.set(name, fn);
          else if (this.tests.has(name)) this.tests.get(name)!.push(fn);
          else this.tests.set(name, [fn]);
        }
      }
      attributes = [];
    }
  }

  locate(id: string): LocatedTest {
    if (/\.rs - /.test(id)) return none('a doctest');
    const all = id
      .trim()
      .split(/::|\s+|\//)
      .filter(Boolean);
    const isCase = /^case_\d+/.test(all.at(-1) ?? '') && this.tests.has(all.at(-2) ?? '');
    const segments = isCase ? all.slice(0, -1) : all;
    const [test, ...others] = nearest(this.tests.get(segments.at(-1) ?? '') ?? [], segments);
    if (!test) return none('no test of this name in the files given, or one that a macro makes');
    if (others.length > 0) return none('several tests have this name');
    const body = this.drafts.get(test) ?? draftsOf(test);
    this.drafts.set(test, body);
    const row = isCase ? Number(/\d+/.exec(all.at(-1)!)![0]) - 1 : undefined;
    return {
      drafts: [...body, ...(row === undefined ? [] : caseDrafts(test, row))],
      why: 'no assertion is reached in every run',
    };
  }
}

function textOf(node: Range, text: string): string {
  return text.slice(node.start, node.end);
}

// What is reached

const CLOSED = /^(closure_expression|function_item|async_block)$/;

function mayLeave(statement: Node): boolean {
  return holds(
    statement,
    ({ type }) => /^(return_expression|break_expression|continue_expression|return|break|continue)$/.test(type),
    ({ type }) => !CLOSED.test(type),
  );
}

function reachedIn(block: Node): Node[] {
  const reached: Node[] = [];
  follow(namedChildren(block), reached);
  return reached;
}

function follow(block: readonly Node[], reached: Node[]): boolean {
  for (const statement of block) {
    if (statement.type === 'attribute_item') continue;
    const inner = statement.type === 'expression_statement' ? namedChildren(statement)[0]! : statement;
    if (inner.type === 'block' || inner.type === 'unsafe_block') {
      const body = inner.type === 'block' ? inner : namedChildren(inner)[0];
      if (!follow(namedChildren(body), reached)) return false;
      continue;
    }
    reached.push(statement);
    if (inner.type === 'return_expression') {
      reached.pop();
      return false;
    }
    if (inner.type === 'for_expression' && goesRound(child(inner, 'value')))
      follow(namedChildren(child(inner, 'body')), reached);
    if (mayLeave(inner)) return false;
  }
  return true;
}

function goesRound(list: Node | undefined): boolean {
  if (list?.type === 'reference_expression') return goesRound(child(list, 'value'));
  return list?.type === 'array_expression' && namedChildren(list).length > 0;
}

// Assertions

function macroOf(statement: Node): Node | undefined {
  const inner = statement.type === 'expression_statement' ? namedChildren(statement)[0] : statement;
  return inner?.type === 'macro_invocation' ? inner : undefined;
}

function assertionOf(statement: Node, text: string): Assertion | undefined {
  const macro = macroOf(statement);
  const named = child(macro, 'macro');
  const tokens = namedChildren(macro).find(({ type }) => type === 'token_tree');
  if (!macro || !named || !tokens) return undefined;
  const name = /(?<!\w)\w+$/.exec(textOf(named, text))?.[0] ?? '';
  const parts = partsOf(tokens, text);
  const [first, second] = parts;
  const opposite = { assert_eq: 'assert_ne', assert_ne: 'assert_eq' }[name];
  if (opposite) {
    const negation = { start: named.end - name.length, end: named.end, texts: [opposite] };
    return { equalities: name === 'assert_eq' && first && second ? [[first, second]] : [], sought: [], negation };
  }
  if (name !== 'assert' || !first?.[0]) return undefined;
  // A comma between angle brackets separates types, not arguments.
  if (parts.length > 1 && count(first, '<', text) !== count(first, '>', text)) return undefined;
  const whole = { start: first[0].start, end: first.at(-1)!.end };
  const negation = { start: whole.start, end: whole.end, texts: [`!(${textOf(whole, text)})`] };
  if (count(first, '||', text) > 0) return { equalities: [], sought: [], negation };
  const conjuncts = split(first, '&&', text);
  return {
    equalities: conjuncts.flatMap((each): [readonly Node[], readonly Node[]][] => {
      const [left, right, ...more] = split(each, '==', text);
      return left && right && more.length === 0 ? [[left, right]] : [];
    }),
    sought: conjuncts.flatMap((each) => needleIn(each, text)),
    negation,
  };
}

/** The arguments of a macro, each as its tokens. */
function partsOf(tree: Node, text: string): (readonly Node[])[] {
  return split(tree.children.slice(1, -1), ',', text).filter((each) => each.length > 0);
}

function split(tokens: readonly Node[], at: string, text: string): (readonly Node[])[] {
  const parts: Node[][] = [[]];
  for (const each of tokens) {
    if (!each.named && textOf(each, text) === at) parts.push([]);
    else parts.at(-1)!.push(each);
  }
  return parts;
}

function count(tokens: readonly Node[], token: string, text: string): number {
  return tokens.filter((each) => !each.named && textOf(each, text) === token).length;
}

/** `out.contains("text")` to its end. */
function needleIn(tokens: readonly Node[], text: string): Edit[] {
  const [method, given] = tokens.slice(-2);
  if (!method || given?.type !== 'token_tree' || textOf(method, text) !== 'contains') return [];
  if (tokens.some((each) => textOf(each, text) === '!')) return [];
  const [needle, ...others] = namedChildren(given);
  if (needle?.type !== 'string_literal' || others.length > 0) return [];
  const texts = requoted(textOf(needle, text), otherNeedles);
  return texts.length > 0 ? [{ start: needle.start, end: needle.end, texts }] : [];
}

/** A string literal of any prefix with another content. */
function requoted(literal: string, others: (content: string) => string[]): string[] {
  const found = /^([a-z]*#*")([\s\S]*?)("#*)$/.exec(literal);
  return found ? others(found[2]!).map((each) => found[1]! + each + found[3]!) : [];
}

const LITERALS = /^(integer_literal|float_literal|string_literal|raw_string_literal|char_literal|boolean_literal)$/;

function leafOf(node: Node, text: string): Edit[] {
  const own = textOf(node, text);
  const texts = (() => {
    switch (node.type) {
      case 'integer_literal':
      case 'float_literal':
        return otherNumbers(own, EXACT);
      case 'string_literal':
      case 'raw_string_literal':
        return requoted(own, otherTexts);
      case 'char_literal':
        return /^b?'[A-Za-z0-9]'$/.test(own)
          ? otherTexts(own.slice(-2, -1)).map((each) => `${own.slice(0, -2)}${each}'`)
          : [];
      case 'boolean_literal':
        return [own === 'true' ? 'false' : 'true'];
      default:
        return [];
    }
  })();
  return texts.length > 0 ? [{ start: node.start, end: node.end, texts }] : [];
}

/** Names before brackets whose values are equal only where what is in the brackets is. */
const MAKERS =
  /^(Some|Ok|Err|vec!|String::from|Box::new|Rc::new|Arc::new|Vec::from|Cow::from|Cow::Borrowed|PathBuf::from|Path::new)$/;
/** What a literal may be turned into. */
const TURNS = /^\.(to_string|to_owned|into|to_vec|as_bytes|as_slice|as_str)\(\)$/;

/** The literals of an expectation given as tokens, where it is made of nothing else. */
function leavesOf(tokens: readonly Node[], text: string): Edit[] {
  const [first, ...rest] = tokens;
  if (!first) return [];
  const token = textOf(first, text);
  if (token === '&' || token === '*' || token === '-') return leavesOf(rest, text);
  if (LITERALS.test(first.type)) {
    const tail = rest.map((each) => textOf(each, text)).join('');
    return tail === '' || TURNS.test(tail) ? leafOf(first, text) : [];
  }
  const tree = tokens.findIndex(({ type }) => type === 'token_tree');
  if (tree < 0) return [];
  const maker = tokens
    .slice(0, tree)
    .map((each) => textOf(each, text))
    .join('');
  const tail = tokens
    .slice(tree + 1)
    .map((each) => textOf(each, text))
    .join('');
  const isKnown = (maker === '' && /^[[(]/.test(token)) || MAKERS.test(maker);
  if (!isKnown || (tail !== '' && !TURNS.test(tail))) return [];
  // `[0; 3]` has one value for all.
  if (count(tokens[tree]!.children, ';', text) > 0) return [];
  return partsOf(tokens[tree]!, text).flatMap((each) => leavesOf(each, text));
}

function isLiteral(tokens: readonly Node[]): boolean {
  return tokens.every(({ type }) => LITERALS.test(type) || type === '-');
}

function valuesOf([left, right]: Assertion['equalities'][number], text: string): Edit[] {
  if (isLiteral(left) && isLiteral(right)) return [];
  const inRight = leavesOf(right, text);
  const leaves = inRight.length > 0 && !isLiteral(left) ? inRight : leavesOf(left, text);
  return leaves.length > 2 ? [leaves[0]!, leaves.at(-1)!] : leaves;
}

/** `x.len()` is a number, and what it is compared with too: two more of it compiles. */
function unequal(sides: Assertion['equalities'][number], text: string): Edit[] {
  const isLength = (tokens: readonly Node[]) =>
    /\.(len|count)\(\)$/.test(tokens.map((each) => textOf(each, text)).join(''));
  const [left, right] = sides;
  const [wanted, other] = isLength(left) ? [right, left] : isLength(right) ? [left, right] : [];
  if (!wanted?.[0] || !other || isLiteral(wanted)) return [];
  const whole = { start: wanted[0].start, end: wanted.at(-1)!.end };
  const source = `(${textOf(whole, text)})`;
  return [{ start: whole.start, end: whole.end, texts: [`${source} + 2`, `${source} + 4`] }];
}

// Drafts

function draftsOf(fn: Fn): Draft[] {
  const { file, attributes, node } = fn;
  const { text } = file;
  const panics = attributes.find((each) => /^#\[should_panic\b/.test(textOf(each, text)));
  // A test that has to panic passes whatever fails in it: what is expected of the panic is all there is.
  if (panics) return panicDrafts(panics, fn);
  const reached = reachedIn(fn.body);
  const drafts = reached.flatMap((statement) => statementDrafts(statement, fn));
  const isUnit = child(node, 'return_type') === undefined;
  const last = reached.findLast((each) => {
    if (each.type === 'expression_statement' || each.type === 'let_declaration') return !mayLeave(each);
    return isUnit && each.type === 'macro_invocation';
  });
  if (last) {
    const isWhole = last.type !== 'macro_invocation';
    const texts = ['assert_eq!(2, 1)', 'assert_eq!("ab".len(), 3)'].map((each) =>
      isWhole ? ` ${each};` : `; ${each}`,
    );
    drafts.push(draftAt(file, last, 'must-fail', { start: last.end, end: last.end, texts }));
  }
  return drafts;
}

function draftAt(
  file: TestFile,
  statement: Range,
  kind: Draft['kind'],
  edit: Edit,
  fails: Failure = 'assertion',
): Draft {
  return { kind, file, from: edit.start, to: edit.end, texts: edit.texts, fails, statement };
}

function panicDrafts(attribute: Node, { file, node }: Fn): Draft[] {
  const { text } = file;
  const whole = { start: attribute.start, end: node.end };
  const expected = literalIn(attribute);
  const texts = expected ? requoted(textOf(expected, text), otherNeedles) : [];
  const needle =
    expected && texts.length > 0
      ? [draftAt(file, whole, 'raises', { start: expected.start, end: expected.end, texts }, 'panic')]
      : [];
  const none = { start: attribute.start, end: attribute.end, texts: ['#[allow(unused)]', '#[allow(dead_code)]'] };
  const isPlain = !/[\r\n]/.test(textOf(attribute, text));
  return [...needle, ...(isPlain ? [draftAt(file, whole, 'raises', none, 'panic')] : [])];
}

function literalIn(node: Node): Node | undefined {
  if (node.type === 'string_literal') return node;
  for (const each of node.children) {
    const found = literalIn(each);
    if (found) return found;
  }
  return undefined;
}

function statementDrafts(statement: Node, fn: Fn): Draft[] {
  const { file } = fn;
  const { text } = file;
  const assertion = assertionOf(statement, text);
  if (!assertion) return helped(statement, fn).map((each) => draftAt(file, statement, 'helper', each));
  const values = assertion.equalities.flatMap((each) => valuesOf(each, text));
  const typed = values.length > 0 ? [] : assertion.equalities.flatMap((each) => unequal(each, text));
  return [
    ...values.map((each) => draftAt(file, statement, 'value', each)),
    ...typed.map((each) => draftAt(file, statement, 'value-type', each)),
    ...assertion.sought.map((each) => draftAt(file, statement, 'raises', each)),
    ...(assertion.negation ? [draftAt(file, statement, 'negate', assertion.negation)] : []),
  ];
}

/** Literal arguments that a function of the file compares in every run that passes. */
function helped(statement: Node, { file, helpers }: Fn): Edit[] {
  const call = statement.type === 'expression_statement' ? namedChildren(statement)[0] : statement;
  const callee = call?.type === 'call_expression' ? child(call, 'function') : undefined;
  const helper = callee?.type === 'identifier' ? helpers.get(textOf(callee, file.text)) : undefined;
  if (!call || !helper) return [];
  const parameters = namedChildren(child(helper.node, 'parameters')).filter(({ type }) => type === 'parameter');
  const edits = namedChildren(child(call, 'arguments')).flatMap((argument, position) => {
    const pattern = child(parameters[position], 'pattern');
    const name = pattern?.type === 'identifier' ? textOf(pattern, helper.file.text) : undefined;
    return name !== undefined && comparedBy(helper, name) ? leavesOf(tokensOf(argument), file.text).slice(0, 1) : [];
  });
  return edits.slice(0, 2);
}

/** An expression outside of macros as the tokens that it would be inside. */
function tokensOf(node: Node): Node[] {
  switch (node.type) {
    case 'reference_expression':
    case 'unary_expression':
      return node.children.flatMap(tokensOf);
    case 'call_expression':
      return [...tokensOf(child(node, 'function')!), ...tokensOf(child(node, 'arguments')!)];
    case 'scoped_identifier':
    case 'field_expression':
      return node.children.flatMap(tokensOf);
    case 'macro_invocation':
      return node.children.flatMap(tokensOf);
    case 'arguments':
    case 'array_expression':
    case 'tuple_expression': {
      const children = node.children.flatMap(tokensOf);
      return [{ ...node, type: 'token_tree', children }];
    }
    default:
      return [node];
  }
}

/** The assertion that compares a parameter in every run that passes, where it is used for nothing else before. */
function comparedBy(fn: Fn, name: string): Node | undefined {
  const { text } = fn.file;
  for (const statement of reachedIn(fn.body)) {
    for (const sides of assertionOf(statement, text)?.equalities ?? [])
      for (const [side, other] of [sides, [sides[1], sides[0]] as const]) {
        const plain = side.filter((each) => !/^[&*]$/.test(textOf(each, text)));
        const isName = plain.length === 1 && textOf(plain[0]!, text) === name;
        if (isName && !other.some((each) => mentions(each, name, text))) return statement;
      }
    if (mentions(statement, name, text)) return undefined;
  }
  return undefined;
}

function mentions(node: Node, name: string, text: string): boolean {
  return holds(node, (each) => each.type === 'identifier' && textOf(each, text) === name);
}

/** `#[case("abc", 3)]` of `rstest`, whose tests are told apart by number. */
function caseDrafts(fn: Fn, row: number): Draft[] {
  const { file, attributes, node } = fn;
  const { text } = file;
  const names: (string | undefined)[] = [];
  let isCase = false;
  for (const each of namedChildren(child(node, 'parameters'))) {
    if (each.type === 'attribute_item') isCase = /^#\[case\]/.test(textOf(each, text));
    else if (isCase) {
      const pattern = child(each, 'pattern');
      names.push(pattern && textOf(pattern, text));
      isCase = false;
    }
  }
  const cases = attributes.filter((each) => /^#\[case\b/.test(textOf(each, text)));
  const tree = cases[row] && treeIn(cases[row]);
  if (!tree) return [];
  return partsOf(tree, text).flatMap((cell, position) => {
    const name = names[position];
    const statement = name === undefined ? undefined : comparedBy(fn, name);
    return statement
      ? leavesOf(cell, text)
          .slice(0, 2)
          .map((each) => draftAt(file, statement, 'table', each))
      : [];
  });
}

function treeIn(node: Node): Node | undefined {
  if (node.type === 'token_tree') return node;
  for (const each of node.children) {
    const found = treeIn(each);
    if (found) return found;
  }
  return undefined;
}
