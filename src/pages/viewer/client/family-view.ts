import type { FrameRecord, TrialRecord } from '../../../contract';
import { duration } from '../../figures';
import type { ForkNode, RunLine } from '../payload';
import { type Child, el } from './dom';
import { foreignLine } from './foreign-text';
import { pairHash, runHash } from './route';
import { verdictBadge } from './words';

/**
 * Other runs of the same problem: those that share steps as a tree (a stretch of shared turns, then the branches that go on
 * from it), the rest as a table. Each with its k and verdict, and the way to see it beside this one.
 */
export function othersView(own: RunLine, others: readonly RunLine[], root: ForkNode | null): HTMLElement {
  const lines = new Map([own, ...others].map((line) => [line.id, line]));
  const sharing = new Set(root ? runsIn(root) : []);
  const rest = others.filter(({ id }) => !sharing.has(id));
  return el(
    'div',
    { class: 'others' },
    el('h2', {}, 'Forks'),
    root
      ? [
          el('p', { class: 'note' }, 'Runs whose first turns are the same steps, and where they part.'),
          el('ul', { class: 'tree' }, forkItem(root, own.id, lines)),
        ]
      : el(
          'p',
          { class: 'note' },
          'No other run of this problem in the list shares a step with this one. A fork (`pointsman rollout fork`) would stand here.',
        ),
    el('h2', {}, 'Other runs of this problem'),
    rest.length === 0
      ? el('p', { class: 'note' }, root ? 'There is none that shares no step.' : 'There is none in the list.')
      : el(
          'ul',
          { class: 'other-runs' },
          rest.map((line) => el('li', {}, otherRun(line.id, own.id, 1, lines))),
        ),
  );
}

function forkItem(
  { from, to, runs, children }: ForkNode,
  own: string,
  lines: ReadonlyMap<string, RunLine>,
): HTMLElement {
  const stretch = from > to ? 'no further turn' : from === to ? `turn ${from}` : `turns ${from}–${to}`;
  return el(
    'li',
    {},
    el('span', { class: 'stretch' }, stretch),
    runs.map((run) => [' ', otherRun(run, own, Math.max(1, to), lines)]),
    children.length > 0
      ? el(
          'ul',
          {},
          children.map((child) => forkItem(child, own, lines)),
        )
      : null,
  );
}

/** One run in a word or two: name, verdict, k, and the way beside the one that is open. */
function otherRun(id: string, own: string, turn: number, lines: ReadonlyMap<string, RunLine>): Child {
  const line = lines.get(id);
  return el(
    'span',
    { class: 'other-run' },
    id === own ? el('b', { class: 'this-run' }, 'this run') : el('a', { href: runHash(id, turn) }, foreignLine(id)),
    line === undefined ? null : verdictBadge(line),
    line === undefined || line.k === null ? null : el('span', { class: 'note' }, `k = ${line.k}`),
    id === own
      ? null
      : el('a', { href: pairHash(own, id), aria: { label: `Side by side with ${id}` } }, 'side by side'),
  );
}

/** A set-up's snapshot frames: each was taken on top of its parent; a rollback left those behind that are marked. */
export function framesView(
  frames: readonly FrameRecord[],
  trials: readonly TrialRecord[],
  turnLink: (turn: number) => string,
): HTMLElement {
  const children = new Map<number | null, FrameRecord[]>();
  for (const frame of frames) children.set(frame.parent, [...(children.get(frame.parent) ?? []), frame]);
  return el(
    'div',
    {},
    el('h2', {}, 'Snapshots'),
    frames.length === 0
      ? el('p', { class: 'note' }, 'No snapshot is recorded yet.')
      : frameList(children, null, turnLink),
    trials.length === 0
      ? null
      : [el('h2', {}, 'Experience that was tried'), trials.map((trial) => trialLine(trial, turnLink))],
  );
}

/** The last child goes on below its parent; those that were left behind stand to the right. A long stack is no deep list. */
function frameList(
  children: ReadonlyMap<number | null, readonly FrameRecord[]>,
  parent: number | null,
  turnLink: (turn: number) => string,
): HTMLElement {
  const list = el('ul', { class: 'tree' });
  for (let level = children.get(parent) ?? []; level.length > 0; ) {
    for (const branch of level.slice(0, -1)) {
      list.append(
        el(
          'li',
          { class: 'branch' },
          frameLine(branch, turnLink),
          children.has(branch.index) ? frameList(children, branch.index, turnLink) : null,
        ),
      );
    }
    const trunk = level.at(-1)!;
    list.append(el('li', {}, frameLine(trunk, turnLink)));
    level = children.get(trunk.index) ?? [];
  }
  return list;
}

function frameLine(
  { label, turn, mib, seconds, rules, droppedAt }: FrameRecord,
  turnLink: (turn: number) => string,
): Child {
  const stands = droppedAt === null;
  return el(
    'span',
    { class: stands ? 'frame' : 'frame dropped' },
    el('span', { class: stands ? 'good' : 'bad' }, stands ? '● ' : '✗ '),
    foreignLine(label),
    el(
      'span',
      { class: 'note' },
      turn === 0 ? ' at the start' : [' before ', el('a', { href: turnLink(turn) }, `turn ${turn}`)],
      ` · ${mib.toFixed(1)} MiB · ${duration(seconds * 1000)}`,
      rules.length > 0 ? [' · ', foreignLine(rules.join(', '))] : null,
    ),
    stands
      ? null
      : el(
          'span',
          { class: 'note' },
          ' · rolled back in ',
          el('a', { href: turnLink(droppedAt) }, `turn ${droppedAt}`),
        ),
  );
}

function trialLine(
  { turn, unit, command, outcome, kept }: TrialRecord,
  turnLink: (turn: number) => string,
): HTMLElement {
  const tone = outcome === 'success' ? 'good' : outcome === 'failure' ? 'bad' : 'muted';
  return el(
    'p',
    { class: 'trial' },
    el('a', { href: turnLink(turn) }, `turn ${turn}`),
    ' ',
    el('code', {}, foreignLine(unit)),
    ' ',
    el('span', { class: tone }, `${outcome}, ${kept ? 'kept' : 'rolled back'}`),
    el('code', { class: 'trial-command' }, foreignLine(command)),
  );
}

/** Ids of the runs that a tree holds. */
function runsIn({ runs, children }: ForkNode): readonly string[] {
  return [...runs, ...children.flatMap(runsIn)];
}
