import { count } from '../../figures';
import { commandsOf } from '../commands';
import { ledeOf } from '../lede';
import type { RunLine, RunPage } from '../payload';
import { commandList, hashFact } from './aside';
import { copyButton } from './clipboard';
import { type Child, el } from './dom';
import { foreignLine } from './foreign-text';
import { facts, money, NOTHING, spaced, time, verdictBadge } from './words';

const PASSES =
  'By its result. Whether it repeats itself, and what else is in the set, is judged when a data set is made.';

/** What a run is and how it went, before any of its turns. */
export function runSummary(page: RunPage): Child {
  const { line } = page;
  const trained = page.turns.filter((turn) => turn.trained).length;
  const eyebrow = [
    line.kind === 'setup' ? 'Set-up' : (line.method ?? 'Rollout'),
    line.pass === null ? '' : `pass ${line.pass}`,
  ].filter(Boolean);
  const models =
    line.kind === 'setup'
      ? [['Agent', line.student] as const]
      : [['Student', line.student] as const, ['Expert', line.expert] as const];
  return [
    el(
      'p',
      { class: 'eyebrow' },
      foreignLine(eyebrow.join(' · ')),
      ' ',
      el('code', {}, foreignLine(line.id)),
      ' ',
      copyButton(line.id, 'id of the run'),
    ),
    el('div', { class: 'title-line' }, el('h1', {}, foreignLine(line.instance)), verdictBadge(line, page.live)),
    el('p', { class: 'lede' }, ledeOf(page)),
    page.trouble ? el('p', { class: 'trouble', role: 'alert' }, foreignLine(page.trouble)) : null,
    facts([
      ...models.flatMap(([name, value]) => (value === null ? [] : [[name, foreignLine(value)] as const])),
      ['Ending', foreignLine(page.live ? (page.phase ?? 'running') : spaced(line.status))],
      ['Turns', turnCounts(line.turns)],
      ['Cost', money(line.usd)],
      ['Tokens', line.tokens === null ? NOTHING : count(line.tokens, 'token')],
      ['Time', time(line.seconds)],
      ...(line.kind === 'rollout'
        ? [[line.dataset ? 'Data set' : 'In a training set', training(page, trained)] as const]
        : []),
      ...(line.note === null ? [] : [['Note', foreignLine(line.note)] as const]),
      ...(page.head === null ? [] : [['Head', hashFact(page.head, 'hash of the head')] as const]),
      ['More', [links(page), commandList(commandsOf(page, null))]],
    ]),
  ];
}

function turnCounts(turns: RunPage['line']['turns']): string {
  if (!turns) return NOTHING;
  const parts = [
    turns.student > 0 ? `${turns.student} student` : '',
    turns.expert > 0 ? `${turns.expert} expert` : '',
  ].filter(Boolean);
  const refused = turns.refused > 0 ? `, ${count(turns.refused, 'refused reply', 'refused replies')}` : '';
  return `${turns.total}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}${refused}`;
}

function training({ line, live }: RunPage, trained: number): Child {
  if (live || line.method === null) return `${count(trained, 'turn')} would be trained`;
  if (line.dataset) return inDataset(line.dataset, line.loss, trained);
  if (line.loss !== null) return el('span', {}, el('b', {}, 'no'), `: ${spaced(line.loss)}`);
  return trained === 0
    ? [el('b', {}, 'no'), ': no turn of an expert']
    : [el('b', { title: PASSES }, 'passes so far'), `; ${count(trained, 'trained turn')}`];
}

function inDataset({ name, detail }: NonNullable<RunLine['dataset']>, loss: string | null, trained: number): Child {
  const [answer, about] =
    loss === null ? ['in', `; ${count(trained, 'trained turn')}`] : ['not in', `: ${spaced(loss)}`];
  const shown = detail === null || detail === '' ? null : foreignLine(` (${detail})`);
  return el('span', {}, el('b', {}, answer), ' ', foreignLine(name), about, shown);
}

/** Paths of this machine mean nothing to a reader elsewhere: only addresses are links. */
function links({ links: given }: RunPage): Child[] {
  return given
    .filter(([, target]) => /^https?:/.test(target))
    .map(([label, target]) =>
      el('a', { href: target, target: '_blank', class: 'outside' }, label === 'UI' ? 'Temporal UI' : label),
    );
}
