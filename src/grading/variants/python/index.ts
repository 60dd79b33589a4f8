import {
  type Argument,
  type ClassStatement,
  type Expression,
  eachExpression,
  eachStatement,
  expressionsIn,
  type FunctionStatement,
  type ModuleSyntax,
  openPython,
  type Python,
  type Statement,
} from '@pointsman/python';
import { EXACT, type Tolerance } from '../literals';
import { matching, type Named } from '../names';
import { type Draft, type LocatedTest, none, type Range, type Suite, type TestFile } from '../variant';
import { type Assertion, assertionOf, calledBy, type Equality } from './assertions';
import { unequalTo } from './families';
import { dottedName, isLiteral, type Leaf, lastName, leavesOf } from './literals';
import { isSimple, reachedIn } from './reached';
import { cellsNamed, type ExpectedParameter, type Table, tableDrafts, tablesOf } from './table';

/** Reads pytest's, unittest's and Django's tests. */
export async function openPythonTests(): Promise<(files: readonly TestFile[]) => Suite> {
  const python = await openPython();
  return (files) => new PythonSuite(python, files);
}

interface Module {
  readonly file: TestFile;
  readonly syntax: ModuleSyntax;
  readonly segments: readonly string[];
  readonly functions: Map<string, FunctionStatement>;
  readonly classes: Map<string, Class>;
  /** Names that are assigned, and so no functions that could be read. */
  readonly assigned: Set<string>;
  /** Names that are called when the file is imported: a test that fails then takes all others of the run with it. */
  readonly called: Set<string>;
}

interface Class {
  readonly statement: ClassStatement;
  readonly module: Module;
  readonly segments: readonly string[];
  readonly methods: Map<string, FunctionStatement>;
  readonly assigned: Set<string>;
}

/** Where names of functions and methods are looked up. */
interface Scope {
  readonly module: Module;
  readonly cls: Class | undefined;
}

/** A function that a test calls; `skipped` parameters are given by Python. */
interface Helper extends Scope {
  readonly fn: FunctionStatement;
  readonly skipped: number;
}

/** A test as its ids may name it: by the class that runs it, which may inherit it. */
interface Test extends Named, Scope {
  readonly fn: FunctionStatement;
}

/** What one function holds, read when first asked for. */
interface Reading {
  readonly body: readonly Draft[];
  readonly tables: readonly Table[];
  readonly refused: string | undefined;
}

/** A parameter that a function compares: where, and how exactly. */
interface Compared extends ExpectedParameter {
  readonly statement: Statement;
}

const CONSTANTS = ['2 == 1', 'len("ab") == 3', '[1] == [3]'];
const LEAVES_PER_PLACE = 2;

class PythonSuite implements Suite {
  private readonly modules: Module[];
  private readonly tests = new Map<string, Test[]>();
  private readonly byName = new Map<string, readonly Test[]>();
  private readonly described = new Map<string, Test[]>();
  private readonly classes = new Map<string, Class[]>();
  private readonly readings = new Map<FunctionStatement, Reading>();
  private readonly compared = new Map<FunctionStatement, Map<string, Compared | undefined>>();

  constructor(python: Python, files: readonly TestFile[]) {
    this.modules = files.map((file) => moduleOf(python.parse(file.path, file.text), file));
    for (const module of this.modules)
      for (const each of module.classes.values()) push(this.classes, each.statement.name, each);
    for (const module of this.modules) this.indexTests(module);
  }

  private indexTests(module: Module): void {
    const add = (fn: FunctionStatement, owner: Class | undefined, runner: Class | undefined) => {
      const segments = [...(runner?.segments ?? module.segments), fn.name];
      const test: Test = { segments, fn, module: owner?.module ?? module, cls: runner };
      push(this.tests, fn.name, test);
      // Most names are told apart by their class or file: whole suites have tests called alike.
      push(this.tests, segments.slice(-2).join('.'), test);
      const [first = ''] = (fn.docstring ?? '').trim().split('\n');
      if (first) push(this.described, first.trim(), test);
    };
    for (const fn of module.functions.values()) add(fn, undefined, undefined);
    for (const each of module.classes.values())
      for (const [, { fn, owner }] of this.methodsOf(each)) add(fn, owner, each);
  }

