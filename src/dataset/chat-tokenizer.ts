import { LRUCache } from 'lru-cache';
import { PointsmanError } from '../contract/errors';
import type { ChatMessage, ChatTool } from '../contract/step';
import { FIXED_DAY, strftime } from './fixed-day';

/** A tokenizer with its chat template, as `transformers` would use the two. */
export interface ChatTokenizer {
  /** Ids of a text that already holds its special tokens; none is added. */
  encode(text: string): number[];
  decode(ids: readonly number[]): string;
  /** Added tokens by id. They cut a text: what stands between two of them is encoded by itself. */
  readonly added: ReadonlyMap<number, string>;
  /** Throws `TemplateFailed` when the template refuses the messages. */
  render(messages: readonly ChatMessage[], tools?: readonly ChatTool[], generationPrompt?: boolean): string;
  /** The token that the files call the end of a sequence; not always what ends a turn. */
  readonly endOfSequence?: string;
  /** How the template is given the arguments of calls: as the object that most write with `tojson`, or as its JSON text. */
  readonly argumentsAs: 'object' | 'text';
  /** Whether a template asks what day it is. It is told `FIXED_DAY`, or a row would be another one each day. */
  readonly asksForDay: boolean;
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
  /** Templates of files beside `config`, by name; with any of them those in `config` are not looked at. */
  readonly templates?: Readonly<Record<string, string>>;
}

/** The template for plain chats, and the one that is taken when there are tools. */
const PLAIN = 'default';
const WITH_TOOLS = 'tool_use';

/**
 * Which template renders is decided as `transformers` does: of several the one called `tool_use` where there are tools, else
 * `default`. Throws `InvalidInput` when the files hold no tokenizer or no template that can be read.
 */
export async function createChatTokenizer({ tokenizer, config, templates }: TokenizerFiles): Promise<ChatTokenizer> {
  const [{ Tokenizer }, jinja] = await Promise.all([import('@huggingface/tokenizers'), import('@huggingface/jinja')]);
  const texts = templates && Object.keys(templates).length > 0 ? templates : templatesIn(config);
  const programs = new Map(
    Object.entries(texts).map(([name, text]) => [
      name,
      // Blocks take their white space with them, as `transformers` sets its templates up; Jinja itself has one kind of line end.
      read(name === PLAIN ? 'the chat template' : `the chat template ${name}`, () =>
        jinja.parse(jinja.tokenize(text.replace(/\r\n?/g, '\n'), { lstrip_blocks: true, trim_blocks: true })),
      ),
    ]),
  );
  const tokens = read('tokenizer.json', () => new Tokenizer(tokenizer, config));
  rememberWords(tokens);
  const added = new Map([...tokens.get_added_tokens_decoder()].map(([id, token]) => [id, token.content]));
  const special = specialTokens(config);
  // What every template knows by name.
  const known = new jinja.Environment();
  for (const [name, value] of Object.entries({ ...GLOBALS, ...special })) known.set(name, value);
  const none = known.lookupVariable('none');
  const renderAs = (argumentsAs: 'object' | 'text'): ChatTokenizer['render'] => {
    // Templates cannot change values, and those of a row are rendered twice for each of its trained turns.
    const values = new WeakMap<object, ReturnType<typeof known.set>>();
    const inJinja = (key: object, make: () => unknown) => {
      const value = values.get(key) ?? new jinja.Environment().set('value', make());
      values.set(key, value);
      return value;
    };
    return (messages, tools, generationPrompt = false) => {
      const program = (tools?.length ? programs.get(WITH_TOOLS) : undefined) ?? programs.get(PLAIN);
      if (!program) {
        throw new TemplateFailed(
          `the templates are called ${[...programs.keys()].join(', ')}, and none is the ${PLAIN} one`,
        );
      }
      const environment = new jinja.Environment(known);
      environment.set('add_generation_prompt', generationPrompt);
      environment.setVariable('tools', tools?.length ? inJinja(tools, () => tools) : none);
      const shown = environment.set('messages', []).value as unknown[];
      for (const message of messages) shown.push(inJinja(message, () => templateMessage(message, argumentsAs)));
      try {
        const interpreter = new jinja.Interpreter(environment);
        limit(interpreter);
        return String(interpreter.run(program).value);
      } catch (error) {
        throw new TemplateFailed((error as Error).message, { cause: error });
      }
    };
  };
  const argumentsAs = wantedArguments(renderAs);
  return {
    encode: (words) => tokens.encode(words, { add_special_tokens: false }).ids,
    decode: (ids) => (ids.length === 0 ? '' : tokens.decode([...ids], EXACTLY)),
    added,
    render: renderAs(argumentsAs),
    endOfSequence: special.eos_token,
    argumentsAs,
    asksForDay: Object.values(texts).some((text) => text.includes('strftime_now')),
  };
}

