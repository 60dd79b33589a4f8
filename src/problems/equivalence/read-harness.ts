import {
  eachExpression,
  eachStatement,
  expressionsIn,
  type FunctionStatement,
  type ModuleSyntax,
  type Python,
} from '@pointsman/python';
import type { ContextKind, Harness, HarnessAuthor, HarnessMode, HarnessTrouble } from '../../contract';
import { answerOf, codeBlocks } from './reply';

export interface ReadOptions {
  readonly author: HarnessAuthor;
  readonly context: ContextKind;
  readonly mode: HarnessMode;
  /** Cases at most; those beyond are left out of the list, not of the source. */
  readonly limit: number;
}

export type HarnessReading =
  | { readonly harness: Harness; readonly troubles: readonly HarnessTrouble[] }
  | { readonly harness: null; readonly troubles: readonly [HarnessTrouble, ...HarnessTrouble[]] };

/**
 * The harness in a model's reply: the block that holds the most cases, or the whole reply where it is code without a fence.
 * Cases that never name their subject are left out with a trouble each. Without any case, or with a syntax error, there is
 * no harness, and the trouble says why in words that the model can act on.
 */
export function readHarness(python: Python, reply: string, options: ReadOptions): HarnessReading {
  const { author, context, mode, limit } = options;
  const blocks = codeBlocks(reply);
  const read = (blocks.length > 0 ? blocks : [answerOf(reply)]).map((text) => python.parse('harness.py', text));
  const best = read.reduce((one, other) => (casesOf(other).length > casesOf(one).length ? other : one));
  const cases = casesOf(best);
  const [error] = best.errors;
  if (error && (cases.length > 0 || blocks.length > 0))
    return refused(`syntax error in line ${error.line}: ${shown(best, error.line)}`);
  if (cases.length === 0) return refused(noCases(blocks.length, best));
  const twice = cases.find(({ name }, at) => cases.findIndex((each) => each.name === name) < at);
  if (twice) return refused(`${twice.name} is defined twice; each case needs a name of its own`);
  const used = cases.filter(usesSubject);
  const troubles = cases
    .filter((each) => !used.includes(each))
    .map(({ name }) => trouble(name, `${name} never uses its subject, so it tells nothing`));
  const [first, ...others] = troubles;
  if (used.length === 0) return { harness: null, troubles: [first!, ...others] };
  const source = `${best.text.trim()}\n`;
  return { harness: { author, context, mode, source, cases: used.slice(0, limit).map(({ name }) => name) }, troubles };
}

/** Case functions at the top of the block; those with a name that no harness may hold are none. */
function casesOf({ body }: ModuleSyntax): FunctionStatement[] {
  return body.filter(
    (each): each is FunctionStatement =>
      each.kind === 'function' && /^case_[A-Za-z0-9_]+$/.test(each.name) && !each.isAsync && takesOne(each),
  );
}

/** Called with the subject and nothing else. */
function takesOne({ parameters }: FunctionStatement): boolean {
  const [first, ...others] = parameters;
  return (
    first !== undefined &&
    /^positional/.test(first.form) &&
    others.every((each) => each.default || /^var/.test(each.form))
  );
}

/** Whether the body names its first parameter anywhere. */
function usesSubject({ parameters, body }: FunctionStatement): boolean {
  const subject = parameters[0]!.name;
  let used = false;
  eachStatement(body, (statement) => {
    for (const expression of expressionsIn(statement)) {
      eachExpression(expression, (each) => {
        used ||= each.kind === 'name' && each.id === subject;
        return !used;
      });
    }
    return !used;
  });
  return used;
}

function noCases(blocks: number, { body }: ModuleSyntax): string {
  const functions = body.flatMap((each) => (each.kind === 'function' ? [each.name] : []));
  const classes = body.filter(({ kind }) => kind === 'class').length;
  if (functions.length > 0)
    return `none of its functions (${functions.slice(0, 5).join(', ')}) is a case: each is called case_… and takes the subject alone`;
  if (classes > 0) return 'it holds classes; cases are plain functions at the top of the block, not methods';
  return blocks === 0 ? 'it holds no block of code' : 'its block of code holds no functions';
}

function shown({ text }: ModuleSyntax, line: number): string {
  return (text.split('\n')[line - 1] ?? '').trim().slice(0, 120);
}

function trouble(name: string | null, message: string): HarnessTrouble {
  return { failure: 'malformed', case: name, message, trace: '' };
}

function refused(message: string): HarnessReading {
  return { harness: null, troubles: [trouble(null, message)] };
}
