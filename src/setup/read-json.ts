import { cutEnd } from '../rollout/clip';

/** The first JSON object of a model's reply. Throws when there is none. */
export function readJsonObject(text: string): Record<string, unknown> {
  const [object] = objectsIn(text).objects;
  if (object) return object;
  throw new SyntaxError('the reply holds no JSON object');
}

/**
 * All outermost JSON objects of a text, and what stands around them. Reasoning that a server left in is not looked at. After
 * many brackets that begin no object, what is left is taken for text: each of them is read to where it closes.
 */
export function objectsIn(content: string): { objects: Record<string, unknown>[]; around: string } {
  const text = content.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '');
  const objects: Record<string, unknown>[] = [];
  const around: string[] = [];
  let from = 0;
  let patience = 1_000_000 + 8 * text.length;
  for (let at = text.indexOf('{'); at >= 0 && patience > 0; at = text.indexOf('{', at)) {
    const end = endOf(text, at);
    const object = end === null ? null : objectOf(text.slice(at, end));
    if (object === null || end === null) {
      patience -= (end ?? text.length) - at;
      at += 1;
      continue;
    }
    objects.push(object);
    around.push(text.slice(from, at));
    from = end;
    at = end;
  }
  around.push(text.slice(from));
  const said = around
    .join('\n')
    .replace(/^[ \t]*`{3,}\w*[ \t\r]*$/gm, '')
    .trim();
  return { objects, around: cutEnd(said, 4000) };
}

/** Just after the brace that closes the one at `start`; null when it never closes. */
function endOf(text: string, start: number): number | null {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
