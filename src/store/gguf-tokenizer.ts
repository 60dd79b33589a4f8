import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { PointsmanError } from '../contract';

/**
 * The tokenizer and chat templates that a GGUF file holds beside its weights, in the shape of `tokenizer.json` and
 * `tokenizer_config.json`. Of byte-level BPE (`gpt2`), whose way to split words the file only names, and of
 * SentencePiece's BPE (`llama`). Throws `InvalidInput` for what is no such file, and names what it does not know.
 */
export async function readGgufTokenizer(path: string): Promise<{
  readonly tokenizer: object;
  readonly config: object;
  readonly templates: Readonly<Record<string, string>>;
  readonly digest: string;
}> {
  const values = await readValues(path);
  const refuse = (what: string) =>
    new PointsmanError('InvalidInput', `tokenizer: ${path}: ${what}`, 'Give the folder of tokenizer.json instead.');
  const vocabulary = readVocabulary(values);
  if (!vocabulary) throw refuse('it holds no tokens (tokenizer.ggml.tokens)');
  const kind = values.get('tokenizer.ggml.model');
  if (kind !== 'gpt2' && kind !== 'llama')
    throw refuse(`its tokenizer is of the kind ${shown(kind)}, known: gpt2, llama`);
  const split = kind === 'gpt2' ? splittingOf(values.get('tokenizer.ggml.pre')) : undefined;
  if (kind === 'gpt2' && !split) {
    const known = SPLITTINGS.flatMap(({ names }) => names).join(', ');
    throw refuse(`it splits words as ${shown(values.get('tokenizer.ggml.pre'))}, known: ${known}`);
  }
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: addedTokens(vocabulary),
    post_processor: null,
    ...(split
      ? byteLevel(vocabulary, split)
      : sentencePiece(vocabulary, values.get('tokenizer.ggml.add_space_prefix') !== false)),
  };
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', ...namedTokens(values, vocabulary) };
  const templates = templatesIn(values);
  if (Object.keys(templates).length === 0) throw refuse('it holds no chat template (tokenizer.chat_template)');
  const digest = createHash('sha256')
    .update(JSON.stringify([tokenizer, config, templates]))
    .digest('hex');
  return { tokenizer, config, templates, digest };
}

interface Vocabulary {
  readonly tokens: readonly string[];
  /** 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte. */
  readonly types: readonly number[];
  readonly scores: readonly number[];
  readonly merges: readonly string[];
}

function readVocabulary(values: Values): Vocabulary | undefined {
  const tokens = values.get('tokenizer.ggml.tokens');
  if (!isList(tokens, 'string') || tokens.length === 0) return undefined;
  const numbers = (name: string) => {
    const value = values.get(name);
    return isList(value, 'number') ? value : [];
  };
  const merges = values.get('tokenizer.ggml.merges');
  return {
    tokens,
    types: numbers('tokenizer.ggml.token_type'),
    scores: numbers('tokenizer.ggml.scores'),
    merges: isList(merges, 'string') ? merges : [],
  };
}

/** Control tokens and those that users defined cut a text before anything else happens to it. */
function addedTokens({ tokens, types }: Vocabulary): object[] {
  return tokens.flatMap((content, id) => {
    const special = types[id] === 3;
    if (!special && types[id] !== 4) return [];
    return [{ id, content, special, single_word: false, lstrip: false, rstrip: false, normalized: false }];
  });
}

const LETTERS = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+`;
const REST = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const GPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+`;
const UPPER = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const LOWER = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
const CASED = (end: string) =>
  `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]*[${LOWER}]+${end}|[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]+[${LOWER}]*${end}`;
const SLASHED = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

/** How families cut a text into words, one after the other; the names are those of llama.cpp. */
interface Splitting {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** A word that is a token is taken whole, whatever the merges say. */
  readonly wholeWords?: true;
}

