import { blocksOf, type Expression, type Statement } from '@pointsman/python';
import { dottedName, lastName } from './literals';

/**
 * Context managers that let every exception out. Any other may swallow it, above all one of the tested code: an honest
 * package was accused so. Named by the last part of what is called.
 */
const LET_OUT =
  /^(open|TemporaryDirectory|NamedTemporaryFile|TemporaryFile|SpooledTemporaryFile|catch_warnings|warns|deprecated_call|subTest|freeze_time|assertWarns|assertWarnsRegex|assertLogs|assertNoLogs|assertNumQueries|override_settings|modify_settings|captureOnCommitCallbacks|nullcontext|redirect_stdout|redirect_stderr|closing|StringIO|BytesIO|ZipFile|TarFile|localcontext|errstate|printoptions|as_cwd|at_level|disabled|isolate_apps)$/;
const LET_OUT_DOTTED =
  /(^|\.)(patch(\.(object|dict|multiple))?|monkeypatch\.context|MonkeyPatch\.context|self\.settings|tempfile\.\w+|zipfile\.\w+|threading\.\w*Lock)$/;

/** Whether an exception in the body of `with` is sure to leave it. */
function letsOut(context: Expression): boolean {
  const { callee } = context.kind === 'call' ? context : { callee: context };
  return LET_OUT.test(lastName(callee)) || LET_OUT_DOTTED.test(dottedName(callee) ?? '');
}

/**
 * The statements of a body that every run reaches that does not fail or skip before, in order; compound ones stand before
 * what is reached inside of them. A skip or an exception on the way is no loss: such a run does not pass.
 */
export function reachedIn(body: readonly Statement[], text: string): Statement[] {
  const reached: Statement[] = [];
  follow(body, reached, text);
  return reached;
}

/** Adds what is reached, and says whether the end is. */
function follow(block: readonly Statement[], reached: Statement[], text: string): boolean {
  for (const statement of block) {
    reached.push(statement);
    switch (statement.kind) {
      case 'return':
      case 'raise':
      case 'break':
      case 'continue':
        return false;
      case 'with':
        if (!statement.items.every(({ context }) => letsOut(context))) break;
        if (!follow(statement.body, reached, text)) return false;
        continue;
      case 'for':
        if (goesRound(statement.iterable, text)) follow(statement.body, reached, text);
        break;
      case 'try':
        if (statement.handlers.length > 0) {
          if (mayLeave(statement, false)) return false;
          follow(statement.finally, reached, text);
          continue;
        }
        // A return in `finally` drops the exception.
        if (statement.finally.some((each) => mayLeave(each, true))) break;
        if (!follow(statement.body, reached, text) || !follow(statement.finally, reached, text)) return false;
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
