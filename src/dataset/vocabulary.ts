import type { RawReply } from '../contract';
import type { ChatTokenizer } from './chat-tokenizer';
import type { Sample } from './model-calls';

/**
 * Why the ids of a sample are not of the vocabulary of a server that says what each is (`texts`, of the ids behind the first
 * prompt); undefined where nothing speaks against it. In each answer must stand the longest line that its model said, and, where
 * the model's own tokenizer is given, each sampled id must be the same piece of text in both.
 */
export function foreignTo(
  { ids, prompt, answers }: Sample,
  texts: readonly string[],
  tokenizer?: ChatTokenizer,
): string | undefined {
  if (texts.every((text) => text === '')) return 'the server does not say what the ids are';
  for (const { call, start, end } of answers) {
    const read = texts.slice(start - prompt, end - prompt);
    const line = longestLine(call.reply);
    if (!plain(read.join('')).includes(line))
      return `turn ${call.turn} is ${quoted(read.join(''))} there, and its model said ${quoted(line)}`;
    const other = read.findIndex((text, i) => tokenizer && differs(tokenizer.decode([ids[start + i]!]), text));
    if (other >= 0)
      return `id ${ids[start + other]} is ${quoted(read[other]!)} there, and ${quoted(tokenizer!.decode([ids[start + other]!]))} in the tokenizer`;
  }
  return undefined;
}

/** Of arguments only a word: servers write JSON anew. */
function longestLine({ content, reasoning, toolCalls }: RawReply): string {
  const lines = [content ?? '', reasoning ?? ''].flatMap((text) => text.split('\n'));
  const words = toolCalls.flatMap(({ name, arguments: args }) => [name, ...(args.match(/[A-Za-z0-9]{4,}/g) ?? [])]);
  return [...lines, ...words].map(plain).reduce((a, b) => (b.length > a.length ? b : a), '');
}

/** Servers drop white space around tokens, and a token may be part of a character. */
function plain(text: string): string {
  return text.replace(/[^!-~]+/g, '').toLowerCase();
}

function differs(ours: string, theirs: string): boolean {
  const [a, b] = [plain(ours), plain(theirs)];
  return a !== '' && b !== '' && a !== b;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
