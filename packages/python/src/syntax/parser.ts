import { Language, Parser } from 'web-tree-sitter';
import { Source } from './source';
import { docstringOf, statementsOf } from './statements';
import type { ModuleSyntax } from './syntax';
import { copied, type Grammar, grammarOf, type Twig } from './tree';

/** Reads Python. Text that is no Python 3 is read as far as it goes: see `ModuleSyntax.errors`. */
export interface Python {
  parse(path: string, text: string): ModuleSyntax;
}

let opened: Promise<Python> | undefined;

/** Loads the grammar once for the process. */
export function openPython(): Promise<Python> {
  opened ??= load();
  return opened;
}

async function load(): Promise<Python> {
  await Parser.init();
  const language = await Language.load(grammarFile());
  const parser = new Parser();
  parser.setLanguage(language);
  const grammar = grammarOf(language);
  return { parse: (path, text) => parsed(parser, grammar, path, text) };
}

/**
 * The grammar that the package ships. Its bytes, where Node can give them at once: the loader's own way of reading a path
 * is a dynamic import, which Jest's modules refuse.
 */
function grammarFile(): Uint8Array | string {
  const path = require.resolve('tree-sitter-python/tree-sitter-python.wasm');
  return process.getBuiltinModule?.('node:fs').readFileSync(path) ?? path;
}

/** Milliseconds of the processor that a text may take: ten times what a program of its length does, at the least. */
const patienceFor = ({ length }: string): number => 1_000 + length / 100;

function parsed(parser: Parser, grammar: Grammar, path: string, text: string): ModuleSyntax {
  const began = process.cpuUsage();
  const patience = patienceFor(text);
  const progressCallback = (): boolean => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000 > patience;
  };
  const tree = parser.parse(unmistakable(text), null, { progressCallback });
  if (!tree) {
    // It would go on where it stopped, with the next text.
    parser.reset();
    const errors = [{ line: 1, text: 'no program takes so long to read: given up' }];
    return { path, text, body: [], docstring: undefined, errors, lineStarts: new Source(text).lineStarts };
  }
  const flawed = tree.rootNode.hasError;
  const root = copied(tree, grammar);
  tree.delete();
  const source = new Source(text);
  if (flawed) noteTroubles(root, source);
  const body = statementsOf(root, source);
  const errors = source.errors.toSorted((one, other) => one.line - other.line);
  return { path, text, body, docstring: docstringOf(body), errors, lineStarts: source.lineStarts };
}

/**
 * The grammar takes `type(x).y = 1` for a `type` statement. Another name of the same length in its place is read as the
 * call that it is; names are taken from the text itself.
 */
function unmistakable(text: string): string {
  return text.replace(/^([ \t]*)type(?=[ \t]*[([.])/gm, '$1typ_');
}

function noteTroubles(twig: Twig, source: Source): void {
  if (twig.type === 'ERROR' || twig.missing) source.trouble(twig);
  else for (const each of twig.children) noteTroubles(each, source);
}
