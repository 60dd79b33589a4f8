import type { Language, Tree, TreeCursor } from 'web-tree-sitter';

/** The parser's tree, copied out of its memory: what is needed to make our own, and gone once that is made. */
export interface Twig {
  readonly type: string;
  readonly named: boolean;
  /** Name of the place that it has in its parent, or null. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  /** Put in by the parser where something was missing. */
  readonly missing: boolean;
  readonly children: readonly Twig[];
}

/** What the numbers of the grammar stand for. */
export interface Grammar {
  readonly types: readonly string[];
  readonly named: readonly boolean[];
  readonly fields: readonly (string | null)[];
  readonly leaf: readonly boolean[];
  /** Comments, and punctuation that says no more than its parent does. */
  readonly skipped: readonly boolean[];
}

const LEAVES = ['identifier', 'integer', 'float', 'true', 'false', 'none', 'ellipsis', 'string_start', 'string_end'];
const SKIPPED = ['comment', 'line_continuation', '(', ')', '[', ']', '{', '}', '.', '=', '->', '@', ';'];
const NONE: readonly Twig[] = [];

export function grammarOf(language: Language): Grammar {
  const ids = Array.from({ length: language.nodeTypeCount }, (_, id) => id);
  const types = ids.map((id) => language.nodeTypeForId(id) ?? '');
  const named = ids.map((id) => language.nodeTypeIsNamed(id));
  return {
    types,
    named,
    fields: Array.from({ length: language.fieldCount + 1 }, (_, id) => language.fieldNameForId(id)),
    leaf: ids.map((id) => !named[id] || LEAVES.includes(types[id]!)),
    skipped: ids.map((id) => SKIPPED.includes(types[id]!)),
  };
}

const ERROR_ID = 65535;

/** Copies a tree without comments, line continuations and brackets. The tree may be deleted afterwards. */
export function copied(tree: Tree, grammar: Grammar): Twig {
  const flawed = tree.rootNode.hasError;
  const cursor = tree.walk();
  const root = twigAt(cursor, cursor.nodeTypeId, grammar, flawed);
  cursor.delete();
  return root;
}

function twigAt(cursor: TreeCursor, id: number, grammar: Grammar, flawed: boolean): Twig {
  const error = id === ERROR_ID;
  const named = error || grammar.named[id]!;
  let children = NONE;
  if ((error || !grammar.leaf[id]) && cursor.gotoFirstChild()) {
    const all: Twig[] = [];
    do {
      const inner = cursor.nodeTypeId;
      if (!grammar.skipped[inner] || (flawed && cursor.nodeIsMissing)) all.push(twigAt(cursor, inner, grammar, flawed));
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
    children = all;
  }
  return {
    type: error ? 'ERROR' : grammar.types[id]!,
    named,
    field: grammar.fields[cursor.currentFieldId] ?? null,
    start: cursor.startIndex,
    end: cursor.endIndex,
    missing: flawed && cursor.nodeIsMissing,
    children,
  };
}

/** The child in a named place. */
export function child(twig: Twig, field: string): Twig | undefined {
  for (const each of twig.children) if (each.field === field) return each;
  return undefined;
}

export function childrenAt(twig: Twig, field: string): Twig[] {
  return twig.children.filter((each) => each.field === field && each.named);
}

export function namedChildren(twig: Twig): Twig[] {
  return twig.children.filter(({ named }) => named);
}

export function holds(twig: Twig, token: string): boolean {
  for (const each of twig.children) if (!each.named && each.type === token) return true;
  return false;
}
