import { Language, Parser, type TreeCursor } from 'web-tree-sitter';

/** A node of a parsed file, copied out of the parser's memory. Offsets count UTF-16 units of the text. */
export interface Node {
  readonly type: string;
  readonly named: boolean;
  /** Name of its place in its parent. */
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly children: readonly Node[];
}

/** Parses a text; what cannot be read is in nodes of the type `ERROR`. */
export type Parse = (text: string) => Node;

/** Loads a grammar from a file of WebAssembly: its bytes, because the loader's own import of a path is refused in tests. */
export async function openGrammar(path: string): Promise<Parse> {
  await Parser.init();
  const language = await Language.load(process.getBuiltinModule?.('node:fs').readFileSync(path) ?? path);
  const parser = new Parser();
  parser.setLanguage(language);
  return (text) => {
    const tree = parser.parse(text);
    // Only a cancelled parse gives none.
    if (!tree) throw new Error('nothing parsed');
    const cursor = tree.walk();
    const root = copied(cursor);
    cursor.delete();
    tree.delete();
    return root;
  };
}

function copied(cursor: TreeCursor): Node {
  const children: Node[] = [];
  const type = cursor.nodeType;
  if (cursor.gotoFirstChild()) {
    do if (!cursor.nodeType.endsWith('comment')) children.push(copied(cursor));
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return {
    type,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName ?? undefined,
    start: cursor.startIndex,
    end: cursor.endIndex,
    children,
  };
}

/** The child in a named place. */
export function child(node: Node | undefined, field: string): Node | undefined {
  return node?.children.find((each) => each.field === field);
}

export function namedChildren(node: Node | undefined): readonly Node[] {
  return node?.children.filter(({ named }) => named) ?? [];
}

/** Calls `visit` for a node and all inside of it, outermost first; `false` keeps it from going deeper. */
export function eachNode(node: Node, visit: (each: Node) => boolean | undefined): void {
  if (visit(node) === false) return;
  for (const inner of node.children) eachNode(inner, visit);
}

/** Whether a node or one inside of it is as asked; `within` says where not to look. */
export function holds(
  node: Node,
  asked: (each: Node) => boolean,
  within: (each: Node) => boolean = () => true,
): boolean {
  if (asked(node)) return true;
  return within(node) && node.children.some((each) => holds(each, asked, within));
}
