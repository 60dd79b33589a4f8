import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  blocksOf,
  childrenOf,
  cleaned,
  type Expression,
  expressionsIn,
  type ModuleSyntax,
  openPython,
  type Pattern,
  type Python,
  type Statement,
} from '@pointsman/python';
import fc from 'fast-check';

let python: Python;
beforeAll(async () => {
  python = await openPython();
});

const only = (text: string): Statement => python.parse('m.py', text).body[0]!;
const value = (text: string): Expression => {
  const statement = only(text);
  if (statement.kind !== 'expression') throw new Error(`no expression: ${statement.kind}`);
  return statement.value;
};
const textOf = (module: ModuleSyntax, { start, end }: { start: number; end: number }) => module.text.slice(start, end);

/** Prints what both parsers agree to say of a file: kind, first and last line, and the names and texts in it. */
const REFERENCE = `
import ast, json, sys
KINDS = {'For': 'for', 'AsyncFor': 'for', 'With': 'with', 'AsyncWith': 'with', 'FunctionDef': 'function', 'AsyncFunctionDef': 'function',
         'ClassDef': 'class', 'Assign': 'assign', 'AugAssign': 'augmentedAssign', 'AnnAssign': 'annotatedAssign', 'ImportFrom': 'importFrom',
         'Expr': 'expression', 'IfExp': 'conditional', 'Compare': 'comparison', 'BinOp': 'binary', 'YieldFrom': 'yieldFrom', 'NamedExpr': 'walrus',
         'ListComp': 'comprehension', 'SetComp': 'comprehension', 'DictComp': 'comprehension', 'GeneratorExp': 'comprehension'}
PLAIN = {'Name', 'Attribute', 'Call', 'Subscript', 'Lambda', 'Await', 'Yield', 'List', 'Set', 'Dict', 'Slice', 'Return', 'Delete', 'While', 'If', 'Raise',
         'Try', 'Assert', 'Import', 'Global', 'Nonlocal', 'Pass', 'Break', 'Continue', 'Match'}
def facts(path):
    text = open(path, encoding='utf-8', newline='').read()
    tree = ast.parse(text)
    lines = text.splitlines()
    inside = {id(e) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for e in ast.walk(n)}
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        name = type(node).__name__
        kind = KINDS.get(name) or (name.lower() if name in PLAIN else None)
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            if isinstance(node.value, str) and (any('\\\\N{' in line for line in lines[node.lineno - 1:node.end_lineno]) or any(0xD800 <= ord(c) < 0xE000 for c in node.value)):
                continue
            raw = node.value.encode() if isinstance(node.value, str) else node.value
            yield f'string {node.lineno} {node.end_lineno} {raw.hex()[:80]}'
        elif isinstance(node, ast.arg):
            yield f'parameter {node.lineno} {node.arg}'
        elif kind:
            first = node.decorator_list[0].lineno if getattr(node, 'decorator_list', None) else node.lineno
            extra = getattr(node, 'id', None) or getattr(node, 'attr', None) or getattr(node, 'name', None) or ''
            yield f'{kind} {first} {node.end_lineno} {extra}'
result = {}
for path in sys.argv[1:]:
    try:
        result[path] = sorted(facts(path))
    except (SyntaxError, UnicodeDecodeError):
        pass
json.dump(result, sys.stdout)
`;

const COMPARED = new Set(
  'name attribute call subscript lambda await yield list set dict slice return delete while if raise try assert import global nonlocal pass break continue match for with function class assign augmentedAssign annotatedAssign importFrom expression conditional comparison binary yieldFrom walrus comprehension'.split(
    ' ',
  ),
);