  /** Methods of a class, its own before those of its bases as far as these are in the files. */
  private methodsOf(
    each: Class,
    found = new Map<string, { fn: FunctionStatement; owner: Class }>(),
    seen = new Set<Class>(),
  ): Map<string, { fn: FunctionStatement; owner: Class }> {
    if (seen.has(each)) return found;
    seen.add(each);
    for (const [name, fn] of each.methods) if (!found.has(name)) found.set(name, { fn, owner: each });
    for (const base of this.basesOf(each)) this.methodsOf(base, found, seen);
    return found;
  }

  private basesOf(each: Class): Class[] {
    return each.statement.arguments.flatMap(({ name, value }) => {
      if (name !== undefined) return [];
      const base = lastName(value);
      const own = each.module.classes.get(base);
      if (own && own !== each) return [own];
      const [only, ...others] = (this.classes.get(base) ?? []).filter((one) => one !== each);
      return only && others.length === 0 ? [only] : [];
    });
  }

  locate(id: string): LocatedTest {
    if (/\[doctest\]|\.(txt|rst|md)(::|$)/.test(id)) return none('a doctest');
    const { segments, row } = partsOf(id);
    const exact = this.named(segments);
    const expanded = exact.length === 0 ? this.expanded(segments) : undefined;
    const found = exact.length > 0 ? exact : expanded ? [expanded.test] : (this.described.get(id.trim()) ?? []);
    const [test, ...others] = found;
    if (!test) return none(this.absence(segments));
    if (others.length > 0) return none('several tests have this name');
    const reading = this.read(test);
    if (reading.refused) return none(reading.refused);
    const table = reading.tables.flatMap((each) => tableDrafts(each, row, expanded?.row));
    return { drafts: [...reading.body, ...table], why: 'no assertion is reached in every run' };
  }

  /** Tests that a name may mean: looked up once for all rows of a table. */
  private named(segments: readonly string[]): readonly Test[] {
    const key = segments.join('.');
    const known = this.byName.get(key);
    if (known) return known;
    const candidates = this.tests.get(segments.slice(-2).join('.')) ?? this.tests.get(segments.at(-1) ?? '') ?? [];
    const found = matching(candidates, segments);
    this.byName.set(key, found);
    return found;
  }

  /** `test_add_0_negative` of `@parameterized.expand`. */
  private expanded(segments: readonly string[]): { test: Test; row: number } | undefined {
    const found = /^(\w+?)_(\d+)(?:_.*)?$/s.exec(segments.at(-1) ?? '');
    if (!found) return undefined;
    const [test, ...others] = this.named([...segments.slice(0, -1), found[1]!]);
    if (!test || others.length > 0) return undefined;
    const expands = test.fn.decorators.some((each) => each.kind === 'call' && lastName(each.callee) === 'expand');
    return expands ? { test, row: Number(found[2]) } : undefined;
  }

  private absence(segments: readonly string[]): string {
    const name = segments.at(-1) ?? '';
    const [owner] = (this.classes.get(segments.at(-2) ?? '') ?? []).filter(
      (each) => matching([each], segments.slice(0, -1)).length > 0,
    );
    if (owner) {
      if (owner.assigned.has(name)) return 'made by a factory';
      return owner.statement.arguments.some((each) => !/^(TestCase|object)$/.test(lastName(each.value)))
        ? 'inherited, or made by a metaclass or a decorator'
        : 'no test of this name in the files given';
    }
    return this.modules.some(({ assigned }) => assigned.has(name))
      ? 'made by a factory'
      : 'no test of this name in the files given';
  }

