import { type Expression, eachStatement, type FunctionSyntax, type Resolver, type Statement } from '@pointsman/python';
import picomatch from 'picomatch';
import type { FunctionFilters } from '../../contract';
import { isOverload, isStub } from '../candidate';
import { holdsWords, identifierWords } from './identifier-words';
import { type NamesUsed, namesUsed, wordsUsed } from './names-used';
import { BODY_WORDS, EXCLUDED_FILES } from './words';

/** Says in words why a function is left out; null where the rule has nothing against it. */
type Rule = (found: FunctionSyntax) => string | null;

interface NamedRule {
  readonly name: string;
  readonly rule: Rule;
}

/** What the rules know beyond the function itself. */
interface Surroundings {
  readonly resolver: Resolver;
  /** Definitions of the same name in the same place, stubs of overloads aside. */
  readonly definitions: (found: FunctionSyntax) => number;
}

/**
 * The rules of a set of filters in the order in which they are tried: what is cheap and says most first, what follows names
 * through the repository last. A rule that is switched off is not among them.
 */
export function rulesOf(filters: FunctionFilters, { resolver, definitions }: Surroundings): NamedRule[] {
  const { docstringWords, bodyWords, namePrefixes, decorators, minLines, maxLines } = filters;
  const rules: readonly [name: string, rule: Rule | null][] = [
    ['file', excludedFile(filters.excludeFiles)],
    ['generated', generatedFile],
    ['importable', importable],
    ['nested', nested],
    ['async', ({ isAsync }) => (isAsync ? 'is async' : null)],
    ['overload', overload],
    ['property', property],
    ['abstract', abstract],
    ['special', special],
    ['decorator', decorators && otherDecorators(decorators)],
    ['redefined', redefined(definitions)],
    ['name', namePrefixes && namePrefix(namePrefixes)],
    ['docstring', filters.requireDocstring ? withDocstring : null],
    ['docstring words', docstringWords && docstringWord(docstringWords)],
    ['input', filters.requireInputAndOutput ? takesInput : null],
    ['output', filters.requireInputAndOutput ? givesOutput : null],
    ['short', minLines === null ? null : tooShort(minLines)],
    ['long', maxLines === null ? null : tooLong(maxLines)],
    ['body words', bodyWords && bodyWord(bodyWords, resolver)],
    ['dependency', filters.requireDependency ? dependent(resolver) : null],
  ];
  return rules.flatMap(([name, rule]) => (rule ? [{ name, rule }] : []));
}

function excludedFile(globs: readonly string[]): Rule {
  const patterns = globs.map((glob) => ({ glob, meets: globMatcher(glob), what: themeOf(EXCLUDED_FILES, glob) }));
  const known = new Map<string, string | null>();
  return ({ module: { path: file } }) => {
    if (!known.has(file)) {
      const met = patterns.find(({ meets }) => meets(file));
      known.set(file, met ? `its file ${met.what ? `counts as ${met.what}` : 'is excluded'} (${met.glob})` : null);
    }
    return known.get(file)!;
  };
}

/** Tools that write code say so at the top of it, in a comment or in words that no person writes of their own file. */
const GENERATED = [
  /^\s*#.*\b(auto-?generated|generated (by|from|with|automatically)|@generated)\b/i,
  /\b(this|the) (file|module|code) (is|was|has been) (auto(matically)?[- ]?)?generated\b/i,
  /\bdo not (edit|modify)\b/i,
];

