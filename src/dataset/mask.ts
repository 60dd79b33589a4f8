import type { ChatMessage, ChatTool } from '../contract/step';
import { type ChatTokenizer, TemplateFailed } from './chat-tokenizer';
import type { Conversation, ConversationTurn } from './conversation';
import { missingArguments, shownIn } from './template-shows';

/** Where in a rendered conversation the loss is: characters `start` to `end`, UTF-16 units. */
interface TrainedSpan {
  readonly turn: ConversationTurn;
  readonly start: number;
  readonly end: number;
  /** What the span ends with: a token of its own, words that are none, or nothing that a model could learn to stop by. */
  readonly ending: Ending;
}

export type Ending =
  | { readonly by: 'token'; readonly token: string }
  /** The token that begins what follows is the sign that the turn is over. */
  | { readonly by: 'next'; readonly token: string }
  | { readonly by: 'text'; readonly text: string }
  | { readonly by: 'nothing' };

export interface RenderedText {
  readonly text: string;
  /** In the order of the turns; they do not overlap. */
  readonly spans: readonly TrainedSpan[];
  /** There are tools, and the template does not list them. */
  readonly unlisted: boolean;
}

export interface MaskOptions {
  /**
   * Takes a template that does not list the tools. Who chose which turns are trained has looked at the template, and is
   * warned instead of refused.
   */
  readonly withoutTools?: boolean;
}

export type MaskReason =
  /** The template refuses the messages, or its generation prompt is not how a turn begins. */
  | 'template_breaks_prefix'
  /** It renders a turn otherwise once more follows. */
  | 'template_rewrites_turns'
  /** It does not show all that is trained or that is answered. */
  | 'template_swallows'
  /** It has no role for what a tool answers. */
  | 'template_has_no_tool_role'
  /** The tokens of a turn cannot be told from those before it. */
  | 'tokens_not_aligned';

/** Why a conversation cannot be masked under a template or a tokenizer. */
export class MaskProblem extends Error {
  override readonly name = 'MaskProblem';
  constructor(
    readonly reason: MaskReason,
    detail: string,
  ) {
    super(detail);
  }
}

/**
 * The conversation under a chat template, and the spans of its trained turns: from where the model takes over (the end of
 * the generation prompt) to the end of its turn, the token that ends it included and the white space behind it not.
 *
 * Works for every template that renders the beginning of a conversation as the beginning of what it renders of the whole;
 * that is tested at each trained turn, and a `MaskProblem` says where it does not hold. Templates that take something back
 * (reasoning of earlier turns) are of that kind: a model asked turn by turn never saw the text that they would train. What
 * ends the sequence and not the turn may be taken back.
 *
 * All that is trained must be there: thought, name and each argument of the call; and what stands before it: the other
 * messages, and the tools. A mask of the thought alone would teach a model not to call.
 */
