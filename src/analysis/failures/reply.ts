import { FailureCategory } from '../../contract';

export interface ReadReply {
  readonly category: FailureCategory;
  readonly description: string;
  /** No category could be read, so that it is `other`. */
  readonly unreadable: boolean;
}

/**
 * A judge's reply: an explanation in `<description>`, then the category on the last line. Judges write more than they are asked
 * to: a `Category:` before it, marks and capitals around it, spaces for underscores, a thought in `<think>`.
 */
export function readReply(text: string): ReadReply {
  const said = text.replace(/<think>[\s\S]*?(<\/think>|$)/gi, '');
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const category = categoryIn(lines.at(-1) ?? '');
  const description = descriptionIn(said, category === undefined ? lines : lines.slice(0, -1));
  return { category: category ?? 'other', description, unreadable: category === undefined };
}

function categoryIn(line: string): FailureCategory | undefined {
  // What stands behind the description, where both are on one line.
  const end = line.replace(/^.*<\/description>/i, '');
  const word = end
    .replace(/^[^\p{L}]*(?:(?:error|failure|final)\s+)?category\b[^\p{L}]*(?:is\b[^\p{L}]*)?/iu, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[^a-z_]/g, '')
    .replace(/^_+|_+$/g, '');
  return FailureCategory.options.find((each) => each === word);
}

function descriptionIn(text: string, lines: readonly string[]): string {
  const tagged = /<description>([\s\S]*?)(?:<\/description>|$)/i.exec(text)?.[1];
  const description = tagged ?? lines.join('\n');
  return description.trim();
}
