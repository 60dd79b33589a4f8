import fc from 'fast-check';
import {
  attributes,
  escapeText,
  Html,
  html,
  join,
  jsonForScript,
  jsonScript,
  safeHref,
  visible,
} from '../../src/pages/html';
import { codePoint } from '../support/code-points';

const BACK: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => BACK[entity]!);

test('text is text in elements and attributes, markup of ours stays markup, nothing is nothing', () => {
  const link = html`<a href="${'"><script>'}">${'<b>'}</a>`;
  expect(link.markup).toBe('<a href="&quot;&gt;&lt;script&gt;">&lt;b&gt;</a>');
  expect(html`<p>${link}${null}${undefined}${false}${0}</p>`.markup).toBe(`<p>${link.markup}0</p>`);
  expect(html`<ul>${['<', html`<li>`, ['&']]}</ul>`.markup).toBe('<ul>&lt;<li>&amp;</ul>');
  expect(join(['a', html`<br>`]).markup).toBe('a<br>');
});

test('a value in an attribute without quotes is refused: escaping would not help there', () => {
  expect(() => html`<a href=${'x'}>`).toThrow(/quote the attribute/);
  expect(() => html`<a class="${'x'}" href = ${'x'}>`).toThrow(/quote the attribute/);
  expect(html`<p>k = ${1}</p>`.markup).toBe('<p>k = 1</p>');
  expect(html`<p>${'a'} = ${1}</p>`.markup).toBe('<p>a = 1</p>');
});

test('any text comes out without a character that a parser acts on, and can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      const escaped = escapeText(text);
      expect(escaped).not.toMatch(/[<>"']/);
      expect(unescaped(escaped)).toBe(visible(text));
    }),
  );
});

test('what an eye would not see is written out, what it does see is left', () => {
  expect(visible(`a\u202eb\u0000\u001b[31m\r\n\ttab \u200b${String.fromCharCode(0xd800)}\u{e0041}\u3164`)).toBe(
    'a\\u202eb\\x00\\x1b[31m\n\ttab \\u200b\\ud800\\u{e0041}\\u3164',
  );
  expect(visible('Zürich 東京 😀 a\u00a0b')).toBe('Zürich 東京 😀 a\u00a0b');
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      expect(visible(text)).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('attributes: those without a value are left out, names are names', () => {
  expect(attributes({ id: 'a"b', hidden: true, title: null, lang: undefined, open: false, width: 0 }).markup).toBe(
    ' id="a&quot;b" hidden width="0"',
  );
  expect(() => attributes({ 'onclick="x" y': '1' })).toThrow(/no attribute name/);
});

test('addresses that run something lead nowhere', () => {
  for (const bad of [
    'javascript:alert(1)',
    ' javascript:1',
    'JaVaScript:1',
    'data:text/html,<script>',
    'vbscript:x',
    '//x.example',
    'file:///etc/passwd',
  ])
    expect(safeHref(bad)).toBe('#');
  for (const good of [
    'https://example.org/a?b#c',
    'http://127.0.0.1:8233/x',
    '#part',
    'data:text/csv;charset=utf-8,a',
    'data:application/json,%7B%7D',
  ])
    expect(safeHref(good)).toBe(good);
});

test('JSON in a script cannot end it, and is the same value', () => {
  const hostile = { a: '</script><script>alert(1)</script>', b: '<!--', c: '\u2028 & ]]>' };
  expect(jsonScript('data', hostile).markup).not.toMatch(/<\/script>.*<\/script>/);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = jsonForScript(value);
      expect(text).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('Html is only what templates and we made', () => {
  expect(html`<i>${new Html('<b></b>')}</i>`.markup).toBe('<i><b></b></i>');
});