export function renderWithMask(
  conversation: Conversation,
  tokenizer: ChatTokenizer,
  { withoutTools = false }: MaskOptions = {},
): RenderedText {
  const { messages, tools, turns } = conversation;
  const render = (shown: readonly ChatMessage[], generationPrompt: boolean): string => {
    try {
      return tokenizer.render(shown, tools, generationPrompt);
    } catch (error) {
      if (!(error instanceof TemplateFailed)) throw error;
      throw refused(conversation, shown, error, tokenizer);
    }
  };
  const text = render(messages, false);
  const lost: string[] = [];
  const spans = turns
    .filter((turn) => turn.trained)
    .map((turn): TrainedSpan => {
      const prompt = render(messages.slice(0, turn.message), true);
      const isLast = turn.message === messages.length - 1;
      const upTo = isLast ? text : render(messages.slice(0, turn.message + 1), false);
      if (!upTo.startsWith(prompt)) {
        const how = 'its generation prompt is no beginning of the turn';
        throw broken('template_breaks_prefix', turn, how, prompt, upTo);
      }
      const kept = isLast ? keptOfLast(conversation, upTo, tokenizer) : sharedStart(upTo, text, tokenizer);
      // What only ends the sequence is not there when more follows.
      if (kept < prompt.length || !isEndOfSequence(upTo.slice(kept), tokenizer)) {
        throw broken('template_rewrites_turns', turn, 'it renders the turn otherwise once more follows', upTo, text);
      }
      const lostHere = lost.length === 0 ? lostOf(messages[turn.message]!, upTo.slice(prompt.length)) : [];
      lost.push(...lostHere.map((each) => `${each} of turn ${turn.turn}`));
      const following = isLast ? '' : text.slice(kept);
      return { turn, start: prompt.length, ...endOfTurn(upTo, prompt.length, kept, following, tokenizer) };
    });
  const unlisted = !showsTools(conversation, text, tokenizer);
  lost.unshift(...(unlisted && !withoutTools ? ['the list of tools'] : []), ...lostOfPrompt(conversation, text));
  if (lost.length === 0 && usesTools(conversation)) lost.push(...triedTemplate(tokenizer));
  if (lost.length > 0) throw swallowed(conversation, lost);
  return { text, spans, unlisted };
}

/** Length of the beginning that two texts share, never within an added token or a pair of surrogates of the first. */
function sharedStart(a: string, b: string, { added }: ChatTokenizer): number {
  if (b.startsWith(a)) return a.length;
  const at = firstDifference(a, b);
  for (let start = Math.max(0, at - LONGEST_TOKEN); start < at; start += 1) {
    for (const token of added.values()) {
      if (start + token.length > at && a.startsWith(token, start)) return start;
    }
  }
  return at > 0 && /[\ud800-\udbff]/.test(a[at - 1]!) ? at - 1 : at;
}

/** Characters of an added token that anybody has. */
const LONGEST_TOKEN = 64;

function firstDifference(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** Of a conversation's last turn, what stays when somebody answers; all of it where the answer changes what was said. */
function keptOfLast({ messages, tools }: Conversation, upTo: string, tokenizer: ChatTokenizer): number {
  const last = messages.at(-1)!;
  const call = last.role === 'assistant' ? last.tool_calls?.[0] : undefined;
  const answer: ChatMessage = call
    ? { role: 'tool', content: 'Done.', tool_call_id: call.id }
    : { role: 'user', content: 'Go on.' };
  try {
    const kept = sharedStart(upTo, tokenizer.render([...messages, answer], tools), tokenizer);
    return isEndOfSequence(upTo.slice(kept), tokenizer) ? kept : upTo.length;
  } catch (error) {
    if (error instanceof TemplateFailed) return upTo.length;
    throw error;
  }
}

/** Nothing, or added tokens and white space. */
function isEndOfSequence(text: string, { added }: ChatTokenizer): boolean {
  let rest = text.trim();
  while (rest !== '') {
    const token = [...added.values()].find((each) => each !== '' && rest.startsWith(each));
    if (token === undefined) return false;
    rest = rest.slice(token.length).trim();
  }
  return true;
}

/**
 * Behind the added token that ends the turn. Where none does: behind the one that begins what follows, because a model that
 * is asked turn by turn has to say it to stop; else behind the one that ends the sequence, or at the end of what was rendered.
 */
function endOfTurn(
  upTo: string,
  from: number,
  kept: number,
  following: string,
  tokenizer: ChatTokenizer,
): Pick<TrainedSpan, 'end' | 'ending'> {
  const { added } = tokenizer;
  const tokenBefore = (text: string) => {
    const end = text.trimEnd().length;
    const token = [...added.values()].find(
      (each) => each !== '' && end - each.length >= from && text.startsWith(each, end - each.length),
    );
    return token === undefined ? undefined : { end, ending: { by: 'token', token } as const };
  };
  const own = endsTurns(tokenizer) ? tokenBefore(upTo.slice(0, kept)) : undefined;
  if (own) return own;
  const blank = following.length - following.trimStart().length;
  const next = [...added.values()].find((each) => each !== '' && following.startsWith(each, blank));
  if (next !== undefined) return { end: kept + blank + next.length, ending: { by: 'next', token: next } };
  const ofSequence = following === '' && kept < upTo.length ? tokenBefore(upTo) : undefined;
  if (ofSequence) return ofSequence;
  const end = following === '' ? upTo.length : kept;
  const words = upTo.slice(end - 12, end);
  const text = /(?<!\s)\s+$/.exec(words)?.[0];
  return { end, ending: text === undefined ? { by: 'nothing' } : { by: 'text', text } };
}

/** Whether an added token ends a turn of words alone; else one at the end of a turn is part of its call. */
function endsTurns(tokenizer: ChatTokenizer): boolean {
  const known = endings.get(tokenizer);
  if (known !== undefined) return known;
  const said = 'q0thought';
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: said },
  ];
  let found = true;
  try {
    const upTo = tokenizer.render(messages);
    const kept = keptOfLast({ messages, turns: [], marks: [] }, upTo, tokenizer);
    const behind = upTo.slice(upTo.lastIndexOf(said) + said.length, kept).trim();
    found = behind !== '' && [...tokenizer.added.values()].some((token) => token !== '' && behind.endsWith(token));
  } catch (error) {
    if (!(error instanceof TemplateFailed)) throw error;
  }
  endings.set(tokenizer, found);
  return found;
}

