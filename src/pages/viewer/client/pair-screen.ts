import type { RunLine, RunPage, TurnView } from '../payload';
import { alignTurns, type PairRow, pairLede } from '../side-by-side';
import { copyButton } from './clipboard';
import type { PageData } from './data';
import { type Child, el, replace } from './dom';
import { foreignLine } from './foreign-text';
import type { Keys } from './keys';
import { pairHash, runHash } from './route';
import { legend } from './run-parts';
import { type Folds, foldButtons, turnCard } from './turn-card';
import { coveredBy, VirtualList } from './virtual-list';
import { money, NOTHING, number, spaced, time, verdictBadge } from './words';

interface PairContext {
  readonly data: PageData;
  readonly go: (hash: string) => void;
}

/** Two runs side by side, turn by turn: the steps that both have once, then each in a column of its own. */
export class PairScreen {
  readonly element: HTMLElement;
  readonly keys: Keys;
  private readonly summary = el('section', { class: 'summary', aria: { label: 'Summary' } });
  private readonly sticky = el('div', { class: 'sticky' });
  private readonly host = el('div', { class: 'turn-list' });
  private rows: readonly PairRow[];
  private list: VirtualList | undefined;
  private selected = 0;
  private folds: Folds = { thought: false, action: false, output: false };

  constructor(
    private left: RunPage,
    private right: RunPage,
    private readonly context: PairContext,
  ) {
    this.rows = alignTurns(left.turns, right.turns);
    this.element = el(
      'main',
      { class: 'pair-screen', id: 'main' },
      this.summary,
      this.sticky,
      el('div', { class: 'content' }, this.host),
    );
    this.keys = {
      next: () => this.select(this.selected + 1),
      previous: () => this.select(this.selected - 1),
      first: () => this.select(0),
      last: () => this.select(this.rows.length - 1),
      handOver: () => this.nextChange(),
      fold: (part) => this.fold(part),
      back: () => context.go('#/'),
    };
  }

  get ids(): readonly [string, string] {
    return [this.left.line.id, this.right.line.id];
  }

  get live(): boolean {
    return this.left.live || this.right.live;
  }

  isOf(left: string, right: string): boolean {
    return left === this.left.line.id && right === this.right.line.id;
  }

  /** To be called once it is in the page, and whenever its address changes. */
  show(turn: number | null): void {
    if (!this.list) this.draw();
    if (turn !== null && turn - 1 !== this.selected) this.select(turn - 1);
  }

  /** A newer state of the same two: what somebody reads stays where it is. */
  update(left: RunPage, right: RunPage): void {
    const before = [this.left, this.right].map(stateOf).join();
    if ([left, right].map(stateOf).join() === before) return;
    [this.left, this.right] = [left, right];
    this.rows = alignTurns(left.turns, right.turns);
    this.drawHead();
    this.list?.refresh(this.rows.length);
  }

  close(): void {
    this.list?.close();
  }

  private draw(): void {
    this.drawHead();
    if (this.rows.length === 0) {
      replace(this.host, el('p', { class: 'empty' }, 'Neither run has a turn.'));
      return;
    }
    this.list = new VirtualList(this.host, {
      count: this.rows.length,
      make: (index) => this.row(index),
      estimate: 260,
      spacer: () => el('div', { class: 'spacer' }),
      covered: () => coveredBy(this.sticky),
    });
    this.list.render();
  }

  private drawHead(): void {
    const { left, right } = this;
    replace(
      this.summary,
      el('p', { class: 'eyebrow' }, 'Side by side'),
      el('div', { class: 'title-line' }, el('h1', {}, foreignLine(left.line.instance))),
      el('p', { class: 'lede' }, pairLede(left, right)),
      factTable(left, right),
    );
    replace(
      this.sticky,
      el(
        'div',
        { class: 'turn-tools' },
        legend(),
        foldButtons(this.folds, (part) => this.fold(part)),
      ),
      el('div', { class: 'pair-names', aria: { hidden: true } }, [this.left, this.right].map(shortName)),
    );
  }

  private row(index: number): HTMLElement {
    const row = this.rows[index]!;
    const element = el('div', { class: `pair-row ${row.kind}`, data: { index } }, this.cells(row, index));
    if (index === this.selected) element.classList.add('here');
    return element;
  }

  private cells(row: PairRow, index: number): Child {
    if (row.kind === 'shared') {
      const { left, right } = row;
      const only = left.trained === right.trained ? null : left.trained ? 'A' : 'B';
      return el(
        'div',
        { class: 'half', role: 'group', aria: { label: `Turn ${left.turn} of both` } },
        only === null ? null : el('p', { class: 'note' }, `Trained in ${only} only.`),
        this.card({ ...left, trained: left.trained && right.trained }, this.left, index),
      );
    }
    return [this.half('A', row.left, this.left, index), this.half('B', row.right, this.right, index)];
  }

