import { isTestPath } from '../problems/test-files';
import { child, type Node, namedChildren, openGrammar, type Parse } from './variants/tree';
import type { TestFile } from './variants/variant';

/**
 * Tests that live in the file of what they test, as Rust's `#[cfg(test)] mod tests` do. A problem cannot write such a file
 * over a candidate's, whose fix may be in it: its tests alone are put there.
 */
export class InlineTests {
  constructor(private readonly parse: Parse) {}

  /** Whether a file holds tests beside code of its own. */
  areIn({ path, text }: TestFile): boolean {
    if (!path.endsWith('.rs') || isTestPath(path)) return false;
    return this.itemsIn(text).items.some(({ isConditional }) => isConditional);
  }

  /**
   * `source` with the tests of `other` in the place of its own, each at the end of the module that it is of. Undefined where
   * `source` has no such module. Neither changes: code stays as it is in `source`, tests as they are in `other`.
   */
  put(source: string, other: string): string | undefined {
    const code = this.without(source);
    const { modules } = this.itemsIn(code);
    const { items } = this.itemsIn(other);
    const edits: Edit[] = [];
    for (const module of new Set(items.map((item) => item.module))) {
      const end = modules.get(module);
      if (end === undefined) return undefined;
      const own = items.filter((item) => item.module === module);
      const text = own.map((item) => `\n\n${other.slice(item.start, item.end)}`).join('');
      // Put again they stand in the same lines.
      edits.push({ start: code.slice(0, end).trimEnd().length, end, text: `${text}\n` });
    }
    return edited(code, edits);
  }

  /** The code of a file without its tests. */
  private without(text: string): string {
    return edited(
      text,
      this.itemsIn(text).items.map(({ start, end }) => ({ start, end, text: '' })),
    );
  }

  /** The tests of a file without its code. */
  only(text: string): string {
    return this.itemsIn(text)
      .items.map(({ start, end }) => text.slice(start, end))
      .join('\n');
  }

  private itemsIn(text: string): Items {
    const items: Item[] = [];
    const modules = new Map<string, number>();
    const collect = (list: Node, module: string, end: number) => {
      modules.set(module, end);
      let attributes: Node[] = [];
      for (const node of namedChildren(list)) {
        if (node.type === 'attribute_item') {
          attributes.push(node);
          continue;
        }
        const said = attributes.map((each) => text.slice(each.start, each.end));
        const isConditional = said.some((each) => CONDITIONAL.test(each));
        const body = node.type === 'mod_item' ? child(node, 'body') : undefined;
        if (isConditional || said.some((each) => TEST.test(each))) {
          items.push({ module, isConditional, start: documented(text, (attributes[0] ?? node).start), end: node.end });
        } else if (body) {
          const name = child(node, 'name')!;
          collect(body, `${module}::${text.slice(name.start, name.end)}`, body.end - 1);
        }
        attributes = [];
      }
    };
    collect(this.parse(text), '', text.length);
    return { items, modules };
  }
}

let opened: Promise<InlineTests> | undefined;

/** Loads the grammar once for the process. Rust is the one language that has such tests as a habit. */
export function openInlineTests(): Promise<InlineTests> {
  opened ??= openGrammar(require.resolve('tree-sitter-rust/tree-sitter-rust.wasm')).then(
    (parse) => new InlineTests(parse),
  );
  return opened;
}

interface Item {
  /** `::outer::inner`, empty for the file itself. */
  readonly module: string;
  /** Compiled for tests only, and not merely a test. */
  readonly isConditional: boolean;
  readonly start: number;
  readonly end: number;
}

interface Items {
  readonly items: readonly Item[];
  /** Where the body of each module ends. */
  readonly modules: ReadonlyMap<string, number>;
}

const CONDITIONAL = /^#\[\s*cfg\s*\(\s*(?:test|all\s*\(\s*test\b[\s\S]*)\s*,?\s*\)/;
const TEST = /^#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|bench|quickcheck)\b/;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, next) => next.start - one.start)
    .reduce((whole, { start, end, text: put }) => whole.slice(0, start) + put + whole.slice(end), text);
}

/** Where the comment begins that documents what stands at `start`: without it, it would document something else. */
function documented(text: string, start: number): number {
  const lines = text.slice(0, start).split('\n');
  if (lines.pop()!.trim() !== '') return start;
  const others = lines.findLastIndex((line) => !line.trimStart().startsWith('///')) + 1;
  return others === lines.length ? start : lines.slice(0, others).reduce((sum, line) => sum + line.length + 1, 0);
}