function factsOf(module: ModuleSyntax): string[] {
  const facts: string[] = [];
  const expression = (each: Expression): void => {
    if (each.kind === 'string') {
      const raw = Buffer.from(each.value, each.isBytes ? 'latin1' : 'utf8').toString('hex');
      const lossy =
        /\\N\{/.test(module.text.slice(module.lineStarts[each.line - 1], module.lineStarts[each.endLine])) ||
        /[\uD800-\uDFFF]/.test(each.value.replace(/[\u{10000}-\u{10FFFF}]/gu, ''));
      if (!lossy) facts.push(`string ${each.line} ${each.endLine} ${raw.slice(0, 80)}`);
    } else if (COMPARED.has(each.kind)) {
      const extra = each.kind === 'name' ? each.id : each.kind === 'attribute' ? each.name : '';
      facts.push(`${each.kind} ${each.line} ${each.endLine} ${extra}`);
    }
    if (each.kind === 'formattedString') return;
    if (each.kind === 'lambda') for (const { line, name } of each.parameters) facts.push(`parameter ${line} ${name}`);
    for (const inner of childrenOf(each)) expression(inner);
  };
  const statement = (each: Statement): void => {
    const extra = each.kind === 'function' || each.kind === 'class' ? each.name : '';
    if (COMPARED.has(each.kind)) facts.push(`${each.kind} ${each.line} ${each.endLine} ${extra}`);
    if (each.kind === 'function') for (const { line, name } of each.parameters) facts.push(`parameter ${line} ${name}`);
    for (const inner of expressionsIn(each)) expression(inner);
    for (const block of blocksOf(each)) block.forEach(statement);
  };
  module.body.forEach(statement);
  return facts.sort();
}

test("CPython's own parser says the same of its standard library", () => {
  const list = `import glob, sysconfig; print('\\n'.join(sorted(glob.glob(sysconfig.get_path('stdlib') + '/*.py'))[::2]))`;
  const files = execFileSync('python3', ['-c', list], { encoding: 'utf8' }).trim().split('\n');
  const reference = JSON.parse(
    execFileSync('python3', ['-c', REFERENCE, ...files], { encoding: 'utf8', maxBuffer: 1 << 30 }),
  ) as Record<string, string[]>;
  expect(Object.keys(reference).length).toBeGreaterThan(50);
  for (const [path, facts] of Object.entries(reference)) {
    const module = python.parse(path, readFileSync(path, 'utf8'));
    expect({ path, errors: module.errors }).toEqual({ path, errors: [] });
    const own = factsOf(module);
    const [ours, theirs] = [new Set(own), new Set(facts)];
    expect({
      path,
      missing: facts.filter((each) => !ours.has(each)),
      extra: own.filter((each) => !theirs.has(each)),
    }).toEqual({ path, missing: [], extra: [] });
  }
});

test('offsets and lines hold for any text around them: other scripts, emoji, line ends, a byte order mark, form feeds', () => {
  const filler = fc.string({ unit: fc.constantFrom('é', '𝒳', '漢', '🙂', 'a', ' ', '\u0301'), maxLength: 12 });
  const lineEnd = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(
      fc.array(filler, { minLength: 1, maxLength: 8 }),
      lineEnd,
      fc.constantFrom('', '\uFEFF'),
      (texts, end, mark) => {
        const lines = texts.flatMap((text, at) => [
          `# ${text}`,
          '\f',
          `name_${at} = '${text}' + other_${at}  # ${text}`,
        ]);
        const module = python.parse('m.py', mark + lines.join(end));
        expect(module.errors).toEqual([]);
        expect(module.body.map((statement) => statement.line)).toEqual(texts.map((_, at) => at * 3 + 3));
        module.body.forEach((statement, at) => {
          if (statement.kind !== 'assign' || statement.value.kind !== 'binary') throw new Error(statement.kind);
          expect(textOf(module, statement.targets[0]!)).toBe(`name_${at}`);
          expect(textOf(module, statement.value.right)).toBe(`other_${at}`);
          expect(statement.value.left).toMatchObject({ kind: 'string', value: texts[at] });
        });
      },
    ),
  );
});

test('parameters: their form, annotations and defaults', () => {
  const statement = only('def f(a, /, b: int = 1, *args: str, c, d=2, **kw) -> int:\n    "Doc."\n    return a');
  expect(statement).toMatchObject({ kind: 'function', name: 'f', docstring: 'Doc.', returns: { id: 'int' } });
  if (statement.kind !== 'function') return;
  expect(statement.parameters.map(({ name, form }) => `${name} ${form}`)).toEqual([
    'a positionalOnly',
    'b positional',
    'args varPositional',
    'c keywordOnly',
    'd keywordOnly',
    'kw varKeyword',
  ]);
  expect(statement.parameters[1]).toMatchObject({ annotation: { id: 'int' }, default: { text: '1' } });
  const bare = only('def f(a, *, b): pass');
  expect(bare.kind === 'function' && bare.parameters.map(({ form }) => form)).toEqual(['positional', 'keywordOnly']);
});

test('a definition starts at its first decorator and ends with its last statement', () => {
  const statement = only('@one\n@two(3)\nasync def f():\n    pass\n    # a comment that is no part of it\n');
  expect(statement).toMatchObject({ line: 1, endLine: 4, keyword: { line: 3 }, isAsync: true });
});

