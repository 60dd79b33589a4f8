import { count } from '../../figures';
import { patchFiles } from '../line-diff';
import type { RunPage, TurnView } from '../payload';
import type { PageData } from './data';
import { diffFiles } from './diff-view';
import { type Child, el } from './dom';
import { folded, foreignLine } from './foreign-text';
import { NOTHING } from './words';

const STATEMENT = { head: 60, tail: 0 };

/** What the agent leaves behind. */
export function patchPart({ patch }: RunPage, data: PageData): Child {
  if (!patch) return null;
  if (patch.head === '') return el('p', { class: 'empty' }, 'The patch is empty: the work directory did not change.');
  const files = patchFiles(patch.head);
  const address = patch.blob ? data.address(patch.blob) : undefined;
  return [
    el(
      'p',
      { class: 'note' },
      'What the agent leaves behind, against the repository as it was. ',
      address ? el('a', { href: new URL(address, location.href).href, target: '_blank' }, 'As it is stored') : null,
    ),
    patch.hidden > 0
      ? el('p', { class: 'note warn-note' }, `${count(patch.hidden, 'character')} in its middle are not shown here.`)
      : null,
    files.length > 0 ? diffFiles(files) : el('pre', { class: 'text' }, foreignLine(patch.head)),
  ];
}

/** What the agent was asked for. */
export function problemPart(page: RunPage, data: PageData): Child {
  return el(
    'div',
    { class: 'problem' },
    el('p', { class: 'note' }, 'Work directory ', el('code', {}, foreignLine(page.workdir || NOTHING))),
    el(
      'div',
      { class: 'prose' },
      folded(page.statement, STATEMENT, data, async () => undefined),
    ),
  );
}

/** Who is who, and what the shading means. */
export function legend(): HTMLElement {
  const entry = (who: TurnView['who'], letter: string) =>
    el('span', {}, el('span', { class: `letter ${who}`, aria: { hidden: true } }, letter), ` ${who}`);
  return el(
    'div',
    { class: 'legend' },
    entry('student', 'S'),
    entry('expert', 'E'),
    el('span', {}, el('span', { class: 'mask-sample', aria: { hidden: true } }), ' trained'),
  );
}

/** `+3 −1`. */
export function patchSize(patch: string): string {
  const files = patchFiles(patch);
  return `+${files.reduce((sum, { added }) => sum + added, 0)} −${files.reduce((sum, { removed }) => sum + removed, 0)}`;
}
