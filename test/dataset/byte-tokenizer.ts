import type { TokenizerFiles } from '../../src/dataset/chat-tokenizer';

/** ChatML, as Qwen2.5 and others have it for plain messages; written here, because model files cannot be had in tests. */
export const CHATML = [
  '{%- for message in messages %}',
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}",
  '{%- endfor %}',
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join('\n');

/** ChatML that shows tools, calls and what tools answer. */
export const CHATML_TOOLS = [
  "{%- if tools %}{{- '<|im_start|>system\\nTools:' }}{%- for tool in tools %}{{- ' ' + (tool | tojson) }}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endif %}",
  '{%- for message in messages %}',
  "{{- '<|im_start|>' + message.role + '\\n' + message.content }}",
  "{%- for call in message.tool_calls or [] %}{{- '\\n[call] ' + call.function.name + ' ' + (call.function.arguments | tojson) }}{%- endfor %}",
  "{{- '<|im_end|>' + '\\n' }}",
  '{%- endfor %}',
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join('\n');

const CHATML_SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

/** GPT-2's table of printable characters for bytes. */
function byteAlphabet(): string[] {
  const printable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
}

/**
 * A byte-level BPE tokenizer whose merges are the most frequent pairs of `text`, in the shape of `tokenizer.json`. It merges
 * over spaces and line ends, as real ones do, so that tokens reach over places where one would like a boundary.
 */
export function byteTokenizer(
  text: string,
  merges: number,
  special = CHATML_SPECIAL,
  template = CHATML,
): TokenizerFiles {
  const alphabet = byteAlphabet();
  const words = text
    .split(/(?=\s\S)|(?<=\S)(?=\s)/)
    .map((word) => [...Buffer.from(word, 'utf8')].map((byte) => alphabet[byte]!));
  const learned: [string, string][] = [];
  while (learned.length < merges) {
    const counts = new Map<string, number>();
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i += 1) {
        const pair = `${word[i]} ${word[i + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    const best = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
    if (!best || best[1] < 2) break;
    const [left, right] = best[0].split(' ') as [string, string];
    learned.push([left, right]);
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i += 1) {
        if (word[i] === left && word[i + 1] === right) word.splice(i, 2, left + right);
      }
    }
  }
  const pieces = [...alphabet, ...learned.map(([left, right]) => left + right)];
  const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const size = Object.keys(vocab).length;
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: special.map((content, i) => ({ id: pieces.length + i, content, ...flags })),
      normalizer: null,
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: '',
        end_of_word_suffix: '',
        fuse_unk: false,
        byte_fallback: false,
        vocab,
        merges: learned.map(([left, right]) => `${left} ${right}`),
      },
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      eos_token: '<|im_end|>',
      pad_token: '<|endoftext|>',
      chat_template: template,
      clean_up_tokenization_spaces: false,
      model_max_length: 131_072,
      vocab_size: size,
    },
  };
}
