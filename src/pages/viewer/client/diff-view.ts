import { count } from '../../figures';
import type { DiffFile, DiffLine } from '../line-diff';
import { button, el } from './dom';
import { foreign, foreignLine } from './foreign-text';

const ROWS = 400;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' } as const;

/** Files of a difference, each with its lines. */
export function diffFiles(files: readonly DiffFile[]): HTMLElement {
  return el('div', { class: 'diff' }, files.map(fileBlock));
}

function fileBlock(file: DiffFile): HTMLElement {
  const { path, from, status, added, removed, hunks, note } = file;
  return el(
    'details',
    { class: 'diff-file', open: true },
    el(
      'summary',
      {},
      el('code', { class: 'path' }, from === null ? null : [foreignLine(from), ' → '], foreignLine(path)),
      status === 'changed' ? null : el('span', { class: 'chip' }, status),
      el(
        'span',
        { class: 'sizes' },
        el('span', { class: 'good' }, `+${added}`),
        ' ',
        el('span', { class: 'bad' }, `−${removed}`),
      ),
    ),
    note === null ? null : el('p', { class: 'note' }, note),
    hunks.map(({ label, lines }, at) => [
      at === 0 && label === '' ? null : el('div', { class: 'hunk' }, '⋯ ', foreignLine(label)),
      diffRows(lines, true),
    ]),
  );
}

/** Lines with a sign, and their numbers where the files are known. Long ones are made as far as somebody reads. */
export function diffRows(lines: readonly DiffLine[], numbered: boolean): HTMLElement {
  const table = el('div', {
    class: numbered ? 'rows numbered' : 'rows',
    role: 'group',
    aria: { label: 'changed lines' },
  });
  const box = el('div', {}, table);
  const show = (from: number) => {
    for (const line of lines.slice(from, from + ROWS)) table.append(rowOf(line, numbered));
    const left = lines.length - from - ROWS;
    if (left <= 0) return;
    const more = button(
      `Show ${count(Math.min(left, ROWS), 'more line')} of ${left}`,
      () => {
        more.remove();
        show(from + ROWS);
      },
      { class: 'more' },
    );
    box.append(more);
  };
  show(0);
  return box;
}

function rowOf({ kind, text, before, after }: DiffLine, numbered: boolean): HTMLElement {
  const number = (value: number | null) =>
    el('span', { class: 'line-number', aria: { hidden: true } }, value === null ? '' : String(value));
  return el(
    'div',
    { class: `row ${kind}` },
    numbered ? [number(before), number(after)] : null,
    el('span', { class: 'sign', aria: { hidden: true } }, SIGNS[kind]),
    el(
      'span',
      { class: 'line' },
      WORDS[kind] === '' ? null : el('span', { class: 'unseen' }, WORDS[kind]),
      foreign(text),
    ),
  );
}
