/** A message as a caller sent it: nothing about it is certain. */
export interface IncomingMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

/** A request as a caller sent it. */
export interface RequestBody {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly stream?: unknown;
  readonly stream_options?: unknown;
}

/** An assistant message without what a harness may change in rendering: white space, key order, ids. */
export interface Fingerprint {
  readonly text: string;
  readonly calls: string;
}

export function fingerprintOf(message: IncomingMessage): Fingerprint {
  const content = message.content;
  const text = typeof content === 'string' ? content : content == null ? '' : JSON.stringify(content);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(callPrint).join('|') : '';
  return { text: dense(text), calls };
}

/** The same calls, and the same words where the history kept the words. */
export function matches(own: Fingerprint, said: Fingerprint): boolean {
  if (own.calls !== said.calls) return false;
  return own.text === said.text || (own.calls !== '' && said.text === '');
}

/**
 * Whether a refused reply is what the history shows. Harnesses keep its words and drop its calls, because servers refuse
 * a history with calls that have no result.
 */
export function matchesSlip(own: Fingerprint, said: Fingerprint): boolean {
  return own.text !== '' && own.text === said.text && (said.calls === '' || said.calls === own.calls);
}

/** A refused reply that no history shows as it was: nothing, terminal codes, or far too much. */
export function isUnrecognisable(own: Fingerprint): boolean {
  return own.text === '' || own.text.length > 8_000 || /\p{Cc}/u.test(own.text);
}

function callPrint(call: unknown): string {
  const fn = (call as { function?: { name?: unknown; arguments?: unknown } } | null)?.function;
  return `${String(fn?.name)}(${canonical(String(fn?.arguments ?? ''))})`;
}

function canonical(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return dense(text);
    return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch {
    return dense(text);
  }
}

/** Without white space, quotes and fences: what differs between two writers of the same action. */
function dense(text: string): string {
  return text.replace(/[\s`'"]+/g, '');
}