  private read(test: Test): Reading {
    const known = this.readings.get(test.fn);
    if (known) return known;
    const { module, fn } = test;
    const isCalled = module.functions.get(fn.name) === fn && module.called.has(fn.name);
    const refused = isCalled ? 'called when its file is imported' : refusalOf(fn);
    const reading: Reading = {
      body: refused ? [] : this.bodyDrafts(test),
      tables: refused ? [] : this.tablesFor(test),
      refused,
    };
    this.readings.set(test.fn, reading);
    return reading;
  }

  private tablesFor(test: Test): Table[] {
    const { fn, module, cls } = test;
    const expects = (name: string) => this.comparedBy(fn, name, test);
    const tables = tablesOf(fn.decorators, fn, module.file, module.syntax, expects);
    if (!cls || cls.statement.decorators.length === 0) return tables;
    // A row of a class changes all its tests: all have to compare the parameter.
    const siblings = [...cls.methods.values()].filter(({ name }) => name.startsWith('test'));
    const inClass = tablesOf(cls.statement.decorators, fn, module.file, module.syntax, (name) => {
      const users = siblings.filter(({ parameters }) => parameters.some((each) => each.name === name));
      const all = users.every((each) => this.comparedBy(each, name, test) !== undefined);
      return all ? expects(name) : undefined;
    });
    return [...tables, ...inClass];
  }

  private bodyDrafts(test: Test): Draft[] {
    const { file, syntax } = test.module;
    const reached = reachedIn(test.fn.body, syntax, file.text);
    const drafts = reached.flatMap((statement) => this.statementDrafts(statement, test));
    const last = reached
      .filter(isSimple)
      .reduce<Statement | undefined>((latest, each) => (!latest || each.end > latest.end ? each : latest), undefined);
    if (last) {
      drafts.push({
        kind: 'must-fail',
        file,
        from: last.end,
        to: last.end,
        texts: CONSTANTS.map((each) => `; assert ${each}`),
        fails: 'assertion',
        statement: last,
      });
    }
    return drafts;
  }

  private statementDrafts(statement: Statement, test: Test): Draft[] {
    const { file } = test.module;
    const assertion = this.assertion(statement, test);
    const valuesNamed = (name: string) => valuesIn(test, name);
    const draft = (
      kind: Draft['kind'],
      { start, end }: Range,
      texts: readonly string[],
      fails: Draft['fails'],
    ): Draft => ({
      kind,
      file,
      from: start,
      to: end,
      texts,
      fails,
      statement,
    });
    const helped = this.helped(statement, test).map((each) => draft('helper', each, each.texts, 'assertion'));
    if (!assertion) return helped;
    const values = assertion.values.flatMap((each) => leavesOf(each, file.text).slice(0, 1)).slice(0, LEAVES_PER_PLACE);
    const leaves = [...assertion.equalities.flatMap((each) => valuesOf(each, file.text)), ...values];
    const typed =
      leaves.length > 0
        ? []
        : assertion.equalities.flatMap((each) => unequal(each, file.text, valuesNamed)).slice(0, 3);
    return [
      ...leaves.map((each) => draft('value', each, each.texts, 'assertion')),
      ...helped,
      ...typed.map((each) => draft('value-type', each, each.texts, 'assertion')),
      ...assertion.sought.map((each) => draft('raises', each, each.texts, 'assertion')),
      ...assertion.swaps.map((each) => draft('raises', each, each.texts, each.fails)),
      ...(assertion.negation ? [draft('negate', assertion.negation, assertion.negation.texts, 'assertion')] : []),
    ];
  }

  private assertion(statement: Statement, scope: Scope): Assertion | undefined {
    return assertionOf(statement, scope.module.file.text, (name) => this.defines(name, scope));
  }

  private defines(name: string, { module, cls }: Scope): boolean {
    return module.functions.has(name) || (cls !== undefined && this.methodsOf(cls).has(name));
  }

  /** Literal arguments of a helper that the helper compares. */
  private helped(statement: Statement, scope: Scope): Leaf[] {
    return this.comparedArguments(statement, scope)
      .flatMap(({ argument, tolerance }) => leavesOf(argument, scope.module.file.text, tolerance).slice(0, 1))
      .slice(0, LEAVES_PER_PLACE);
  }

