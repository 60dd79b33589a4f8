import { count, dollars, grouped } from '../../figures';
import type { Sort } from '../list-query';
import type { RunLine } from '../payload';
import { copyButton } from './clipboard';
import { type Child, el } from './dom';
import { foreignLine } from './foreign-text';
import { runHash } from './route';
import { money, NOTHING, number, spaced, time, verdictBadge } from './words';

export interface Column {
  readonly name: string;
  readonly sort: Sort;
  readonly number?: boolean;
  readonly cell: (line: RunLine) => Child;
}

/** `longest` is the turns of the longest run, which the bars are measured by. */
export const columnsOf = (longest: number): readonly Column[] => [
  { name: 'Verdict', sort: 'status', cell: (line) => verdictBadge(line) },
  {
    name: 'Instance',
    sort: 'instance',
    cell: (line) => [
      el('a', { class: 'run-link', href: runHash(line.id), title: line.id }, foreignLine(line.instance)),
      ' ',
      copyButton(line.id, `id ${line.id}`),
    ],
  },
  {
    name: 'Method',
    sort: 'method',
    cell: ({ method, pass }) =>
      method === null
        ? NOTHING
        : [foreignLine(method), pass === null ? null : el('span', { class: 'muted' }, ` · pass ${pass}`)],
  },
  { name: 'Who acted', sort: 'k', cell: (line) => split(line, longest) },
  {
    name: 'Ending',
    sort: 'ending',
    cell: (line) => [
      foreignLine(spaced(line.status)),
      line.note === null ? null : el('span', { class: 'row-note' }, foreignLine(line.note)),
    ],
  },
  { name: 'Training', sort: 'training', cell: (line) => training(line) },
  { name: 'Turns', sort: 'turns', number: true, cell: ({ turns }) => number(turns?.total ?? null) },
  { name: 'Cost', sort: 'cost', number: true, cell: ({ usd }) => money(usd) },
  { name: 'Time', sort: 'time', number: true, cell: ({ seconds }) => time(seconds) },
];

/** Turns of both as a bar, as long as the run beside the longest one. */
function split({ turns, k }: RunLine, longest: number): Child {
  if (!turns || turns.total === 0) return NOTHING;
  const { student, expert, total } = turns;
  const told = k === null ? '' : `, k = ${k}`;
  const bar = el('span', {
    class: 'split',
    title: `${count(student, 'student turn')}, ${count(expert, 'expert turn')}${told}`,
    aria: { hidden: true },
  });
  const width = (turn: number) => `${Math.max(turn > 0 ? 2 : 0, (turn / longest) * 96)}px`;
  for (const [who, made] of Object.entries({ student, expert, other: student + expert === 0 ? total : 0 })) {
    if (made === 0) continue;
    const piece = el('span', { class: `piece ${who}` });
    piece.style.width = width(made);
    bar.append(piece);
  }
  const words =
    student + expert === 0
      ? ''
      : [student > 0 ? `S ${grouped(student)}` : '', expert > 0 ? `E ${grouped(expert)}` : '']
          .filter(Boolean)
          .join(' · ');
  return [bar, el('span', { class: 'split-words' }, words)];
}

function training({ kind, loss, method, status, dataset }: RunLine): Child {
  if (kind !== 'rollout' || method === null || status === 'running') return NOTHING;
  return loss === null
    ? el('span', { class: 'good' }, dataset ? 'in it' : 'passes')
    : el('span', { class: 'muted', title: dataset?.detail ?? '' }, `no: ${spaced(loss)}`);
}

/** What is shown, in a sentence of figures. */
export function countsOf(lines: readonly RunLine[], all: number): string {
  const graded = lines.filter(({ resolved }) => resolved !== null);
  const resolved = graded.filter((line) => line.resolved).length;
  const usd = lines.reduce((sum, line) => sum + (line.usd ?? 0), 0);
  const turns = lines.reduce((sum, line) => sum + (line.turns?.total ?? 0), 0);
  const share = graded.length === 0 ? '' : ` (${Math.round((100 * resolved) / graded.length)} % of those graded)`;
  const some = lines.length === all ? count(all, 'run') : `${grouped(lines.length)} of ${count(all, 'run')}`;
  return `${some} · ${grouped(resolved)} resolved${share} · ${count(turns, 'turn')} · ${dollars(usd)}`;
}
