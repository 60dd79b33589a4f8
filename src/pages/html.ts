/** Markup that is safe to print as it is: made by `html` out of escaped text, or written by us. */
export class Html {
  constructor(readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

/** What a template may hold: text of any origin, which is escaped; markup, which is not; nothing. */
export type Content = string | number | Html | null | undefined | false | readonly Content[];

/**
 * HTML or SVG as a template. Every value is text unless it is `Html`, so that nothing a model or a repository wrote can
 * become markup, in an element or in a quoted attribute alike. Throws on a value in an attribute without quotes, where
 * escaping would not help.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let markup = strings[0]!;
  values.forEach((value, at) => {
    if (bareAttribute(strings, at)) throw new TypeError(`html: quote the attribute: ${strings[at]!.slice(-40)}`);
    markup += markupOf(value) + strings[at + 1]!;
  });
  return new Html(markup);
}

/** Several in a row, with nothing between them. */
export function join(parts: readonly Content[]): Html {
  return new Html(parts.map(markupOf).join(''));
}

/** Attributes with a space before each; those that are null, undefined or false are left out, `true` has no value. */
export function attributes(given: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
  const written = Object.entries(given).map(([name, value]) => {
    if (!/^[a-z][a-zA-Z0-9:-]*$/.test(name)) throw new TypeError(`html: no attribute name: ${name}`);
    if (value === null || value === undefined || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`;
  });
  return new Html(written.join(''));
}

/** Text for an element or a quoted attribute: what could be markup is escaped, what would not be seen is written out. */
export function escapeText(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/**
 * Control characters, lone surrogates, and marks that reorder or hide text (Trojan Source, CVE-2021-42574) written out as
 * `\x1b`, `\u202e`, `\u{e0041}`. Tabs and line ends stay; `\r\n` becomes `\n`.
 */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSEEN, writtenOut);
}

/** An address to link to: http, https, `#here` and `data:` of ours as CSV or JSON; any other becomes `#`. */
export function safeHref(address: string): string {
  return /^(https?:\/\/|#|data:(text\/csv|application\/json)[;,])/i.test(address) ? address : '#';
}

/** Half a surrogate pair is no character: no file of UTF-8 holds it, and an address with one cannot be written. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** A value for scripts of the page, read with `JSON.parse(document.getElementById(id).textContent)`. Nothing in it ends the element. */
export function jsonScript(id: string, value: unknown): Html {
  return html`<script type="application/json" id="${id}">${new Html(jsonForScript(value))}</script>`;
}

/** JSON in which no character means anything to an HTML parser. */
export function jsonForScript(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Hangul fillers are letters to Unicode, but nothing to an eye. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

function writtenOut(character: string): string {
  const code = character.codePointAt(0)!;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}

function markupOf(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Html) return content.markup;
  if (typeof content === 'object') return content.map(markupOf).join('');
  return escapeText(String(content));
}

/** Whether the value after part `at` would stand in a tag right behind `=`. Looks at our own parts only, which are short. */
function bareAttribute(strings: readonly string[], at: number): boolean {
  if (!/=\s*$/.test(strings[at]!)) return false;
  const before = strings.slice(0, at + 1).join('');
  return before.lastIndexOf('<') > before.lastIndexOf('>');
}