test('strings are what they stand for, however they are spelt', () => {
  expect(value(`'a' "b" '''c\nd'''`)).toMatchObject({ kind: 'string', value: 'abc\nd' });
  expect(value(String.raw`'\x41\u00e9\n\101\q'`)).toMatchObject({ value: 'Aé\nA\\q' });
  expect(value(String.raw`r'\n'`)).toMatchObject({ value: '\\n' });
  expect(value(String.raw`b'\xff\u0041'`)).toMatchObject({ isBytes: true, value: '\xff\\u0041' });
  expect(value(`f'a{x!r:>{w}}{{b}}'`)).toMatchObject({
    kind: 'formattedString',
    parts: ['a', { expression: { id: 'x' }, conversion: 'r', format: ['>', { expression: { id: 'w' } }] }, '{b}'],
  });
  expect(cleaned('One.\n\n    Two\n      three\n    ')).toBe('One.\n\nTwo\n  three');
});

test('subscripts, slices, chained comparisons and calls keep their parts apart', () => {
  expect(value('a[1:2, ::3]')).toMatchObject({
    index: {
      kind: 'tuple',
      elements: [
        { lower: { text: '1' }, upper: { text: '2' } },
        { lower: undefined, step: { text: '3' } },
      ],
    },
  });
  expect(value('a[b,]')).toMatchObject({ index: { kind: 'tuple', elements: [{ id: 'b' }] } });
  expect(value('a < b is not c not in d')).toMatchObject({
    rest: [{ operator: '<' }, { operator: 'is not' }, { operator: 'not in' }],
  });
  expect(value('f(a, *b, k=c, **d)')).toMatchObject({
    arguments: [{ value: { id: 'a' } }, { spread: '*' }, { name: 'k' }, { spread: '**', value: { id: 'd' } }],
  });
  expect(value('f(x for x in y)')).toMatchObject({
    arguments: [{ value: { kind: 'comprehension', form: 'generator' } }],
  });
});

test('patterns bind what they name', () => {
  const statement = only(
    'match x:\n  case [1, -2.0, *rest] if q: pass\n  case {"a": {"b": c}, **kw}: pass\n  case P(x=0, y=b) | None as d: pass\n  case (e): pass\n  case a.b | 1 + 2j: pass\n  case _: pass',
  );
  if (statement.kind !== 'match') throw new Error(statement.kind);
  const kinds = statement.cases.map(({ pattern }: { pattern: Pattern }) => pattern);
  expect(kinds).toMatchObject([
    {
      kind: 'sequence',
      patterns: [{ kind: 'value' }, { kind: 'value', value: { operator: '-' } }, { kind: 'star', name: 'rest' }],
    },
    { kind: 'mapping', rest: 'kw', entries: [{ pattern: { kind: 'mapping', entries: [{ pattern: { name: 'c' } }] } }] },
    { kind: 'as', name: 'd', pattern: { kind: 'or', patterns: [{ kind: 'class' }, { kind: 'value' }] } },
    { kind: 'capture', name: 'e' },
    { kind: 'or', patterns: [{ value: { kind: 'attribute' } }, { value: { kind: 'binary', operator: '+' } }] },
    { kind: 'capture', name: undefined },
  ]);
  expect(statement.cases[0]!.guard).toMatchObject({ id: 'q' });
});

test('type parameters and `type` statements are read; a call of `type` is none', () => {
  expect(only('def f[T: int, *Ts, **P](x: T): pass')).toMatchObject({
    typeParameters: [
      { name: 'T', form: 'type', bound: { id: 'int' } },
      { name: 'Ts', form: 'tuple' },
      { name: 'P', form: 'specification' },
    ],
  });
  expect(only('type Pair[T] = tuple[T, T]')).toMatchObject({
    kind: 'typeAlias',
    name: 'Pair',
    typeParameters: [{ name: 'T' }],
  });
  expect(only('type(mock).__str__ = f')).toMatchObject({
    kind: 'assign',
    targets: [{ name: '__str__', object: { callee: { id: 'type' } } }],
  });
});

test('what is no Python is said with its line, and the rest is read', () => {
  const module = python.parse('m.py', 'a = 1\ndef f(:\n    pass\nb = 2\nprint "old"\n');
  expect(module.errors.length).toBeGreaterThan(0);
  expect(module.errors.map(({ line }) => line)).toContain(5);
  expect(module.body.some((each) => each.kind === 'assign')).toBe(true);
});

test('a text that is made to take hours is given up, and the next one is read as ever', () => {
  const endless = python.parse('endless.py', `x = 1\n${'\\\n'.repeat(30_000)}`);
  expect(endless).toMatchObject({ body: [], errors: [{ line: 1, text: expect.stringContaining('given up') }] });
  expect(python.parse('next.py', 'y = 2\n')).toMatchObject({ body: [{ kind: 'assign' }], errors: [] });
});
