import { cutEnd } from '../rollout/clip';
import { objectsIn } from '../rollout/json';
import { splitReasoning } from '../rollout/reasoning';

/** The first JSON object of a model's reply. Throws when there is none. */
export function readJsonObject(text: string): Record<string, unknown> {
  const [object] = saidObjects(text).objects;
  if (object) return object;
  throw new SyntaxError('the reply holds no JSON object');
}

/** All outermost JSON objects of what a model said, and what stands around them. Reasoning is not looked at. */
export function saidObjects(content: string): { objects: Record<string, unknown>[]; around: string } {
  const { said, unended } = splitReasoning(content, /\{/g);
  const { found, between } = objectsIn(unended ? '' : said);
  const around = between
    .join('\n')
    .replace(/^[ \t]*`{3,}\w*[ \t\r]*$/gm, '')
    .trim();
  return { objects: found.map(({ value }) => value), around: cutEnd(around, 4000) };
}
