import { dollars, duration, grouped } from '../../figures';
import type { RunLine, TurnView } from '../payload';
import { type Child, el } from './dom';

/** Small pieces of text and markup that several screens show alike. */

export const NOTHING = '–';

export function money(usd: number | null): string {
  return usd === null ? NOTHING : dollars(usd);
}

export function time(seconds: number | null): string {
  return seconds === null ? NOTHING : duration(seconds * 1000);
}

export function number(value: number | null): string {
  return value === null ? NOTHING : grouped(value);
}

export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

/** The verdict as a sign, a word and a colour. */
export function verdictBadge(line: RunLine, live = line.status === 'running'): HTMLElement {
  if (live) return el('span', { class: 'badge live' }, '● running');
  if (line.kind === 'setup') {
    if (line.resolved === null) return el('span', { class: 'badge' }, '○ not judged');
    return line.resolved
      ? el('span', { class: 'badge good' }, '✓ not guilty')
      : el('span', { class: 'badge bad' }, '✗ guilty');
  }
  if (line.resolved === null) return el('span', { class: 'badge' }, '○ not graded');
  return line.resolved
    ? el('span', { class: 'badge good' }, '✓ resolved')
    : el('span', { class: 'badge bad' }, '✗ not resolved');
}

const LETTERS: Readonly<Record<TurnView['who'], string>> = {
  student: 'S',
  expert: 'E',
  agent: 'A',
  verifier: 'V',
  prosecutor: 'P',
  judge: 'J',
};

/** Who acted: a letter in a coloured box, and the word. */
export function author(who: TurnView['who']): Child {
  return [
    el('span', { class: `letter ${who}`, aria: { hidden: true } }, LETTERS[who]),
    el('span', { class: `who ${who}` }, who),
  ];
}

export function facts(entries: readonly (readonly [string, Child])[]): HTMLElement {
  return el(
    'dl',
    { class: 'facts' },
    entries.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  );
}