  private comparedArguments(
    statement: Statement,
    scope: Scope,
  ): { readonly argument: Expression; readonly others: Expression[]; readonly tolerance: Tolerance }[] {
    const call = statement.kind === 'expression' ? calledBy(statement.value) : undefined;
    if (!call || call.arguments.some(({ spread }) => spread !== undefined)) return [];
    const helper = this.helperOf(call.callee, scope);
    if (!helper || refusalOf(helper.fn)) return [];
    // A coroutine that nobody awaits compares nothing.
    if (helper.fn.isAsync && !(statement.kind === 'expression' && statement.value.kind === 'await')) return [];
    const parameters = helper.fn.parameters.slice(helper.skipped);
    return call.arguments.flatMap((given: Argument, position) => {
      const parameter =
        given.name === undefined ? parameters[position] : parameters.find(({ name }) => name === given.name);
      if (!parameter || /^var/.test(parameter.form)) return [];
      const compared = this.comparedBy(helper.fn, parameter.name, helper);
      const others = call.arguments.filter((each) => each !== given).map(({ value }) => value);
      return compared ? [{ argument: given.value, others, tolerance: compared.tolerance }] : [];
    });
  }

  private helperOf(callee: Expression, { module, cls }: Scope): Helper | undefined {
    if (callee.kind === 'attribute' && /^(self|cls)$/.test(dottedName(callee.object) ?? '')) {
      const method = cls && this.methodsOf(cls).get(callee.name);
      if (!method) return undefined;
      const isStatic = method.fn.decorators.some((each) => dottedName(each) === 'staticmethod');
      return { fn: method.fn, module: method.owner.module, cls, skipped: isStatic ? 0 : 1 };
    }
    if (callee.kind !== 'name') return undefined;
    const own = module.functions.get(callee.id);
    if (own) return { fn: own, module, cls: undefined, skipped: 0 };
    const from = importedFrom(module.syntax, callee.id);
    if (!from) return undefined;
    const [only, ...others] = this.modules.filter(
      (each) => each.segments.at(-1) === from.module && each.functions.has(from.name),
    );
    if (!only || others.length > 0) return undefined;
    return { fn: only.functions.get(from.name)!, module: only, cls: undefined, skipped: 0 };
  }

  /**
   * Where a function compares a parameter in every run that passes, using it for nothing else before. Undefined where that
   * is not certain.
   */
  private comparedBy(fn: FunctionStatement, name: string, scope: Scope): Compared | undefined {
    const known = this.compared.get(fn) ?? new Map<string, Compared | undefined>();
    this.compared.set(fn, known);
    // A helper that calls itself is certain of nothing: undefined until it is known.
    if (!known.has(name)) {
      known.set(name, undefined);
      known.set(name, this.findCompared(fn, name, scope));
    }
    return known.get(name);
  }

  private findCompared(fn: FunctionStatement, name: string, scope: Scope): Compared | undefined {
    if (!fn.parameters.some((each) => each.name === name)) return undefined;
    const isName = (each: Expression) => each.kind === 'name' && each.id === name;
    const sidesIn = (statement: Statement) => {
      const equal = (this.assertion(statement, scope)?.equalities ?? []).flatMap(({ sides, tolerance, identity }) =>
        identity ? [] : sides.map((side, at) => ({ side, others: [sides[1 - at]!], tolerance })),
      );
      const given = this.comparedArguments(statement, scope).map(({ argument, others, tolerance }) => ({
        side: argument,
        others,
        tolerance,
      }));
      return [...equal, ...given].filter(
        ({ side, others }) => isName(side) && !others.some((each) => mentions(each, name)),
      );
    };
    let compared: Compared | undefined;
    for (const statement of reachedIn(fn.body, scope.module.syntax, scope.module.file.text)) {
      const [found] = sidesIn(statement);
      if (!found) continue;
      compared = { statement, tolerance: found.tolerance };
      break;
    }
    if (!compared) return undefined;
    const { start } = compared.statement;
    let certain = true;
    eachStatement(fn.body, (statement) => {
      if (!certain || statement.start > start) return false;
      const sides = new Set(sidesIn(statement).map(({ side }) => side.start));
      const expressions = statement.kind === 'assert' ? [statement.test] : expressionsIn(statement);
      for (const each of expressions) {
        if (each.kind === 'call' && lastName(each.callee) === 'subTest') continue;
        eachExpression(each, (inner) => {
          if (isName(inner) && !sides.has(inner.start)) certain = false;
          return certain;
        });
      }
      return certain;
    });
    return certain ? compared : undefined;
  }
}

