import { PointsmanError } from '../contract/errors';
import type { ChatMessage, ChatTool } from '../contract/step';

/** A tokenizer with its chat template, as `transformers` would use the two. */
export interface ChatTokenizer {
  /** Ids of a text that already holds its special tokens; none is added. */
  encode(text: string): number[];
  decode(ids: readonly number[]): string;
  /** Added tokens by id. They cut a text: what stands between two of them is encoded by itself. */
  readonly added: ReadonlyMap<number, string>;
  /** Throws `TemplateFailed` when the template refuses the messages. */
  render(messages: readonly ChatMessage[], tools?: readonly ChatTool[], generationPrompt?: boolean): string;
}

/** What a chat template raised, or could not do. */
export class TemplateFailed extends Error {
  override readonly name = 'TemplateFailed';
}

export interface TokenizerFiles {
  /** `tokenizer.json`, parsed. */
  readonly tokenizer: object;
  /** `tokenizer_config.json`, parsed. */
  readonly config: object;
  /** `chat_template.jinja`; without it the template in `config` is taken. */
  readonly template?: string;
}

/** Throws `InvalidInput` when the files hold no tokenizer or no template that can be read. */
export async function createChatTokenizer({ tokenizer, config, template }: TokenizerFiles): Promise<ChatTokenizer> {
  const [{ Tokenizer }, jinja] = await Promise.all([import('@huggingface/tokenizers'), import('@huggingface/jinja')]);
  const text = template ?? templateIn(config);
  const program = read('the chat template', () =>
    // Blocks take their white space with them, as `transformers` sets its templates up.
    jinja.parse(jinja.tokenize(text, { lstrip_blocks: true, trim_blocks: true })),
  );
  const tokens = read('tokenizer.json', () => new Tokenizer(tokenizer, config));
  const added = new Map([...tokens.get_added_tokens_decoder()].map(([id, token]) => [id, token.content]));
  const special = specialTokens(config);
  return {
    encode: (words) => tokens.encode(words, { add_special_tokens: false }).ids,
    decode: (ids) => (ids.length === 0 ? '' : tokens.decode([...ids], EXACTLY)),
    added,
    render(messages, tools, generationPrompt = false) {
      const environment = new jinja.Environment();
      const variables = {
        ...GLOBALS,
        ...special,
        messages: messages.map(templateMessage),
        tools: tools?.length ? tools : null,
        add_generation_prompt: generationPrompt,
      };
      try {
        for (const [name, value] of Object.entries(variables)) environment.set(name, value);
        const interpreter = new jinja.Interpreter(environment);
        limit(interpreter);
        return String(interpreter.run(program).value);
      } catch (error) {
        throw new TemplateFailed((error as Error).message, { cause: error });
      }
    },
  };
}

/** A trajectory of five hundred turns takes a fifth of it. */
const MOST_STEPS = 1_000_000;
const MOST_CHARACTERS = 64 << 20;
const MOST_NUMBERS = 100_000;

/** A template is a program of others: one that loops in loops is ended, by what it did and not by a clock. */
function limit<Given extends unknown[], Value extends { readonly value: unknown }>(interpreter: {
  evaluate(...given: Given): Value;
}): void {
  const evaluate = interpreter.evaluate.bind(interpreter);
  let steps = 0;
  interpreter.evaluate = (...given) => {
    if (++steps > MOST_STEPS) throw new Error(`it takes more than ${MOST_STEPS} steps`);
    const value = evaluate(...given);
    if (typeof value.value === 'string' && value.value.length > MOST_CHARACTERS)
      throw new Error(`it writes more than ${MOST_CHARACTERS} characters`);
    return value;
  };
}

const EXACTLY = { skip_special_tokens: false, clean_up_tokenization_spaces: false };

/**
 * What `transformers` gives to templates by name, but for `strftime_now`: templates that know today's date would make another
 * row of the same messages each day, and those that ask first whether there is a clock have a date of their own instead.
 */
const GLOBALS = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  raise_exception: (message: unknown) => {
    throw new Error(String(message));
  },
  range: (start: number, stop?: number, step = 1) => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    const length = Math.max(0, Math.ceil((to - from) / step));
    if (!(length <= MOST_NUMBERS)) throw new Error(`range() of more than ${MOST_NUMBERS} numbers`);
    return Array.from({ length }, (_, i) => from + i * step);
  },
};

/**
 * A message as servers give it to a template: arguments are an object, because templates write them with `tojson`, and
 * there is always content, because `None` would be written out.
 */
function templateMessage(message: ChatMessage): Record<string, unknown> {
  if (message.role !== 'assistant') return { ...message };
  const content = message.content ?? '';
  if (!message.tool_calls) return { role: message.role, content };
  const calls = message.tool_calls.map(({ id, type, function: called }) => ({
    id,
    type,
    function: { name: called.name, arguments: JSON.parse(called.arguments) as unknown },
  }));
  return { role: message.role, content, tool_calls: calls };
}

function templateIn(config: object): string {
  const { chat_template: found } = config as { chat_template?: unknown };
  if (typeof found === 'string') return found;
  // Several by name: the one for plain chats is called `default`.
  const named = Array.isArray(found) ? (found as { name?: string; template?: string }[]) : [];
  const template = named.find(({ name }) => name === 'default')?.template;
  if (template !== undefined) return template;
  throw new PointsmanError(
    'InvalidInput',
    'tokenizer: tokenizer_config.json has no chat_template',
    'Add one to it, or put a chat_template.jinja beside it.',
  );
}

/** `bos_token`, `eos_token` and their like, which templates use by name. */
function specialTokens(config: object): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!name.endsWith('_token')) continue;
    const content = typeof value === 'object' && value !== null && 'content' in value ? value.content : value;
    if (typeof content === 'string') tokens[name] = content;
  }
  return tokens;
}

function read<T>(what: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw new PointsmanError(
      'InvalidInput',
      `tokenizer: ${what} cannot be read: ${(error as Error).message}`,
      'Give the folder of a fast tokenizer as the model’s own files have it.',
    );
  }
}
