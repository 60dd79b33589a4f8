import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChatTokenizer, createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import type { DatasetRow } from '../../src/dataset/row';
import type { Python } from './python';

/** A tokenizer that the package `tokenizers` trains on the rows, in a folder and as ours. */
export async function trainedTokenizer(
  python: Python,
  rows: readonly DatasetRow[],
  folder: string,
): Promise<{ folder: string; tokenizer: ChatTokenizer }> {
  const corpus = join(folder, 'corpus.txt');
  writeFileSync(
    corpus,
    rows.flatMap((row) => row.conversation.messages.map(({ content }) => content ?? '')).join('\n'),
  );
  const target = join(folder, 'tokenizer');
  python.run('make_tokenizer.py', corpus, join(__dirname, 'chatml.jinja'), target);
  const read = (name: string) => JSON.parse(readFileSync(join(target, name), 'utf8')) as object;
  const files = { tokenizer: read('tokenizer.json'), config: read('tokenizer_config.json') };
  return { folder: target, tokenizer: await createChatTokenizer(files) };
}
