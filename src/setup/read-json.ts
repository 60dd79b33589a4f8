/**
 * The one JSON object of a model's reply: alone, in a fence, or with words around it. Throws with what is wrong.
 */
export function readJsonObject(text: string): Record<string, unknown> {
  const bare = text.replace(/<think>[\s\S]*?<\/think>/g, '').trim();
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(bare)?.[1];
  for (const candidate of [bare, fenced, outermost(bare)]) {
    if (candidate === undefined) continue;
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // The next way of reading it.
    }
  }
  throw new SyntaxError('the reply holds no JSON object');
}

/** From the first brace to the one that closes it. */
function outermost(text: string): string | undefined {
  const from = text.indexOf('{');
  if (from < 0) return undefined;
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return text.slice(from, at + 1);
  }
  return undefined;
}
