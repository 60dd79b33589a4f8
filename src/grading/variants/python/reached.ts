import { blocksOf, type Expression, eachStatement, type ModuleSyntax, type Statement } from '@pointsman/python';
import { isLibrary } from '../../library-names';
import { dottedName, lastName } from './literals';

/**
 * Context managers that let every exception out. Any other may swallow it, above all one of the tested code: an honest
 * package was accused so. Named by the last part of what is called.
 */
const LET_OUT =
  /^(open|TemporaryDirectory|NamedTemporaryFile|TemporaryFile|SpooledTemporaryFile|catch_warnings|warns|deprecated_call|subTest|freeze_time|assertWarns|assertWarnsRegex|assertLogs|assertNoLogs|assertNumQueries|override_settings|modify_settings|captureOnCommitCallbacks|nullcontext|redirect_stdout|redirect_stderr|closing|StringIO|BytesIO|ZipFile|TarFile|localcontext|errstate|printoptions|as_cwd|at_level|disabled|isolate_apps)$/;
const LET_OUT_DOTTED =
  /(^|\.)(patch(\.(object|dict|multiple))?|monkeypatch\.context|MonkeyPatch\.context|self\.settings|tempfile\.\w+|zipfile\.\w+|threading\.\w*Lock)$/;

/** Libraries beside the standard one whose context managers are among these. */
const LIBRARIES = /^(django|numpy|freezegun|six)$/;
/** What a test has without an import: the builtin function, its own object, fixtures of pytest and of its plug-ins. */
const GIVEN = /^(open|self|cls|monkeypatch|mocker|caplog|capsys|capfd|tmp_path|tmpdir)$/;

/** Of each name that a module binds, whether it comes from a library. */
const bindings = new WeakMap<ModuleSyntax, ReadonlyMap<string, boolean>>();

function boundIn(syntax: ModuleSyntax): ReadonlyMap<string, boolean> {
  const known = bindings.get(syntax);
  if (known) return known;
  const bound = new Map<string, boolean>();
  const isKnown = (module: string) => {
    const top = module.split('.')[0]!;
    return isLibrary(top) || LIBRARIES.test(top);
  };
  eachStatement(syntax.body, (statement) => {
    switch (statement.kind) {
      case 'import':
        for (const { name, alias } of statement.names) bound.set(alias ?? name.split('.')[0]!, isKnown(name));
        return true;
      case 'importFrom':
        for (const { name, alias } of statement.names)
          bound.set(alias ?? name, statement.level === 0 && isKnown(statement.module));
        return true;
      case 'function':
      case 'class':
        // Methods are reached through their object.
        if (syntax.body.includes(statement)) bound.set(statement.name, false);
        return true;
      case 'assign':
        for (const target of statement.targets) if (target.kind === 'name') bound.set(target.id, false);
        return true;
      default:
        return true;
    }
  });
  bindings.set(syntax, bound);
  return bound;
}

/** The name that an expression starts from: `tmp_path` in `(tmp_path / 'a').open`. */
function rootOf(expression: Expression): string {
  switch (expression.kind) {
    case 'name':
      return expression.id;
    case 'attribute':
      return rootOf(expression.object);
    case 'call':
      return rootOf(expression.callee);
    case 'binary':
      return rootOf(expression.left);
    default:
      return '';
  }
}

/** Whether an exception in the body of `with` is sure to leave it: tested code has context managers of all names. */
function letsOut(context: Expression, syntax: ModuleSyntax): boolean {
  const { callee } = context.kind === 'call' ? context : { callee: context };
  if (!LET_OUT.test(lastName(callee)) && !LET_OUT_DOTTED.test(dottedName(callee) ?? '')) return false;
  const root = rootOf(callee);
  return boundIn(syntax).get(root) ?? GIVEN.test(root);
}

/**
 * The statements of a body that every run reaches that does not fail or skip before, in order; compound ones stand before
 * what is reached inside of them. A skip or an exception on the way is no loss: such a run does not pass.
 */