const SPLITTINGS: readonly Splitting[] = [
  { names: ['default', 'gpt-2', 'phi-2', 'mpt', 'olmo', 'jais', 'trillion', 'granite-docling'], patterns: [GPT2] },
  {
    names: ['smollm', 'starcoder', 'refact', 'command-r', 'codeshell', 'exaone', 'minerva-7b'],
    patterns: ['\\p{N}', GPT2],
  },
  {
    names: ['qwen2', 'deepseek-r1-qwen', 'stablelm2', 'hunyuan', 'megrez', 'kormo'],
    patterns: [`${LETTERS}|\\p{N}|${REST}`],
  },
  {
    names: ['llama-bpe', 'llama3', 'llama-v3', 'smaug-bpe', 'dbrx', 'falcon3', 'pixtral', 'midm-2.0', 'lfm2'],
    patterns: [`${LETTERS}|\\p{N}{1,3}|${REST}`],
    wholeWords: true,
  },
  { names: ['chatglm-bpe', 'glm4'], patterns: [`${LETTERS}|\\p{N}{1,3}|${REST}`] },
  { names: ['tekken'], patterns: [`${CASED('')}|\\p{N}|${SLASHED}`], wholeWords: true },
  {
    names: ['gpt-4o', 'llama4'],
    patterns: [`${CASED(`(?i:'s|'t|'re|'ve|'m|'ll|'d)?`)}|\\p{N}{1,3}|${SLASHED}`],
  },
];

function splittingOf(name: Value | undefined): Splitting | undefined {
  const wanted = name ?? 'default';
  return SPLITTINGS.find(({ names }) => typeof wanted === 'string' && names.includes(wanted));
}

function byteLevel({ tokens, merges }: Vocabulary, { patterns, wholeWords }: Splitting): object {
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        ...patterns.map((Regex) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false })),
        bytes,
      ],
    },
    decoder: bytes,
    model: { ...MODEL, ignore_merges: wholeWords ?? false, vocab: idsOf(tokens), merges },
  };
}

const MODEL = {
  type: 'BPE',
  dropout: null,
  unk_token: null,
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: false,
  byte_fallback: false,
} as const;

