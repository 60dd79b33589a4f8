import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import { readTokenizerFolder } from '../../src/store/tokenizer-files';
import { byteTokenizer, CHATML, CHATML_TOOLS } from '../dataset/byte-tokenizer';
import { type GgufValue, ggufFile } from './gguf-file';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-gguf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, values: Record<string, GgufValue>): string {
  const path = join(folder, name);
  writeFileSync(path, ggufFile(values));
  return path;
}

const TEXT = 'def look_at(x):\n    return x + 123  # h\u00e9llo \u65e5\u672c\n\n\n';

/** A tokenizer of ours as its GGUF file has it. */
function bytesOf(pre: string): Record<string, GgufValue> {
  const { tokenizer } = byteTokenizer(TEXT.repeat(9), 60);
  const { model, added_tokens } = tokenizer as {
    model: { vocab: Record<string, number>; merges: string[] };
    added_tokens: { content: string }[];
  };
  const pieces = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
  const tokens = [...pieces.map(([piece]) => piece), ...added_tokens.map(({ content }) => content)];
  return {
    'general.architecture': 'other',
    'other.context_length': 4096,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': pre,
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': tokens.map((_, i) => (i < pieces.length ? 1 : 3)),
    'tokenizer.ggml.merges': model.merges,
    'tokenizer.ggml.eos_token_id': tokens.indexOf('<|im_end|>'),
    'tokenizer.chat_template': CHATML,
    'tokenizer.chat_templates': ['tool_use'],
    'tokenizer.chat_template.tool_use': CHATML_TOOLS,
  };
}

test('ids are those of the same tokenizer in a folder, and templates come with their names', async () => {
  const theirs = await createChatTokenizer(byteTokenizer(TEXT.repeat(9), 60));
  const ours = await createChatTokenizer(await readTokenizerFolder(written('gpt2.gguf', bytesOf('gpt-2'))));
  for (const text of [TEXT, `<|im_start|>user\n${TEXT}<|im_end|>`, "it's  12 34\r\n\tx"]) {
    expect(ours.encode(text)).toEqual(theirs.encode(text));
    expect(ours.decode(ours.encode(text))).toBe(text);
  }
  expect(ours.endOfSequence).toBe('<|im_end|>');
  const tool = { type: 'function', function: { name: 'look', description: '', parameters: {} } } as const;
  expect(ours.render([{ role: 'user', content: 'a' }], [tool])).toContain('Tools:');
  expect(ours.render([{ role: 'user', content: 'a' }])).not.toContain('Tools:');
});

test('families that split words otherwise give other tokens of the same text', async () => {
  const single = await createChatTokenizer(await readTokenizerFolder(written('qwen.gguf', bytesOf('qwen2'))));
  expect(single.decode(single.encode(TEXT))).toBe(TEXT);
  expect(single.encode('123').length).toBe(3);
});

test('a vocabulary of SentencePiece is put together by its scores, and unknown characters are bytes', async () => {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
  const pieces = ['<unk>', '<s>', '</s>', ...bytes, '\u2581', 'a', 'b', 'c', 'ab', '\u2581ab', 'bc', 'abc'];
  const scores = pieces.map((_, i) => -i);
  const path = written('llama.gguf', {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': pieces,
    'tokenizer.ggml.scores': scores,
    'tokenizer.ggml.token_type': pieces.map((piece, i) => (i === 0 ? 2 : i < 3 ? 3 : /^<0x/.test(piece) ? 6 : 1)),
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.chat_template': "{% for m in messages %}{{ m.content + '</s>' }}{% endfor %}",
  });
  const tokenizer = await createChatTokenizer(await readTokenizerFolder(path));
  const named = (text: string) => tokenizer.encode(text).map((id) => pieces[id]);
  expect(named('ab abc')).toEqual(['\u2581ab', '\u2581ab', 'c']);
  expect(named('a\u00e9')).toEqual(['\u2581', 'a', '<0xC3>', '<0xA9>']);
  expect(tokenizer.decode(tokenizer.encode('ab abc \u00e9'))).toBe('ab abc \u00e9');
});

test.each<[string, Buffer | Record<string, GgufValue>, RegExp]>([
  ['no GGUF', Buffer.from('PK\u0003\u0004 and more of it, enough for a head'), /is no GGUF file/],
  ['a head that is cut', Buffer.from(ggufFile(bytesOf('gpt-2'))).subarray(0, 900), /head is cut off/],
  ['no tokens', { 'tokenizer.ggml.model': 'gpt2' }, /holds no tokens/],
  ['another kind', { ...bytesOf('gpt-2'), 'tokenizer.ggml.model': 't5' }, /of the kind "t5", known: gpt2, llama/],
  ['an unknown way to split', bytesOf('who-knows'), /splits words as "who-knows", known: .*qwen2/],
])('%s is refused with what is wrong', async (name, given, said) => {
  const path = join(folder, `${name.replace(/\W/g, '-')}.gguf`);
  writeFileSync(path, Buffer.isBuffer(given) ? given : ggufFile(given));
  await expect(readTokenizerFolder(path)).rejects.toThrow(said);
});

test('a file that is not there is named', async () => {
  await expect(readTokenizerFolder(join(folder, 'none.gguf'))).rejects.toThrow(/none\.gguf cannot be read/);
});

test('folders with templates in files of their own', async () => {
  const { tokenizer, config } = byteTokenizer('a', 0);
  const path = mkdtempSync(join(folder, 'named-'));
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify(config));
  const plain = await readTokenizerFolder(path);
  expect(plain.templates).toEqual({});
  writeFileSync(join(path, 'chat_template.jinja'), 'plain');
  mkdirSync(join(path, 'additional_chat_templates'));
  writeFileSync(join(path, 'additional_chat_templates', 'tool_use.jinja'), 'with tools');
  const named = await readTokenizerFolder(path);
  expect(named.templates).toEqual({ default: 'plain', tool_use: 'with tools' });
  expect(named.digest).not.toBe(plain.digest);
});
