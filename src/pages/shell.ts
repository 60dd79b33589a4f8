import { createHash } from 'node:crypto';
import { type Content, Html, html, join } from './html';
import { BASE, TOKENS } from './theme';

export interface Page {
  readonly title: string;
  /** Style sheets after tokens and base. */
  readonly styles?: readonly string[];
  /** Classic scripts at the end of the body. Each is ours as a whole: nothing foreign is written into code. */
  readonly scripts?: readonly string[];
  readonly body: Content;
  /** Whether scripts may ask the server that the page came from. */
  readonly connect?: boolean;
}

/**
 * A whole page in one file: no network, no font, no image but what it holds. Its policy names each style and script by
 * hash, so that markup which got in by a mistake of ours would still not run, load or send anything.
 */
export function page({ title, styles = [], scripts = [], body, connect = false }: Page): string {
  const sheets = [TOKENS + BASE, ...styles].map(tidy);
  for (const script of scripts)
    if (/<\/script|<!--/i.test(script)) throw new TypeError('page: a script ends its element');
  const policy = policyOf({ styles: sheets, scripts, connect });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pointsman">
<title>${title}</title>
<link rel="icon" href="data:,">
${join(sheets.map((sheet) => new Html(`<style>${sheet}</style>\n`)))}</head>
<body>
${body}
${join(scripts.map((script) => new Html(`<script>${script}</script>\n`)))}</body>
</html>
`.markup;
}

/** For the meta element, and for the header of a server, which may add `frame-ancestors`. */
function policyOf(of: { styles: readonly string[]; scripts: readonly string[]; connect: boolean }): string {
  const hashes = (texts: readonly string[]) => (texts.length === 0 ? "'none'" : texts.map(hashOf).join(' '));
  return [
    "default-src 'none'",
    `style-src ${hashes(of.styles)}`,
    `script-src ${hashes(of.scripts)}`,
    'img-src data:',
    `connect-src ${of.connect ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A style sheet as it is hashed and printed. */
function tidy(sheet: string): string {
  if (/<\//.test(sheet)) throw new TypeError('page: a style ends its element');
  return sheet.trim();
}