function mentions(expression: Expression, name: string): boolean {
  let found = false;
  eachExpression(expression, (each) => {
    if (each.kind === 'name' && each.id === name) found = true;
    return !found;
  });
  return found;
}

/** The literal values of an equality: of the side that is nothing else, or of the right one. */
function valuesOf({ sides, tolerance, identity, arrays }: Equality, text: string): Leaf[] {
  const [left, right] = sides;
  if (isLiteral(left) && isLiteral(right)) return [];
  const ordered = isLiteral(left) ? [left, right] : [right, left];
  for (const side of ordered) {
    if (identity) {
      const texts = side.kind === 'none' ? ['True', '...', 'NotImplemented'] : [];
      if (side.kind === 'boolean') texts.push(side.value ? 'False' : 'True', 'None');
      if (texts.length > 0) return [{ start: side.start, end: side.end, texts }];
      continue;
    }
    // A number is equal to all elements of an empty array.
    if (arrays && side.kind !== 'list' && side.kind !== 'call') continue;
    const leaves = leavesOf(side, text, tolerance).filter(
      (each) => !arrays || each.start !== side.start || each.end !== side.end,
    );
    if (leaves.length > 0) return spreadOut(leaves);
  }
  return [];
}

/** The first and the last. */
function spreadOut(leaves: readonly Leaf[]): Leaf[] {
  return leaves.length <= LEAVES_PER_PLACE ? [...leaves] : [leaves[0]!, leaves.at(-1)!];
}

/** An operand that is no literal made unequal. Not where it is compared roughly: two more may be the same then. */
function unequal(
  { sides, tolerance, identity, arrays }: Equality,
  text: string,
  valuesNamed: (name: string) => readonly Expression[],
): Leaf[] {
  const [left, right] = sides;
  if (identity || arrays || tolerance.relative > 0 || tolerance.absolute > 0.5 || (isLiteral(left) && isLiteral(right)))
    return [];
  const wanted = isLiteral(left) || (isPlain(left) && !isPlain(right)) ? left : right;
  const other = wanted === left ? right : left;
  return unequalTo(wanted, other, text, valuesNamed)
    .slice(0, tolerance === EXACT ? 3 : 1)
    .map((texts) => ({ start: wanted.start, end: wanted.end, texts }));
}

/** What a name stands for in a test: values that are assigned in its body, or given by the rows of its tables. */
function valuesIn({ fn, cls, module }: Test, name: string): Expression[] {
  const values: Expression[] = [];
  eachStatement(fn.body, (statement) => {
    if (statement.kind === 'assign' && statement.targets.some((each) => each.kind === 'name' && each.id === name))
      values.push(statement.value);
    return true;
  });
  const decorators = [...fn.decorators, ...(cls?.statement.decorators ?? [])];
  return [...values, ...cellsNamed(name, decorators, module.file, module.syntax)];
}

/** What is rather the expectation than the result. */
function isPlain({ kind }: Expression): boolean {
  return /^(list|tuple|dict|set|formattedString|comprehension|binary)$/.test(kind);
}

