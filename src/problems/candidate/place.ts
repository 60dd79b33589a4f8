import type { ClassStatement, Expression, FunctionStatement, ModuleSyntax, Python, Statement } from '@pointsman/python';
import type { FunctionTarget } from '../../contract';
import { bodyOf, definitionsOf, functionAt, isOverload, type Placed } from './function-at';
import { dedented, reindented } from './indentation';
import { boundBy, mentionedIn } from './names';
import { innerIndent, isStub } from './stub';

export type Placement = { readonly text: string } | { readonly refused: string };

/**
 * Puts a candidate where the function was: read tolerantly (alone, in its class, with imports and helpers around it, at any
 * indentation, or as the whole file), and with nothing else of the file changed. Decorators of the original stay where the
 * candidate brings none. What the candidate needs comes before the function, at the level of the module; where a name of
 * it already means something else there, all of it goes into the function. Overload stubs stay.
 */
export function placeCandidate(
  python: Python,
  file: ModuleSyntax,
  target: Pick<FunctionTarget, 'name' | 'lines' | 'kind'>,
  source: string,
): Placement {
  const original = functionAt(file, target);
  if (!original) return { refused: `the file does not define ${target.name}` };
  const candidate = python.parse('candidate.py', dedented(source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')));
  const trouble = candidate.errors[0];
  if (trouble) return { refused: `no Python in line ${trouble.line}: ${trouble.text.slice(0, 80)}` };
  const found = definitionIn(candidate.body, target);
  if (!found) return { refused: `it does not define ${target.name.split('.').at(-1)}` };
  const assembled = assemble(file, original, candidate, found, target);
  if ('refused' in assembled) return assembled;
  const text = file.text.includes('\r\n') ? assembled.text.replace(/\r?\n/g, '\r\n') : assembled.text;
  const result = python.parse(file.path, text);
  if (result.errors.length > file.errors.length || !functionAt(result, target)) {
    return { refused: `it does not fit where ${target.name} is` };
  }
  return { text };
}

/** The definition that a candidate means: at the target's own place, else by its last name, the last one of them. */
export function definitionIn(body: readonly Statement[], target: Pick<FunctionTarget, 'name'>): Placed | undefined {
  const path = target.name.split('.');
  const name = path.at(-1)!;
  const meant = (all: readonly Placed[]) => all.findLast(({ statement }) => !isOverload(statement));
  const exact = meant(definitionsOf(body, path));
  if (exact || path.length === 1) return exact;
  const inClasses = body.flatMap((each) => (each.kind === 'class' ? definitionsOf([each], [each.name, name]) : []));
  return meant(inClasses) ?? meant(definitionsOf(body, [name]));
}

function assemble(
  file: ModuleSyntax,
  original: Placed,
  candidate: ModuleSyntax,
  found: Placed,
  target: Pick<FunctionTarget, 'kind'>,
): Placement {
  const { statement } = found;
  const own = candidate.body.filter((each) => each === statement || each === found.classes[0]);
  const mentioned = own.filter((each) => each.kind === 'class').length > 0 ? [statement] : own;
  const members = membersOf(found, original, candidate);
  const { added, clashes } = companionsOf(candidate, [...mentioned, ...members], file, own);
  const header = headerOf(statement);
  const unhelpful = clashes.find((name) => header.has(name));
  if (unhelpful !== undefined) return { refused: `${unhelpful} of its header means something else in the file` };
  const inside = clashes.length > 0;
  if (inside && added.some(isStar)) return { refused: `its star import and its ${clashes[0]} do not fit the file` };
  const margin = marginOf(file, original.statement.keyword.start);
  const keepsDecorators = statement.decorators.length === 0;
  const begin = keepsDecorators ? original.statement.keyword.start : original.statement.start;
  const body = functionText(candidate, statement, margin, inside ? added : [], missingKind(statement, target.kind));
  const end = endOfLine(file.text, original.statement.end);
  const before = members.map((each) => `${reindented(candidate, each, each.start, margin)}\n\n`).join('');
  const above = inside ? '' : added.map((each) => `${reindented(candidate, each, each.start, '')}\n`).join('');
  const outer = outermost(file, original);
  const outerMargin = file.text.slice(lineStart(file.text, outer.start), outer.start);
  const head = above === '' ? '' : `${above.trimEnd()}\n\n\n`;
  const memberAt = lineStart(file.text, original.statement.start);
  const pieces = [
    file.text.slice(0, outer.start - outerMargin.length),
    head,
    file.text.slice(outer.start - outerMargin.length, memberAt),
    before,
    file.text.slice(memberAt, begin - margin.length),
    body,
    file.text.slice(end),
  ];
  return { text: pieces.join('') };
}

/** The function itself, with what it needs as its first statements where that has to be inside. */
function functionText(
  candidate: ModuleSyntax,
  statement: FunctionStatement,
  margin: string,
  inside: readonly Statement[],
  kind: string | undefined,
): string {
  const from = statement.decorators.length > 0 ? statement.start : statement.keyword.start;
  const written = (end: number) => reindented(candidate, { ...statement, end }, from, margin);
  const decorated = kind === undefined ? '' : `${margin}@${kind}\n`;
  if (inside.length === 0) return `${decorated}${written(statement.end)}`;
  const first = bodyOf(statement)[0] ?? statement.body[0]!;
  const indent = `${margin}${innerIndent(candidate, statement)}`;
  const needed = inside.map((each) => `${reindented(candidate, each, each.start, indent)}\n`).join('');
  const upTo = lineStart(candidate.text, first.start);
  // A body on the line of its `def` moves to lines of its own.
  if (upTo <= statement.keyword.start) {
    const rest = candidate.text.slice(first.start, statement.end);
    return `${decorated}${written(first.start).trimEnd()}\n${needed}${indent}${rest}`;
  }
  const head = written(upTo);
  return `${decorated}${head.endsWith('\n') ? head : `${head}\n`}${needed}${written(statement.end).slice(head.length)}`;
}

/** Methods and attributes of the candidate's class that its method uses and the class does not have. */
function membersOf(found: Placed, original: Placed, candidate: ModuleSyntax): Statement[] {
  const [from, into] = [found.classes.at(-1), original.classes.at(-1)];
  if (!from || !into || candidate.body.length === 0) return [];
  const has = new Set(into.body.flatMap(boundBy));
  const chosen: Statement[] = [];
  for (let grown = true; grown; ) {
    const { attributes, names } = mentionedIn([found.statement, ...chosen]);
    const next = from.body.find(
      (each) =>
        each !== found.statement &&
        !chosen.includes(each) &&
        boundBy(each).some((name) => !has.has(name) && (attributes.has(name) || names.has(name))),
    );
    grown = next !== undefined;
    if (next) chosen.push(next);
  }
  return from.body.filter((each) => chosen.includes(each));
}

/** `staticmethod` and `classmethod` are what a call depends on: a candidate with other decorators gets them back. */
function missingKind({ decorators }: FunctionStatement, kind: FunctionTarget['kind']): string | undefined {
  if (decorators.length === 0 || (kind !== 'staticmethod' && kind !== 'classmethod')) return undefined;
  return decorators.some((each) => each.kind === 'name' && each.id === kind) ? undefined : kind;
}

/** Names that are looked up when the function is defined, and not when it is called. */
function headerOf(statement: FunctionStatement): ReadonlySet<string> {
  const early: Expression[] = [
    ...statement.decorators,
    ...statement.parameters.flatMap(({ default: value, annotation }) => [value, annotation].filter((each) => !!each)),
    ...(statement.returns ? [statement.returns] : []),
  ];
  return mentionedIn(early.map((value) => ({ ...statement, kind: 'expression' as const, value }))).names;
}

function outermost(file: ModuleSyntax, { statement, classes }: Placed): Statement | ClassStatement {
  const inner = classes[0] ?? statement;
  return file.body.find(({ start, end }) => start <= inner.start && inner.end <= end) ?? inner;
}

function isStar(statement: Statement): boolean {
  return statement.kind === 'importFrom' && statement.names[0]?.name === '*';
}

function marginOf({ text }: ModuleSyntax, offset: number): string {
  return text.slice(lineStart(text, offset), offset);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** A comment that ends the function's last line belongs to the function. */
function endOfLine(text: string, offset: number): number {
  return offset + (/^[ \t]*#[^\r\n]*/.exec(text.slice(offset, offset + 2000))?.[0].length ?? 0);
}

/** What a candidate brings along for its function: imports, constants, helpers. */
interface Companions {
  /** Statements that the file does not have, in order. */
  readonly added: readonly Statement[];
  /** Names among them that the file uses for something else. */
  readonly clashes: readonly string[];
}

/**
 * The top-level statements that a candidate's function needs, directly or through each other. What nothing needs is left
 * out: examples, tests, a `main`. What the file has already is not brought again, and neither is a stub of what the file
 * defines, as a model repeats its context.
 */
function companionsOf(
  candidate: ModuleSyntax,
  own: readonly Statement[],
  file: ModuleSyntax,
  /** The top-level statement that the function stands in. */
  holder: readonly Statement[],
): Companions {
  const rest = candidate.body.filter((each) => !holder.includes(each) && !isMain(each) && !isFuture(each));
  const chosen = new Set<Statement>();
  for (let grown = true; grown; ) {
    const { names } = mentionedIn([...own, ...chosen]);
    grown = false;
    for (const statement of rest) {
      if (chosen.has(statement) || !isNeeded(statement, names, chosen)) continue;
      chosen.add(statement);
      grown = true;
    }
  }
  const known = new Map(file.body.flatMap((each) => boundBy(each).map((name) => [name, each] as const)));
  const spelled = new Set(file.body.flatMap((each) => spellings(each, file.text)));
  const added = rest.filter((each) => chosen.has(each) && !isKnown(each, candidate.text, known, spelled));
  return { added, clashes: added.flatMap(boundBy).filter((name) => known.has(name)) };
}

function isNeeded(statement: Statement, names: ReadonlySet<string>, chosen: ReadonlySet<Statement>): boolean {
  if (statement.kind === 'importFrom' && statement.names[0]?.name === '*') return true;
  if (boundBy(statement).some((name) => names.has(name))) return true;
  // `TABLE.update(…)` and `TABLE[key] = …` belong to a table that is needed.
  const root = changedName(statement);
  return root !== undefined && [...chosen].some((each) => !isImport(each) && boundBy(each).includes(root));
}

function changedName(statement: Statement): string | undefined {
  const target =
    statement.kind === 'expression' && statement.value.kind === 'call' && statement.value.callee.kind === 'attribute'
      ? statement.value.callee.object
      : statement.kind === 'assign' && statement.targets[0]?.kind === 'subscript'
        ? statement.targets[0].object
        : undefined;
  return target?.kind === 'name' ? target.id : undefined;
}

function isKnown(
  statement: Statement,
  text: string,
  known: ReadonlyMap<string, Statement>,
  spelled: ReadonlySet<string>,
): boolean {
  if (spellings(statement, text).every((each) => spelled.has(each))) return true;
  return statement.kind === 'function' && known.has(statement.name) && isStub(statement);
}

/** A statement as text; of an import each name apart, so that the order and grouping of names do not matter. */
function spellings(statement: Statement, text: string): string[] {
  if (statement.kind === 'import')
    return statement.names.map(({ name, alias }) => `import ${name} as ${alias ?? name}`);
  if (statement.kind === 'importFrom') {
    const from = `from ${'.'.repeat(statement.level)}${statement.module}`;
    return statement.names.map(({ name, alias }) => `${from} import ${name} as ${alias ?? name}`);
  }
  return [
    text
      .slice(statement.start, statement.end)
      .replace(/(?<![ \t])[ \t]+$/gm, '')
      .trim(),
  ];
}

function isImport({ kind }: Statement): boolean {
  return kind === 'import' || kind === 'importFrom';
}

function isFuture(statement: Statement): boolean {
  return statement.kind === 'importFrom' && statement.module === '__future__';
}

function isMain(statement: Statement): boolean {
  return statement.kind === 'if' && mentionedIn([{ ...statement, body: [], orElse: [] }]).names.has('__name__');
}
