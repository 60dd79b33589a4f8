/** What a model thought before it spoke, split from what it said. */

export interface Spoken {
  /** The reasoning without its tags; empty where there is none. */
  readonly reasoning: string;
  readonly said: string;
  /** It began to think and never ended: nothing of it was meant for anybody. */
  readonly unended: boolean;
  /**
   * Only the end of the reasoning was there, as of models whose prompt ends with the tag that opens it. It may as well be
   * text that holds such a tag.
   */
  readonly unopened: boolean;
}

/** How models mark their reasoning when the server leaves it in the text. A row a family. */
const MARKS: readonly (readonly [open: RegExp, close: RegExp])[] = [
  // DeepSeek R1, Qwen 3, GLM, MiniMax and most others; Seed-OSS with a name before the colon.
  [/<(?:[a-z]{1,10}:)?think(?:ing)?>/, /<\/(?:[a-z]{1,10}:)?think(?:ing)?>/],
  [/<reasoning>/, /<\/reasoning>/],
  // Magistral.
  [/\[THINK\]/, /\[\/THINK\]/],
  // Kimi.
  [/◁think▷/, /◁\/think▷/],
  // Command A.
  [/<\|START_THINKING\|>/, /<\|END_THINKING\|>/],
  // Gemma 4.
  [/<\|channel>(?:thought\n)?/, /<channel\|>/],
  // OpenThinker, Sky-T1.
  [/<\|begin_of_thought\|>/, /<\|end_of_thought\|>/],
  // gpt-oss: a channel of its own, and the header of the one that follows.
  [
    /(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>/,
    /<\|(?:end|return)\|>(?:<\|start\|>assistant)?(?:<\|channel\|>final<\|message\|>)?/,
  ],
];

/** A mark in quotation marks is talked about. */
const OPEN = new RegExp(`(?<![\`'"\\w])(?:${MARKS.map(([open]) => open.source).join('|')})`, 'g');
const CLOSE = new RegExp(MARKS.map(([, close]) => close.source).join('|'), 'g');
const PAIRS = MARKS.map(([open, close]) => ({
  open: new RegExp(`^(?:${open.source})$`),
  close: new RegExp(close.source, 'g'),
}));

/**
 * Splits off what stands between marks of reasoning, up to where `call` (a global expression) finds that a call begins:
 * what follows are its values, which may well hold such a mark. All that stands before a mark that only ends reasoning was
 * reasoning.
 */
export function splitReasoning(content: string, call?: RegExp): Spoken {
  const reasoning: string[] = [];
  const said: string[] = [];
  const ended = (rest: string, unended = false): Spoken => ({
    reasoning: joined(reasoning),
    said: reasoning.length === 0 ? rest : [...said, rest].join('').trimStart(),
    unended,
    unopened,
  });
  let at = 0;
  const close = after(CLOSE, content, 0);
  const unopened = close !== undefined && startOf(OPEN, content, 0) > close.index;
  if (unopened) {
    reasoning.push(content.slice(0, close.index));
    at = close.end;
  }
  let acts = call ? startOf(call, content, at) : Number.POSITIVE_INFINITY;
  for (;;) {
    const open = after(OPEN, content, at);
    if (acts < at) acts = startOf(call!, content, at);
    if (!open || acts < open.index) return ended(content.slice(at));
    said.push(content.slice(at, open.index));
    const end = after(PAIRS.find((pair) => pair.open.test(open.text))!.close, content, open.end);
    reasoning.push(content.slice(open.end, end?.index));
    if (!end) return ended('', true);
    at = end.end;
  }
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

function after(pattern: RegExp, text: string, from: number) {
  pattern.lastIndex = from;
  const hit = pattern.exec(text);
  return hit ? { index: hit.index, end: hit.index + hit[0].length, text: hit[0] } : undefined;
}

function startOf(pattern: RegExp, text: string, from: number): number {
  return after(pattern, text, from)?.index ?? Number.POSITIVE_INFINITY;
}