  private half(side: 'A' | 'B', turn: TurnView | null, page: RunPage, index: number): HTMLElement {
    return el(
      'div',
      { class: 'half', role: 'group', aria: { label: `Turn ${index + 1} of ${side}` } },
      el('span', { class: 'side-name', aria: { hidden: true } }, side),
      turn === null ? ended(page, index) : this.card(turn, page, index),
    );
  }

  private card(turn: TurnView, page: RunPage, index: number): HTMLElement {
    return turnCard(turn, page.turns[index - 1]?.who, {
      data: this.context.data,
      workdir: page.workdir,
      folds: this.folds,
      select: () => this.select(index, false),
    });
  }

  private select(wanted: number, reveal = true): void {
    if (this.rows.length === 0) return;
    const index = Math.min(this.rows.length - 1, Math.max(0, wanted));
    this.list?.item(this.selected)?.classList.remove('here');
    this.selected = index;
    if (reveal) this.list?.reveal(index, true);
    this.list?.item(index)?.classList.add('here');
    history.replaceState(null, '', pairHash(...this.ids, index + 1));
  }

  /** To where they part, or where either hands over, whichever comes next. */
  private nextChange(): void {
    const who = (index: number) => {
      const { kind, left, right } = this.rows[index]!;
      return [kind, left?.who, right?.who].join();
    };
    const changes = this.rows.flatMap((_, index) => (index > 0 && who(index) !== who(index - 1) ? [index] : []));
    const next = changes.find((index) => index > this.selected) ?? changes[0];
    if (next !== undefined) this.select(next);
  }

  private fold(part: keyof Folds): void {
    this.folds = { ...this.folds, [part]: !this.folds[part] };
    this.list?.refresh(this.rows.length);
    this.list?.reveal(this.selected, true);
    this.drawHead();
  }
}

function stateOf({ turns, live, phase }: RunPage): string {
  return `${turns.length} ${live} ${phase}`;
}

/** What stands where a run has no turn any more: said once, where it ends. */
function ended({ turns, live }: RunPage, index: number): Child {
  if (index !== turns.length) return null;
  return el('p', { class: 'note ended' }, live ? 'No further turn so far.' : 'It ended here.');
}

function shortName({ line }: RunPage, at: number): HTMLElement {
  const name = [line.method, line.pass === null ? null : `pass ${line.pass}`].filter((part) => part !== null);
  return el(
    'span',
    {},
    el('b', {}, at === 0 ? 'A' : 'B'),
    ' ',
    foreignLine(name.length > 0 ? name.join(' · ') : line.id),
  );
}

/** The figures of both, line by line; those that neither has are left out. */
function factTable(left: RunPage, right: RunPage): HTMLElement {
  const fact = (name: string, value: (line: RunLine, page: RunPage) => Child): HTMLElement | null => {
    const [one, other] = [value(left.line, left), value(right.line, right)];
    if (one === NOTHING && other === NOTHING) return null;
    return el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, one), el('td', {}, other));
  };
  const text = (value: string | null) => (value === null ? NOTHING : foreignLine(value));
  return el(
    'table',
    { class: 'pair-facts' },
    el('caption', { class: 'unseen' }, 'Both runs in figures'),
    el('thead', {}, el('tr', {}, el('td', {}), el('th', { scope: 'col' }, 'A'), el('th', { scope: 'col' }, 'B'))),
    el(
      'tbody',
      {},
      fact('Run', ({ id }) => [el('a', { href: runHash(id) }, foreignLine(id)), ' ', copyButton(id, `id ${id}`)]),
      left.line.instance === right.line.instance ? null : fact('Problem', ({ instance }) => text(instance)),
      fact('Verdict', (line, { live }) => verdictBadge(line, live)),
      fact('Method', ({ method, pass }) =>
        method === null ? NOTHING : foreignLine(pass === null ? method : `${method} · pass ${pass}`),
      ),
      fact('Student', ({ student }) => text(student)),
      fact('Expert', ({ expert }) => text(expert)),
      fact('Switch index k', ({ k }) => number(k)),
      fact('Ending', ({ status }, { live, phase }) => foreignLine(live ? (phase ?? 'running') : spaced(status))),
      fact('Turns', (_, { turns }) => number(turns.length)),
      fact('Cost', ({ usd }) => money(usd)),
      fact('Tokens', ({ tokens }) => number(tokens)),
      fact('Time', ({ seconds }) => time(seconds)),
    ),
  );
}
