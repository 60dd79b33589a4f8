import type { FunctionSyntax, PythonIndex, PythonModule, Span, Statement, Unit } from '../syntax';
import { type Edit, edited, withoutBodyOf } from './bodies';
import { excerptOf } from './excerpt';
import { namesByStatement } from './imports';
import { repositoryOf } from './repository';
import { type SliceSyntax, sliceSyntax } from './slice';

export type ContextKind = 'naive' | 'full' | 'sliced';

export interface ContextOptions {
  /** The paper's budget is 6,000. */
  readonly maxTokens: number;
  /** For solvers: of the target its signature and docstring alone, and its body nowhere. */
  readonly withoutBody: boolean;
}

/** What an author or a solver is shown of a repository, as fenced blocks under their files' names. */
export interface Context {
  readonly kind: ContextKind;
  readonly text: string;
  readonly tokens: number;
  /** What had to be left out, farthest first: `module.name` of definitions, or files. */
  readonly leftOut: readonly string[];
}

/**
 * The context of a function (R2E, §3): `naive` is the function alone, `full` its file with the function last and the
 * repository's files that this one imports, `sliced` its slice in the order of dependency. A target that is longer than
 * the budget is shown all the same.
 */
export function contextOf(
  index: PythonIndex,
  target: FunctionSyntax,
  kind: ContextKind,
  options: Partial<ContextOptions> = {},
): Context {
  const { maxTokens = 6000, withoutBody = false } = options;
  const shown = new Shown(target, withoutBody);
  switch (kind) {
    case 'naive':
      return fitted(kind, [], block(target.module, shown.target(true)), maxTokens);
    case 'full':
      return fitted(kind, fullPieces(index, target, shown), block(target.module, shown.target(false)), maxTokens);
    case 'sliced':
      return sliced(sliceSyntax(index, target), shown, maxTokens);
    default:
      return kind satisfies never;
  }
}

/** Text of a repository with or without the target's body. */
class Shown {
  private readonly edits = new Map<PythonModule, readonly Edit[]>();

  constructor(
    readonly function_: FunctionSyntax,
    private readonly withoutBody: boolean,
  ) {}

  text(module: PythonModule, span: Pick<Span, 'start' | 'end'>): string {
    return edited(module.syntax.text, span, this.editsOf(module));
  }

  editsOf(module: PythonModule): readonly Edit[] {
    if (!this.withoutBody) return [];
    const known = this.edits.get(module) ?? withoutBodyOf(this.function_, module);
    this.edits.set(module, known);
    return known;
  }

  /** The definition that the target stands in. `alone`: of a class its head and the method, nothing more. */
  target(alone: boolean): string {
    const { module, statement, owner } = this.function_;
    const { text, lineStarts } = module.syntax;
    const top = module.units.find(
      (unit) => unit.statement.start <= statement.start && statement.end <= unit.statement.end,
    )?.statement;
    if (!alone || !owner) return this.text(module, withMargin(top ?? statement, lineStarts));
    const head = text.slice(owner.keyword.start, owner.body[0]!.start).trimEnd();
    return `${head}\n    # ...\n\n${this.text(module, withMargin(statement, lineStarts))}`;
  }
}

/** A statement with the indentation before it. */
function withMargin(statement: Statement, lineStarts: readonly number[]): Pick<Span, 'start' | 'end'> {
  return { start: Math.min(statement.start, lineStarts[statement.line - 1]!), end: statement.end };
}

/** A part that may be left out. Parts of one file that follow each other share a block. */
interface Piece {
  readonly module: PythonModule;
  readonly name: string;
  readonly text: string;
}

/** The own file's other statements, and those of the files that it imports: nearest first. */
function fullPieces(index: PythonIndex, target: FunctionSyntax, shown: Shown): Piece[] {
  const { module } = target;
  const imported = repositoryOf(index)
    .importing.imported(module)
    .filter((each, at, all) => each !== module && all.indexOf(each) === at);
  return [module, ...imported].flatMap((each) => piecesOf(each, shown));
}

function piecesOf(module: PythonModule, shown: Shown): Piece[] {
  const pieces: Piece[] = [];
  const { text, lineStarts, body } = module.syntax;
  const { statement: own } = shown.function_;
  let from = 0;
  for (const statement of body) {
    const line = lineStarts[statement.line - 1]!;
    const lead = text.slice(Math.min(from, line), line);
    // Comments that lie indented before a statement belong to the one before it, and may tell of its body.
    const comments = lead
      .split('\n')
      .filter((each) => each.startsWith('#'))
      .join('\n');
    from = statement.end;
    if (module === shown.function_.module && statement.start <= own.start && own.end <= statement.end) continue;
    const code = shown.text(module, withMargin(statement, lineStarts));
    pieces.push({
      module,
      name: `${module.path}:${statement.line}`,
      text: comments === '' ? code : `${comments}\n${code}`,
    });
  }
  return pieces;
}