/** Merges are not in the file: two pieces whose join is a token merge, the better its score the sooner. */
function sentencePiece(vocabulary: Vocabulary, spaceBefore: boolean): object {
  const { tokens, types, scores } = vocabulary;
  const ids = idsOf(tokens);
  const merges: { readonly pair: string; readonly score: number; readonly left: number; readonly right: number }[] = [];
  tokens.forEach((token, id) => {
    if ((types[id] ?? 1) !== 1) return;
    const characters = [...token];
    for (let at = 1; at < characters.length && at < LONGEST_PIECE; at += 1) {
      const [left, right] = [characters.slice(0, at).join(''), characters.slice(at).join('')];
      if (!Object.hasOwn(ids, left) || !Object.hasOwn(ids, right)) continue;
      merges.push({ pair: `${left} ${right}`, score: scores[id] ?? 0, left: ids[left]!, right: ids[right]! });
    }
  });
  merges.sort((a, b) => b.score - a.score || a.left - b.left || a.right - b.right);
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
  const unknown = types.indexOf(2);
  return {
    normalizer: {
      type: 'Sequence',
      normalizers: [...(spaceBefore ? [{ type: 'Prepend', prepend: '▁' }] : []), spaces],
    },
    pre_tokenizer: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...(spaceBefore ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: {
      ...MODEL,
      unk_token: unknown < 0 ? null : tokens[unknown],
      fuse_unk: true,
      byte_fallback: true,
      vocab: ids,
      merges: merges.map(({ pair }) => pair),
    },
  };
}

/** Characters; a token has as many ways to be put together. */
const LONGEST_PIECE = 200;

function idsOf(tokens: readonly string[]): Record<string, number> {
  return Object.fromEntries(tokens.map((token, id) => [token, id]));
}

function namedTokens(values: Values, { tokens }: Vocabulary): Record<string, string> {
  const names = { bos: 'bos_token', eos: 'eos_token', unknown: 'unk_token', padding: 'pad_token' };
  return Object.fromEntries(
    Object.entries(names).flatMap(([ours, theirs]) => {
      const id = values.get(`tokenizer.ggml.${ours}_token_id`);
      const token = typeof id === 'number' ? tokens[id] : undefined;
      return token === undefined ? [] : [[theirs, token]];
    }),
  );
}

function templatesIn(values: Values): Record<string, string> {
  const named = [...values].flatMap(([key, value]) => {
    const name = /^tokenizer\.chat_template(?:\.(.+))?$/.exec(key);
    return name && typeof value === 'string' ? [[name[1] ?? 'default', value] as const] : [];
  });
  return Object.fromEntries(named);
}

type Single = string | number | boolean;
/** Items of a list are all of one type. */
type Value = Single | readonly Single[];
type Values = ReadonlyMap<string, Value>;

function isList(value: Value | undefined, type: 'string'): value is readonly string[];
function isList(value: Value | undefined, type: 'number'): value is readonly number[];
function isList(value: Value | undefined, type: 'string' | 'number'): boolean {
  return Array.isArray(value) && (value.length === 0 || typeof value[0] === type);
}

function shown(value: Value | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : value === undefined ? 'nothing' : 'no name';
}

/** Bytes that are read first, and the most of them: vocabularies and merges of the largest take thirty million. */
const FIRST_BYTES = 1 << 24;
const MOST_BYTES = 1 << 28;

/** Values whose names begin with `tokenizer.`, out of the head of the file; its weights are not read. */
async function readValues(path: string): Promise<Values> {
  const fail = (what: string) =>
    new PointsmanError('InvalidInput', `tokenizer: ${path} cannot be read: ${what}`, 'Give a whole .gguf file.');
  const file = await open(path).catch((error: Error) => {
    throw fail(error.message);
  });
  try {
    const { size } = await file.stat();
    for (let length = FIRST_BYTES; ; length *= 4) {
      const bytes = await headOf(file, Math.min(length, size, MOST_BYTES));
      const values = valuesIn(bytes);
      if (values === 'none') throw fail('it is no GGUF file of version 2 or 3');
      if (values !== 'more') return values;
      if (bytes.length < length) throw fail('its head is cut off, or larger than any vocabulary');
    }
  } finally {
    await file.close();
  }
}

async function headOf(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** Bytes of a value of each type that has a size of its own; 8 is text, 9 a list. */
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const TEXT = 8;
const LIST = 9;

/** `more`: the head goes on behind these bytes. */
function valuesIn(bytes: Buffer): Values | 'none' | 'more' {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 4) !== 'GGUF') return 'none';
  if (![2, 3].includes(bytes.readUInt32LE(4))) return 'none';
  const values = new Map<string, Value>();
  let at = 16;
  const take = (length: number): number => {
    const from = at;
    at += length;
    if (!(at <= bytes.length)) throw new Cut();
    return from;
  };
  const size = () => Number(bytes.readBigUInt64LE(take(8)));
  const text = () => {
    const length = size();
    const from = take(length);
    return bytes.toString('utf8', from, from + length);
  };
  const single = (type: number): Single => {
    if (type === TEXT) return text();
    const width = SIZES[type];
    if (width === undefined) throw new Cut();
    const from = take(width);
    if (type === 7) return bytes[from] !== 0;
    if (type === 6) return bytes.readFloatLE(from);
    if (type === 12) return bytes.readDoubleLE(from);
    if (width === 8) return Number(type === 10 ? bytes.readBigUInt64LE(from) : bytes.readBigInt64LE(from));
    return type % 2 === 0 ? bytes.readUIntLE(from, width) : bytes.readIntLE(from, width);
  };
  try {
    const count = size();
    for (let n = 0; n < count; n += 1) {
      const key = text();
      const type = bytes.readUInt32LE(take(4));
      if (type !== LIST) {
        const value = single(type);
        if (key.startsWith('tokenizer.')) values.set(key, value);
        continue;
      }
      const inner = bytes.readUInt32LE(take(4));
      const length = size();
      const list: Single[] = [];
      for (let i = 0; i < length; i += 1) list.push(single(inner));
      if (key.startsWith('tokenizer.')) values.set(key, list);
    }
  } catch (error) {
    if (error instanceof Cut) return 'more';
    throw error;
  }
  return values;
}

/** The bytes end within a value. */
class Cut extends Error {}