function generatedFile({ module: { syntax } }: FunctionSyntax): string | null {
  const head = syntax.text.slice(0, 2000).split('\n').slice(0, 15);
  const said = head.find((line) => /^\s*(#|"""|''')/.test(line) && GENERATED.some((pattern) => pattern.test(line)));
  return said === undefined ? null : `its file is generated: ${said.trim().slice(0, 80)}`;
}

function importable({ module: { name } }: FunctionSyntax): string | null {
  const odd = name.split('.').find((part) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(part));
  return odd === undefined ? null : `no import statement can name its module: ${odd}`;
}

function nested({ isNested }: FunctionSyntax): string | null {
  return isNested ? 'is defined inside of another function' : null;
}

function overload({ statement }: FunctionSyntax): string | null {
  return isOverload(statement) ? 'is the stub of an overload' : null;
}

function property({ statement }: FunctionSyntax): string | null {
  const names = statement.decorators.map(lastName);
  const found = names.find((name) =>
    /^(cached_?|lazy_?|abstract|class_?)?property$|^(setter|getter|deleter|reify)$/.test(name),
  );
  return found === undefined ? null : `is a property (@${found})`;
}

/** Declared abstract, or with a body that does nothing but say so. */
function abstract(found: FunctionSyntax): string | null {
  const { decorators } = found.statement;
  if (decorators.some((each) => /^abstract/.test(lastName(each)))) return 'is abstract';
  return isStub(found.statement) ? 'has no body' : null;
}

function otherDecorators(allowed: readonly string[]): Rule {
  const fine = new Set(['staticmethod', 'classmethod', ...allowed]);
  return ({
    statement,
    module: {
      syntax: { text },
    },
  }) => {
    for (const each of statement.decorators) {
      const callee = each.kind === 'call' ? each.callee : each;
      const name = text.slice(callee.start, callee.end);
      if (!fine.has(name) && !fine.has(lastName(each))) return `is decorated with @${name}`;
    }
    return null;
  };
}

function special({ statement: { name } }: FunctionSyntax): string | null {
  if (/^__.+__$/.test(name)) return 'is a special method, which Python itself calls';
  return /^__/.test(name) ? 'has a name that Python changes outside of its class' : null;
}

function redefined(definitions: Surroundings['definitions']): Rule {
  return (found) => {
    const count = definitions(found);
    return count > 1 ? `is defined ${count} times in its module` : null;
  };
}

function namePrefix(prefixes: readonly string[]): Rule {
  const wanted = prefixes.map((prefix) => ({ prefix, words: identifierWords(prefix) }));
  return ({ statement: { name } }) => {
    const own = identifierWords(name);
    const met = wanted.find(({ words }) => words.length > 0 && words.every((word, at) => own[at] === word));
    return met ? `its name begins with ${met.prefix}` : null;
  };
}

function withDocstring({ statement: { docstring } }: FunctionSyntax): string | null {
  return docstring === undefined || docstring.trim() === '' ? 'has no docstring' : null;
}

function docstringWord(phrases: readonly string[]): Rule {
  const wanted = phrases.map((phrase) => ({ phrase, words: proseWords(phrase) }));
  return ({ statement: { docstring } }) => {
    const own = proseWords(docstring ?? '');
    const met = wanted.find(({ words }) => words.length > 0 && holdsWords(own, words));
    return met ? `its docstring says "${met.phrase}"` : null;
  };
}

function proseWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** A method's object is an input too. */
function takesInput({ parameters, kind }: FunctionSyntax): string | null {
  const own = kind === 'classmethod' ? parameters.slice(1) : parameters;
  return own.length === 0 ? 'takes no argument' : null;
}

function givesOutput({ statement: { body }, isGenerator, module: { syntax } }: FunctionSyntax): string | null {
  if (isGenerator) return null;
  const given: (Expression | undefined)[] = [];
  eachOwnStatement(body, (each) => {
    if (each.kind === 'return') given.push(each.value?.kind === 'none' ? undefined : each.value);
  });
  const values = given.filter((value) => value !== undefined);
  if (values.length === 0) return 'gives nothing back';
  const texts = new Set(values.map(({ start, end }) => syntax.text.slice(start, end)));
  const [only] = texts;
  // A constant or None are two answers; falling off the end is None.
  const always = given.length === values.length && /^(return|raise)$/.test(body.at(-1)!.kind);
  return always && texts.size === 1 && values.every(isConstant) ? `always gives back ${only!.slice(0, 40)}` : null;
}

function isConstant({ kind }: Expression): boolean {
  return ['number', 'string', 'boolean', 'ellipsis'].includes(kind);
}

/** Statements of a block and its blocks, those of functions and classes inside it left out. */
function eachOwnStatement(block: readonly Statement[], visit: (each: Statement) => void): void {
  eachStatement(block, (each) => {
    if (each.kind === 'function' || each.kind === 'class') return false;
    visit(each);
    return true;
  });
}

function tooShort(fewest: number): Rule {
  return (found) => {
    const lines = bodyLines(found);
    return lines < fewest ? `has ${lines} of at least ${fewest} lines` : null;
  };
}

function tooLong(most: number): Rule {
  return (found) => {
    const lines = bodyLines(found);
    return lines > most ? `has ${lines} of at most ${most} lines` : null;
  };
}

/** Lines of the body that hold code: no docstring, no comments, no empty lines. */
export function bodyLines({ bodySpan, module: { syntax } }: FunctionSyntax): number {
  if (!bodySpan) return 0;
  const source = syntax.text.slice(bodySpan.start, bodySpan.end);
  return source.split('\n').filter((line) => !/^\s*(#.*)?$/.test(line)).length;
}

function bodyWord(entries: readonly string[], resolver: Resolver): Rule {
  const wanted = entries.map((entry) => ({ theme: themeOf(BODY_WORDS, entry), meets: meeting(entry) }));
  return (found) => {
    const [{ dotted }, words] = [namesUsed(found, resolver), wordsUsed(found)];
    for (const { theme, meets } of wanted) {
      const met = meets({ dotted, words });
      if (met !== undefined) return theme ? `needs ${theme}: ${met}` : `names ${met}`;
    }
    return null;
  };
}

interface Vocabulary extends Pick<NamesUsed, 'dotted'> {
  readonly words: readonly (readonly string[])[];
}

/** What meets an entry of the word list: a name as it stands after the imports, or a word of an identifier. */
function meeting(entry: string): (used: Vocabulary) => string | undefined {
  if (entry.includes('.') || entry.endsWith('*')) {
    const prefix = entry.replace(/\.?\*$/, '');
    const loose = /[^.]\*$/.test(entry);
    const under = (name: string) => name === prefix || name.startsWith(loose ? prefix : `${prefix}.`);
    return ({ dotted }) => [...dotted].find(under);
  }
  const words = identifierWords(entry);
  return ({ words: own }) => (own.some((each) => holdsWords(each, words)) ? entry : undefined);
}

function dependent(resolver: Resolver): Rule {
  return (found) => (namesUsed(found, resolver).own.size > 0 ? null : 'calls and uses nothing else of this repository');
}

function themeOf(themes: Readonly<Record<string, readonly string[]>>, entry: string): string | undefined {
  return Object.entries(themes).find(([, entries]) => entries.includes(entry))?.[0];
}

/** `functools.wraps(f)` → `wraps`. */
function lastName(expression: Expression): string {
  if (expression.kind === 'call') return lastName(expression.callee);
  if (expression.kind === 'attribute') return expression.name;
  return expression.kind === 'name' ? expression.id : '';
}

/** Over paths with `/`, anchored at both ends: `setup.py` is the one at the top of the repository only. */
export function globMatcher(glob: string): (path: string) => boolean {
  return picomatch(glob, { dot: true });
}