const endings = new WeakMap<ChatTokenizer, boolean>();

/** What a turn says that is not in its text: names for people. */
function lostOf(message: ChatMessage, span: string): string[] {
  if (message.role !== 'assistant') return [];
  const lost: string[] = [];
  const said = (message.content ?? '').trim();
  const at = said === '' ? { start: 0, end: 0 } : shownIn(span, said);
  if (!at) lost.push(`the words (${preview(said)})`);
  // A thought that quotes the call is not the call; some templates put the call first.
  const around = at ? [span.slice(at.end), span.slice(0, at.start)] : [span];
  for (const { function: called } of message.tool_calls ?? []) {
    if (!around.some((text) => shownIn(text, called.name))) lost.push(`the name of the call (${called.name})`);
    for (const name of missingArguments(called.arguments, around)) lost.push(`the argument "${name}"`);
  }
  return lost;
}

/** What is not trained, but is what turns answer to. */
function lostOfPrompt({ messages }: Conversation, text: string): string[] {
  const lost: string[] = [];
  let from = 0;
  messages.forEach((message, i) => {
    const said = message.content ?? '';
    if (message.role === 'assistant' || said.trim() === '') return;
    const at = shownIn(text, said, from) ?? shownIn(text, said);
    if (at) from = at.end;
    else lost.push(`what the ${message.role} says in message ${i}`);
  });
  return lost;
}

function usesTools({ messages }: Conversation): boolean {
  return messages.some((message) => message.role === 'tool' || (message.role === 'assistant' && message.tool_calls));
}

const ELSE =
  'train in a view of the dialect xml or backticks, whose calls are plain text, or with a template for tools';

/** Without its tools the conversation is another text, and the names of all of them are in it. */
function showsTools({ messages, tools }: Conversation, text: string, tokenizer: ChatTokenizer): boolean {
  if (!tools?.length) return true;
  if (!tools.every((tool) => text.includes(tool.function.name))) return false;
  try {
    return tokenizer.render(messages) !== text;
  } catch (error) {
    // A template that wants tools shows them.
    if (error instanceof TemplateFailed) return true;
    throw error;
  }
}

/** What is swallowed of a conversation whose words are nowhere else, once a tokenizer: a row's own words may stand twice. */
function triedTemplate(tokenizer: ChatTokenizer): readonly string[] {
  const known = tried.get(tokenizer);
  if (known) return known;
  const found = tryTemplate(tokenizer);
  tried.set(tokenizer, found);
  return found;
}