/** A call whose argument is nowhere else, for templates that are tried out. */
const TRIED = 'd1fec0ffee';
const TRIED_CALL: readonly ChatMessage[] = [
  { role: 'user', content: 'Go on.' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [{ id: 'call00001', type: 'function', function: { name: 'look', arguments: `{"at":"${TRIED}"}` } }],
  },
];
const TRIED_TOOL: ChatTool = {
  type: 'function',
  function: {
    name: 'look',
    description: 'looks',
    parameters: { type: 'object', properties: { at: { type: 'string' } } },
  },
};

/** An object, unless the template shows arguments only when they are text: some put them between other texts as they are. */
function wantedArguments(renderAs: (as: 'object' | 'text') => ChatTokenizer['render']): 'object' | 'text' {
  const shows = (as: 'object' | 'text') => {
    try {
      return renderAs(as)(TRIED_CALL, [TRIED_TOOL]).includes(TRIED);
    } catch {
      return false;
    }
  };
  return !shows('object') && shows('text') ? 'text' : 'object';
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

/** The same few thousand make up most of a text. */
const WORDS = 10_000;
const LONGEST_WORD = 256;

/**
 * Remembers how words were spelled and cut. Byte-level tokenizers spell each word byte by byte, in letters of their own, which
 * is three quarters of the time that encoding takes. The library's own memory of cuts (of BPE, the one kind that has one) takes
 * a word out and puts it in again at each use.
 */
function rememberWords(tokens: object): void {
  const { model, pre_tokenizer: first } = tokens as { model?: { cache?: CutMemory }; pre_tokenizer?: PreTokenizer };
  for (const each of [first, ...(first?.tokenizers ?? [])]) if (each && 'byte_encoder' in each) rememberSpellings(each);
  if (!model?.cache) return;
  const cuts = new LRUCache<string, string[]>({ max: WORDS });
  model.cache = {
    get: (word) => cuts.get(word),
    put: (word, cut) => void cuts.set(word, cut),
    clear: () => cuts.clear(),
  };
}

interface CutMemory {
  get(word: string): string[] | undefined;
  put(word: string, cut: string[]): void;
  clear(): void;
}

interface PreTokenizer {
  /** Of a sequence, its parts. */
  readonly tokenizers?: readonly (PreTokenizer | ByteLevel | null)[];
}

interface ByteLevel {
  readonly byte_encoder: Readonly<Record<number, string>>;
  readonly add_prefix_space: boolean;
  readonly use_regex: boolean;
  readonly pattern: RegExp;
  pre_tokenize_text(text: string): string[];
}

function rememberSpellings(level: ByteLevel): void {
  const { byte_encoder: letters, add_prefix_space, use_regex, pattern } = level;
  const spellings = new LRUCache<string, string>({ max: WORDS });
  const spelled = (word: string) => {
    const known = spellings.get(word);
    if (known !== undefined) return known;
    const spelling = Array.from(Buffer.from(word), (byte) => letters[byte]).join('');
    if (word.length <= LONGEST_WORD) spellings.set(word, spelling);
    return spelling;
  };
  level.pre_tokenize_text = (given) => {
    const text = add_prefix_space && !given.startsWith(' ') ? ` ${given}` : given;
    return (use_regex ? (text.match(pattern) ?? []) : [text]).map(spelled);
  };
}

const EXACTLY = { skip_special_tokens: false, clean_up_tokenization_spaces: false };

/** What `transformers` gives to templates by name; its clock stands still here. */
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
  strftime_now: (format: unknown) => strftime(FIXED_DAY, String(format)),
  range: (start: number, stop?: number, step = 1) => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    const length = Math.max(0, Math.ceil((to - from) / step));
    if (!(length <= MOST_NUMBERS)) throw new Error(`range() of more than ${MOST_NUMBERS} numbers`);
    return Array.from({ length }, (_, i) => from + i * step);
  },
};

/**
 * A message as servers give it to a template: arguments are an object, because most templates write them with `tojson`, and
 * there is always content, because `None` would be written out.
 */
function templateMessage(message: ChatMessage, argumentsAs: 'object' | 'text'): Record<string, unknown> {
  if (message.role !== 'assistant') return { ...message };
  const content = message.content ?? '';
  if (!message.tool_calls) return { role: message.role, content };
  const calls = message.tool_calls.map(({ id, type, function: called }) => ({
    id,
    type,
    function: {
      name: called.name,
      arguments: argumentsAs === 'text' ? called.arguments : (JSON.parse(called.arguments) as unknown),
    },
  }));
  return { role: message.role, content, tool_calls: calls };
}

function templatesIn(config: object): Readonly<Record<string, string>> {
  const { chat_template: found } = config as { chat_template?: unknown };
  if (typeof found === 'string') return { [PLAIN]: found };
  const named = Array.isArray(found) ? (found as { name?: unknown; template?: unknown }[]) : [];
  const templates = named.flatMap((each) =>
    typeof each?.name === 'string' && typeof each.template === 'string' ? [[each.name, each.template] as const] : [],
  );
  if (templates.length > 0) return Object.fromEntries(templates);
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
