import { cleaned, eachStatement, type FunctionStatement, type Python } from '@pointsman/python';
import type { ObservedCall, Specification } from '../../contract';
import { answerOf, codeBlocks } from '../equivalence/reply';
import { type DescribedFunction, observedTypes } from './described';
import { chooseExamples } from './examples';
import { typesSpecification } from './types';
import { unseenExample } from './unseen-examples';

/** Files of `prompts/specification/`. Variables are written `{{name}}`. */
export const SPECIFICATION_PROMPTS = [
  /** no variables */
  'system',
  /** `context`, `signature`, `cases`, `argument_types`, `return_types`, `examples`, `name` */
  'task',
] as const;

interface RefineTask {
  readonly described: DescribedFunction;
  readonly calls: readonly ObservedCall[];
  /** The repository around the function, as text. */
  readonly context: string;
  /** `def` line to the end of the docstring. */
  readonly signature: string;
  /** Source of the harness. */
  readonly cases: string;
}

/** Variables of `task`. */
export function refineValues({ described, calls, context, signature, cases }: RefineTask): Record<string, string> {
  const types = observedTypes(described, calls);
  const argumentLines = Object.entries(types.arguments).map(([name, seen]) => `- ${name}: ${seen.join(', ')}`);
  const raised = types.raised.length > 0 ? ` (raised: ${types.raised.join(', ')})` : '';
  const examples = chooseExamples(described, calls).map(({ call, result }) => `>>> ${call}\n${result}`);
  return {
    context: context.trimEnd(),
    signature: signature.trimEnd(),
    cases: cases.trimEnd(),
    argument_types: argumentLines.join('\n') || '- none was seen',
    return_types: (types.returned.join(', ') || 'nothing was given back') + raised,
    examples: examples.join('\n\n') || 'none that can be written in a line',
    name: described.name,
  };
}

interface Refinement {
  readonly specification: Specification;
  /** Why the model's docstring was not taken, in words; null where it was. */
  readonly note: string | null;
}

/**
 * The specification out of a model's reply. A docstring that cannot be read, that gives the implementation away, that shows
 * an example nobody saw, or that is about something else is not taken: then it is the one by types, and the note says why.
 * `body` are the lines of the reference's body, its docstring left out.
 */
export function readRefinement(
  python: Python,
  reply: string,
  { described, calls, body }: { described: DescribedFunction; calls: readonly ObservedCall[]; body: readonly string[] },
): Refinement {
  const fallback = typesSpecification(described, calls);
  const docstring = docstringIn(python, reply, described.name);
  const note =
    docstring === null
      ? 'no docstring could be read from the reply'
      : (leakedLine(docstring, fallback.original, body) ??
        unseenExample(python, docstring, described, calls) ??
        strayed(docstring, cleaned(fallback.original)));
  if (docstring === null || note !== null) return { specification: fallback, note };
  return { specification: { ...fallback, refined: docstring, by: 'model' }, note: null };
}

/** The docstring of the function in any block, else a block or reply that is a docstring by itself. */
function docstringIn(python: Python, reply: string, name: string): string | null {
  const blocks = codeBlocks(reply);
  for (const text of [...blocks].reverse()) {
    const found = functionIn(python, text, name)?.docstring;
    if (found !== undefined && found.trim() !== '') return cleaned(found);
  }
  const bare = (blocks.at(-1) ?? answerOf(reply)).trim();
  const quoted = /^[rRuU]?("""|''')([\s\S]*?)\1$/.exec(bare)?.[2];
  if (quoted !== undefined) return cleaned(quoted).trim() || null;
  // A definition that holds no docstring is code, not prose.
  return bare === '' || /^[ \t]*(async[ \t]+)?(def|class|import|from|@\w)\b/m.test(bare) ? null : cleaned(bare);
}

function functionIn(python: Python, text: string, name: string): FunctionStatement | undefined {
  // A definition without a body is no Python, but its docstring is one.
  let found: FunctionStatement | undefined;
  eachStatement(python.parse('reply.py', text).body, (each) => {
    if (each.kind === 'function' && each.name === name) found ??= each;
    return found === undefined;
  });
  return found;
}

/** A rewritten docstring still speaks of what the summary spoke of: it shares at least one of its longer words. */
function strayed(docstring: string, original: string): string | null {
  const words = (text: string) => (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, 5));
  const summary = words(original.split('\n\n')[0] ?? '');
  const now = new Set(words(docstring));
  if (docstring.split('\n')[0]!.trim() === '') return 'its summary line is empty';
  return summary.length === 0 || summary.some((word) => now.has(word))
    ? null
    : 'it says nothing of what the original says';
}

/** Code that runs on inside a line of prose is told from chance by its length. */
const INSIDE = 16;

/**
 * Why a docstring gives its function's body away; null where it does not. A line of the body, whatever its length, may not
 * stand as a line of the docstring (as an example's either), and a longer one nowhere inside. What the repository's own
 * docstring shows may stay.
 */
function leakedLine(docstring: string, original: string, body: readonly string[]): string | null {
  const own = new Set(original.split('\n').map(normalized));
  const lines = docstring
    .split('\n')
    .map(normalized)
    .filter((line) => !own.has(line));
  const whole = lines.join(' ');
  const before = [...own].join(' ');
  for (const line of body.map(normalized)) {
    // Brackets and the like say nothing of how it works.
    if (!/\w/.test(line) || line.startsWith('#')) continue;
    const inside = line.length >= INSIDE && whole.includes(line) && !before.includes(line);
    if (inside || lines.includes(line)) return `it repeats the implementation: ${line.slice(0, 80)}`;
  }
  return null;
}

/** Prompts of examples, list marks and backticks around code taken off, white space made one. */
function normalized(line: string): string {
  return line
    .trim()
    .replace(/^(>>>|\.\.\.|[-*])\s+/, '')
    .replace(/^`+|`+$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