const tried = new WeakMap<ChatTokenizer, readonly string[]>();

function tryTemplate(tokenizer: ChatTokenizer): string[] {
  const words = { one: 'q0value1', two: 'q0value2' };
  const call = { name: 'q0name', arguments: JSON.stringify(words) };
  const last = { name: 'q0last', arguments: '{}' };
  const id = 'call00001';
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: 'q0thought', tool_calls: [{ id, type: 'function', function: call }] },
    { role: 'tool', content: 'q0printed', tool_call_id: id },
    // Some leave out what was said before an answer without a call: rows end with one.
    { role: 'assistant', content: 'Done.', tool_calls: [{ id: 'call00002', type: 'function', function: last }] },
  ];
  const parameters = { type: 'object', properties: {} };
  const tool = { type: 'function', function: { name: 'q0other', description: 'does it', parameters } } as const;
  let text: string;
  try {
    text = tokenizer.render(messages, [tool]);
  } catch (error) {
    // Rows will say themselves what it refuses.
    if (error instanceof TemplateFailed) return [];
    throw error;
  }
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['the words beside calls', ['q0thought']],
    ['the names of calls', [call.name]],
    ['the arguments of calls', [...Object.keys(words), ...Object.values(words)]],
    ['what tools answer', ['q0printed']],
  ];
  return parts.filter(([, all]) => !all.every((word) => text.includes(word))).map(([what]) => what);
}

function refused(
  { messages, tools = [] }: Conversation,
  shown: readonly ChatMessage[],
  error: TemplateFailed,
  tokenizer: ChatTokenizer,
): MaskProblem {
  const answer = shown.findIndex(({ role }) => role === 'tool');
  // Where calls are refused already, the answers to them are not the reason.
  if (answer >= 0 && takes(shown.slice(0, answer), tools, tokenizer) && takes(plain(shown), [], tokenizer)) {
    return new MaskProblem(
      'template_has_no_tool_role',
      `this template has no tool role (${preview(error.message)}): ${ELSE}`,
    );
  }
  const part = shown.length === messages.length ? 'messages' : `first ${shown.length} messages`;
  return new MaskProblem('template_breaks_prefix', `the template refuses the ${part}: ${error.message}`);
}

/** The same messages with what tools say said by a user, and without calls. */
function plain(shown: readonly ChatMessage[]): ChatMessage[] {
  return shown.map((message): ChatMessage => {
    if (message.role === 'tool') return { role: 'user', content: message.content };
    return message.role === 'assistant' ? { role: 'assistant', content: message.content || 'I go on.' } : message;
  });
}

function takes(shown: readonly ChatMessage[], tools: readonly ChatTool[], tokenizer: ChatTokenizer): boolean {
  try {
    tokenizer.render(shown, tools);
    return true;
  } catch (error) {
    if (error instanceof TemplateFailed) return false;
    throw error;
  }
}

/** Names in a reason. */
const NAMED = 8;

function swallowed(conversation: Conversation, lost: readonly string[]): MaskProblem {
  const more = lost.length > NAMED ? ` and ${lost.length - NAMED} more` : '';
  const advice = usesTools(conversation) ? `; ${ELSE}` : '';
  return new MaskProblem(
    'template_swallows',
    `the template does not show ${lost.slice(0, NAMED).join(', ')}${more}${advice}`,
  );
}

function broken(reason: MaskReason, turn: ConversationTurn, how: string, expected: string, found: string): MaskProblem {
  const at = firstDifference(expected, found);
  const part = (text: string) => JSON.stringify(text.slice(at, at + 40));
  return new MaskProblem(
    reason,
    `turn ${turn.turn}: ${how} (at character ${at}: ${part(expected)} became ${part(found)})`,
  );
}

function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