/** Why nothing can be done in a test, whatever it asserts. */
function refusalOf(fn: FunctionStatement): string | undefined {
  for (const each of fn.decorators) {
    const name = lastName(each.kind === 'call' ? each.callee : each);
    if (/^(expectedFailure|xfail|XFAIL)$/.test(name)) return 'expected to fail';
    if (/^(fixture|property)$/.test(name)) return 'no test, but a fixture';
  }
  let yields = false;
  eachStatement(fn.body, (statement) => {
    if (statement.kind === 'function' || statement.kind === 'class') return false;
    for (const expression of expressionsIn(statement))
      eachExpression(expression, (each) => {
        if (each.kind === 'yield' || each.kind === 'yieldFrom') yields = true;
        return each.kind !== 'lambda';
      });
    return !yields;
  });
  return yields ? 'a generator, whose body is not run as a test' : undefined;
}

function importedFrom(syntax: ModuleSyntax, name: string): { module: string; name: string } | undefined {
  for (const statement of syntax.body) {
    if (statement.kind !== 'importFrom') continue;
    const found = statement.names.find((each) => (each.alias ?? each.name) === name);
    if (found) return { module: statement.module.split('.').at(-1) ?? '', name: found.name };
  }
  return undefined;
}

function moduleOf(syntax: ModuleSyntax, file: TestFile): Module {
  const segments = segmentsOf(file.path.replace(/\.py$/, '')).filter((each) => each !== '__init__');
  const module: Module = {
    file,
    syntax,
    segments,
    functions: new Map(),
    classes: new Map(),
    assigned: new Set(),
    called: new Set(),
  };
  collect(syntax.body, module, segments, module.functions, module.assigned);
  addCalled(syntax.body, module);
  return module;
}

/** Adds the functions that statements call as soon as they run, and those that these call. */
function addCalled(block: readonly Statement[], { functions, called }: Pick<Module, 'functions' | 'called'>): void {
  eachStatement(block, (statement) => {
    if (statement.kind === 'function') return false;
    if (statement.kind === 'if' && mentions(statement.test, '__name__')) return false;
    for (const expression of expressionsIn(statement))
      eachExpression(expression, (each) => {
        if (each.kind === 'call' && each.callee.kind === 'name' && !called.has(each.callee.id)) {
          called.add(each.callee.id);
          addCalled(functions.get(each.callee.id)?.body ?? [], { functions, called });
        }
        return each.kind !== 'lambda';
      });
    return true;
  });
}

function collect(
  block: readonly Statement[],
  module: Module,
  segments: readonly string[],
  functions: Map<string, FunctionStatement>,
  assigned: Set<string>,
): void {
  eachStatement(block, (statement) => {
    switch (statement.kind) {
      case 'function':
        // Of two of one name the later one runs.
        functions.set(statement.name, statement);
        return false;
      case 'class': {
        const own = [...segments, statement.name];
        const each: Class = { statement, module, segments: own, methods: new Map(), assigned: new Set() };
        module.classes.set(own.slice(module.segments.length).join('.'), each);
        collect(statement.body, module, own, each.methods, each.assigned);
        return false;
      }
      case 'assign':
        for (const target of statement.targets) if (target.kind === 'name') assigned.add(target.id);
        return true;
      default:
        return true;
    }
  });
}

function segmentsOf(text: string): string[] {
  return text.split(/[:/\\.]+/).filter((each) => each !== '');
}

/** The names in an id, from the folder to the function, and what stands in its brackets. */
function partsOf(id: string): { segments: string[]; row: string | undefined } {
  // `test_x (package.module.Class)`, in newer Pythons with the name once more.
  const unittest = /^(\w+) \(([\w.]+)\)/.exec(id);
  if (unittest) {
    const segments = segmentsOf(unittest[2]!);
    return { segments: segments.at(-1) === unittest[1] ? segments : [...segments, unittest[1]!], row: undefined };
  }
  const from = id.indexOf('[');
  const head = from < 0 ? id : id.slice(0, from);
  const row = from < 0 ? undefined : id.slice(from + 1).replace(/\][^\]]*$/, '');
  const segments = segmentsOf(head.replace(/\.py(?=$|[:.])/, '').trim()).filter((each) => each !== '__init__');
  return { segments, row };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const all = map.get(key);
  if (all) all.push(value);
  else map.set(key, [value]);
}