export function reachedIn(body: readonly Statement[], syntax: ModuleSyntax, text: string): Statement[] {
  const reached: Statement[] = [];
  follow(body, reached, { syntax, text });
  return reached;
}

interface Source {
  readonly syntax: ModuleSyntax;
  readonly text: string;
}

/** Adds what is reached, and says whether the end is. */
function follow(block: readonly Statement[], reached: Statement[], source: Source): boolean {
  for (const statement of block) {
    reached.push(statement);
    switch (statement.kind) {
      case 'return':
      case 'raise':
      case 'break':
      case 'continue':
        return false;
      case 'with':
        if (!statement.items.every(({ context }) => letsOut(context, source.syntax))) break;
        if (!follow(statement.body, reached, source)) return false;
        continue;
      case 'for':
        if (goesRound(statement.iterable, source.text)) follow(statement.body, reached, source);
        break;
      case 'try':
        if (statement.handlers.length > 0) {
          if (mayLeave(statement, false)) return false;
          follow(statement.finally, reached, source);
          continue;
        }
        // A return in `finally` drops the exception.
        if (statement.finally.some((each) => mayLeave(each, true))) break;
        if (!follow(statement.body, reached, source) || !follow(statement.finally, reached, source)) return false;
        continue;
      default:
    }
    if (mayLeave(statement, false)) return false;
  }
  return true;
}

/** Whether a loop's body runs at least once. */
function goesRound(iterable: Expression, text: string): boolean {
  switch (iterable.kind) {
    case 'name':
      return isFilled(iterable.id, text);
    case 'list':
    case 'tuple':
    case 'set':
      return iterable.elements.some(({ kind }) => kind !== 'starred');
    case 'dict':
      return iterable.entries.some(({ key }) => key !== undefined);
    case 'string':
      return iterable.value !== '';
    case 'call': {
      const [first] = iterable.arguments;
      if (!first || first.spread || first.name) return false;
      const name = lastName(iterable.callee);
      if (name === 'range' && iterable.arguments.length === 1)
        return first.value.kind === 'number' && /[1-9]/.test(first.value.text);
      if (/^(items|values|keys)$/.test(name)) return false;
      return /^(enumerate|sorted|reversed|list|tuple|iter)$/.test(name) && goesRound(first.value, text);
    }
    default:
      return false;
  }
}

/** Whether a name stands for a list with something in it: bound once in the file, and used for nothing but loops. */
function isFilled(name: string, text: string): boolean {
  const uses = text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
  const loops = text.match(new RegExp(`\\b(?:in|enumerate\\(|sorted\\()\\s*${name}\\b(?!\\s*[.([])`, 'g'))?.length ?? 0;
  const bound = text.match(new RegExp(`^[ \\t]*${name}\\s*=\\s*[[(]\\s*[\\w'"([{]`, 'gm'))?.length ?? 0;
  const computed = new RegExp(`^[ \\t]*${name}\\s*=\\s*[[(][^,\\]]*\\bfor\\b`, 'm').test(text);
  return bound === 1 && !computed && uses === loops + 1;
}

/** Whether the test, or the loop that it is in, may be left from inside of a statement. */
function mayLeave(statement: Statement, inInnerLoop: boolean): boolean {
  switch (statement.kind) {
    case 'return':
      return true;
    case 'break':
    case 'continue':
      return !inInnerLoop;
    case 'function':
    case 'class':
      return false;
    case 'for':
    case 'while':
      return (
        statement.body.some((each) => mayLeave(each, true)) ||
        statement.orElse.some((each) => mayLeave(each, inInnerLoop))
      );
    default:
      return blocksOf(statement).some((block) => block.some((each) => mayLeave(each, inInnerLoop)));
  }
}

const SIMPLE = [
  'expression',
  'assign',
  'augmentedAssign',
  'annotatedAssign',
  'assert',
  'delete',
  'import',
  'importFrom',
  'pass',
  'global',
];

/** A statement behind which another can stand on its line. */
export function isSimple({ kind }: Statement): boolean {
  return SIMPLE.includes(kind);
}