/** Pieces are given nearest first and shown farthest first, the target last: what does not fit is cut from the far end. */
function fitted(kind: ContextKind, pieces: readonly Piece[], last: string, maxTokens: number): Context {
  let left = maxTokens - tokensOf(last);
  let kept = 0;
  for (const piece of pieces) {
    // The fence and the name of a file cost some more.
    const first = piece.module !== pieces[kept - 1]?.module;
    left -= tokensOf(`${piece.text}\n`) + (first ? tokensOf(block(piece.module, '# ...')) : 0);
    if (left < 0) break;
    kept++;
  }
  const leftOut = pieces.slice(kept).map(({ name }) => name);
  const groups: { module: PythonModule; texts: string[]; cut: boolean }[] = [];
  for (const [at, { module, text }] of pieces.entries()) {
    if (at >= kept) {
      const group = groups.at(-1);
      if (group?.module === module) group.cut = true;
      break;
    }
    const group = groups.at(-1);
    if (group?.module === module) group.texts.push(text);
    else groups.push({ module, texts: [text], cut: false });
  }
  const blocks = groups
    .toReversed()
    .map(({ module, texts, cut }) => block(module, [...texts, ...(cut ? ['# ...'] : [])].join('\n\n')));
  const text = [...blocks, last].join('\n');
  return { kind, text, tokens: tokensOf(text), leftOut: leftOut.toReversed() };
}

/** Whole definitions, dropped farthest first until the rest fits. */
function sliced({ selection, items, function: target }: SliceSyntax, shown: Shown, maxTokens: number): Context {
  const own = items.at(-1)?.binding.unit;
  const names = namesByStatement(selection, false);
  const parts = items
    .filter(({ binding }) => binding.unit !== own)
    .map((item) => ({ ...item, tokens: tokensOf(shown.text(item.module, item.binding.unit.statement)) }))
    .toSorted((one, other) => one.distance - other.distance);
  const modules = [...new Set([...items.map(({ module }) => module), target.module])];
  const write = (kept: typeof parts, leftOut: readonly string[]): string => {
    const blocks = modules.map((module) => {
      const units = new Set<Unit>(kept.filter((each) => each.module === module).map(({ binding }) => binding.unit));
      for (const effect of selection.effects.values())
        if (effect.module === module && effect.unit !== own && leftOut.length === 0) units.add(effect.unit);
      for (const [unit, where] of selection.supports) if (where === module) units.add(unit);
      if (units.size === 0 && module !== target.module) return '';
      const choice = { units, names: names.get(module) ?? new Map(), edits: shown.editsOf(module) };
      const text = excerptOf(module, choice);
      if (module !== target.module) return block(module, text);
      const mark = leftOut.length > 0 ? [`# left out: ${leftOut.join(', ')}`] : [];
      return block(module, [...mark, ...(text === '' ? [] : [text]), shown.target(false)].join('\n\n'));
    });
    return blocks.filter((each) => each !== '').join('\n');
  };
  const nameOf = ({ module, binding }: (typeof parts)[number]) => `${module.name}.${binding.name}`;
  let kept = parts;
  let text = write(kept, []);
  let tokens = tokensOf(text);
  // What is dropped is counted in one go; another round is needed only where the marks themselves do not fit.
  while (tokens > maxTokens && kept.length > 0) {
    let excess = tokens - maxTokens;
    let count = kept.length;
    while (count > 0 && excess > 0) excess -= Math.max(1, kept[--count]!.tokens);
    kept = kept.slice(0, count);
    const leftOut = parts.slice(count).toReversed().map(nameOf);
    text = write(kept, leftOut);
    tokens = tokensOf(text);
  }
  return { kind: 'sliced', text, tokens, leftOut: parts.slice(kept.length).toReversed().map(nameOf) };
}

function block(module: PythonModule, code: string): string {
  return `\`\`\`python\n# ${module.path}\n\n${code.trim() === '' ? '' : `${code.replace(/^\n+/, '').trimEnd()}\n`}\`\`\`\n`;
}

/** Text that looks like a special token is text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** Loaded when it is used: its vocabulary takes longer to load than the rest of this package. */
let encoding: typeof import('gpt-tokenizer/encoding/cl100k_base') | undefined;

/** Tokens of a text in the encoding that the paper's budgets are counted in (cl100k_base). */
export function tokensOf(text: string): number {
  encoding ??= require('gpt-tokenizer/encoding/cl100k_base') as NonNullable<typeof encoding>;
  return encoding.countTokens(text, PLAIN);
}
