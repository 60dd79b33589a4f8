import { ALL, type ListQuery, queryHash, STATES, select, stateOf } from '../list-query';
import type { RunLine, RunList } from '../payload';
import { button, type Child, el, replace } from './dom';
import { foreignLine } from './foreign-text';
import type { Keys } from './keys';
import { type Column, columnsOf, countsOf } from './list-columns';
import { runHash } from './route';
import { VirtualList } from './virtual-list';
import { spaced } from './words';

/** All runs as a table that is filtered, sorted and walked through. */
export class ListScreen {
  readonly element: HTMLElement;
  readonly keys: Keys;
  private shown: RunLine[] = [];
  private marked = -1;
  private readonly body = el('tbody');
  private readonly counts = el('p', { class: 'counts', role: 'status' });
  private readonly head: HTMLTableRowElement;
  private readonly longest: number;
  private rows: VirtualList | undefined;

  constructor(
    private readonly list: RunList,
    private query: ListQuery,
    private readonly order: (ids: readonly string[]) => void,
  ) {
    this.longest = Math.max(1, ...list.runs.map(({ turns }) => turns?.total ?? 0));
    this.head = el('tr');
    const search = this.field(
      'text',
      'Search',
      el('input', { type: 'search', placeholder: 'instance, id, model, reason …' }),
    );
    this.element = el(
      'main',
      { class: 'list-screen', id: 'main' },
      el('header', { class: 'list-head' }, el('h1', {}, foreignLine(list.title)), this.counts),
      list.notes.map((note) => el('p', { class: 'note' }, foreignLine(note))),
      el(
        'form',
        {
          class: 'filters',
          role: 'search',
          aria: { label: 'Filters' },
          on: { submit: (event) => event.preventDefault() },
        },
        search,
        this.choices(),
        button('Clear', () => this.ask(ALL, true), { class: 'quiet' }),
      ),
      el(
        'div',
        { class: 'table-scroll' },
        el(
          'table',
          { class: 'runs' },
          el('caption', { class: 'unseen' }, 'Runs'),
          el('thead', {}, this.head),
          this.body,
        ),
      ),
    );
    this.keys = {
      next: () => this.mark(this.marked + 1),
      previous: () => this.mark(this.marked - 1),
      first: () => this.mark(0),
      last: () => this.mark(this.shown.length - 1),
      open: () => this.openMarked(),
      search: () => search.querySelector('input')?.focus(),
      back: () => this.ask(ALL, true),
    };
  }

  /** To be called once it is in the page. */
  start(): void {
    this.ask(this.query, true);
  }

  close(): void {
    this.rows?.close();
  }

  private ask(query: ListQuery, fields = false): void {
    this.query = query;
    history.replaceState(null, '', queryHash(query));
    if (fields) {
      for (const field of this.element.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-field]')) {
        field.value = String(query[field.dataset.field as keyof ListQuery]);
      }
    }
    this.shown = select(this.list.runs, query);
    this.order(this.shown.map(({ id }) => id));
    this.marked = -1;
    replace(this.counts, countsOf(this.shown, this.list.runs.length));
    replace(
      this.head,
      columnsOf(this.longest).map((column) => this.heading(column)),
    );
    this.rows?.close();
    const columns = columnsOf(this.longest);
    this.rows = new VirtualList(this.body, {
      count: this.shown.length,
      make: (index) => this.row(this.shown[index]!, index, columns),
      estimate: 34,
      spacer: () => el('tr', { class: 'spacer', aria: { hidden: true } }),
      covered: () => 60,
    });
    this.rows.render();
    if (this.shown.length === 0) {
      this.body.append(
        el(
          'tr',
          {},
          el(
            'td',
            { class: 'empty', colspan: columns.length },
            this.list.runs.length === 0 ? 'There is no run here yet.' : 'No run fits these filters.',
          ),
        ),
      );
    }
  }

  private heading({ name, sort, number: right }: Column): HTMLElement {
    const { query } = this;
    const sorted = query.sort === sort;
    const press = () => {
      // Up, down, and back to the given order.
      if (!sorted) this.ask({ ...query, sort, down: false });
      else this.ask(query.down ? { ...query, sort: 'given', down: false } : { ...query, down: true });
      this.head.querySelector<HTMLElement>(`[data-sort="${sort}"]`)?.focus();
    };
    return el(
      'th',
      {
        scope: 'col',
        class: right ? 'number' : '',
        aria: { sort: sorted ? (query.down ? 'descending' : 'ascending') : undefined },
      },
      button([name, sorted ? (query.down ? ' ↓' : ' ↑') : ''], press, { class: 'sort', data: { sort } }),
    );
  }

  private row(line: RunLine, index: number, columns: readonly Column[]): HTMLElement {
    return el(
      'tr',
      { class: index === this.marked ? 'marked' : '', data: { index } },
      columns.map(({ name, cell, number: right }) =>
        el('td', { class: right ? 'number' : '', data: { name } }, cell(line)),
      ),
    );
  }

  private mark(index: number): void {
    if (this.shown.length === 0) return;
    this.rows?.item(this.marked)?.classList.remove('marked');
    this.marked = Math.min(this.shown.length - 1, Math.max(0, index));
    this.rows?.reveal(this.marked);
    this.rows?.item(this.marked)?.classList.add('marked');
  }

  private openMarked(): void {
    const line = this.shown[this.marked];
    if (line) location.hash = runHash(line.id);
  }

  private choices(): Child[] {
    const { runs } = this.list;
    const values = (of: (line: RunLine) => string | null) =>
      [...new Set(runs.map(of))].filter((value) => value !== null).sort(byName);
    return [
      this.choice(
        'method',
        'Method',
        values(({ method }) => method),
      ),
      this.choice(
        'instance',
        'Instance',
        values(({ instance }) => instance),
      ),
      this.choice(
        'state',
        'State',
        STATES.filter((state) => runs.some((line) => stateOf(line) === state)),
      ),
      this.choice(
        'status',
        'Ending',
        values(({ status }) => status),
        spaced,
      ),
      this.choice('resolved', 'Resolved', ['yes', 'no', 'ungraded']),
      this.choice('author', 'Turns by', ['student', 'expert', 'both']),
      el(
        'fieldset',
        { class: 'range' },
        el('legend', {}, 'Switch index k'),
        this.bound('kMin', 'from'),
        this.bound('kMax', 'to'),
      ),
    ];
  }

  private choice(
    name: keyof ListQuery,
    label: string,
    values: readonly string[],
    shown = (value: string) => value,
  ): Child {
    if (values.length < 2) return null;
    const options = ['', ...values].map((value) =>
      el('option', { value }, value === '' ? 'any' : foreignLine(shown(value))),
    );
    return this.field(name, label, el('select', {}, options));
  }

  private bound(name: 'kMin' | 'kMax', label: string): HTMLElement {
    return this.field(name, label, el('input', { type: 'number', min: '0', inputmode: 'numeric' }));
  }

  private field(name: keyof ListQuery, label: string, control: HTMLInputElement | HTMLSelectElement): HTMLElement {
    control.dataset.field = name;
    control.addEventListener('input', () => this.ask({ ...this.query, [name]: control.value }));
    return el('label', { class: `field ${name}` }, el('span', {}, label), control);
  }
}

const byName = new Intl.Collator('en', { numeric: true }).compare;
