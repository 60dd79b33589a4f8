import { dollars, grouped } from '../../figures';
import { type CostAt, costApart } from '../cost-by-turn';
import type { RunPage } from '../payload';
import { el } from './dom';
import { runHash } from './route';
import { author } from './words';

/** The frame of the table of costs; its rows are made by `costRow`, those that are seen. */
export function costPart(page: RunPage): HTMLElement {
  const apart = costApart(page);
  const heads = ['Turn', 'By', 'Cost', 'So far', '', 'Tokens', 'Tokens so far'];
  return el(
    'div',
    { class: 'cost-part' },
    el(
      'p',
      { class: 'note' },
      'What each turn’s model call cost, and all turns until it.',
      apart === '' ? '' : ` ${apart}`,
    ),
    el(
      'table',
      { class: 'costs' },
      el('caption', { class: 'unseen' }, 'Cost by turn'),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          heads.map((name) =>
            name === ''
              ? el('td', { class: 'cost-bar' })
              : el('th', { scope: 'col', class: name === 'By' ? '' : 'number' }, name),
          ),
        ),
      ),
      el('tbody', { class: 'cost-rows' }),
    ),
  );
}

/** `whole` is the sum of all turns, which the bar is measured by. */
export function costRow(id: string, at: CostAt, whole: number): HTMLElement {
  const bar = el('span', { class: `piece ${at.who}` });
  bar.style.width = `${whole === 0 ? 0 : (at.usdSoFar / whole) * 100}%`;
  return el(
    'tr',
    { data: { turn: at.turn } },
    el('th', { scope: 'row', class: 'number' }, el('a', { href: runHash(id, at.turn) }, grouped(at.turn))),
    el('td', {}, author(at.who)),
    el('td', { class: 'number' }, dollars(at.usd)),
    el('td', { class: 'number' }, dollars(at.usdSoFar)),
    el('td', { class: 'cost-bar', aria: { hidden: true } }, bar),
    el('td', { class: 'number' }, grouped(at.tokens)),
    el('td', { class: 'number' }, grouped(at.tokensSoFar)),
  );
}
