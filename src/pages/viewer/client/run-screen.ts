import { costByTurn } from '../cost-by-turn';
import { stretches } from '../lede';
import type { ForkNode, RunLine, RunPage } from '../payload';
import { Aside } from './aside';
import { costPart, costRow } from './cost-view';
import type { PageData } from './data';
import { type Child, el, replace } from './dom';
import { framesView, othersView } from './family-view';
import type { Keys } from './keys';
import { PersonBox } from './person-box';
import { runHash, type Tab } from './route';
import { legend, patchPart, patchSize, problemPart } from './run-parts';
import { runSummary } from './run-summary';
import { Strip } from './strip';
import { testsView } from './tests-view';
import { type Folds, foldButtons, refusedPart, turnCard } from './turn-card';
import { TurnSearch } from './turn-search';
import { coveredBy, VirtualList } from './virtual-list';
import { money } from './words';

export interface RunContext {
  readonly data: PageData;
  /** The lines of the list. */
  readonly runs: readonly RunLine[];
  readonly go: (hash: string) => void;
  /** The run before or after in the list that one came from. */
  readonly neighbour: (by: 1 | -1) => string | undefined;
}

/** One run: what it is and how it went, then its turns, patch, tests, problem and family. */
export class RunScreen {
  readonly element: HTMLElement;
  readonly keys: Keys;
  private readonly tabs = el('nav', { class: 'tabs', aria: { label: 'Parts of the run' } });
  private readonly summary = el('section', { class: 'summary', aria: { label: 'Summary' } });
  private readonly sticky = el('div', { class: 'sticky' });
  private readonly content = el('div', { class: 'content' });
  private readonly search = new TurnSearch({
    find: (words) => this.context.data.search(this.id, words),
    mark: (turns) => this.strip?.find(turns),
    at: () => this.page.turns[this.selected]?.turn ?? 0,
    goTo: (turn) =>
      this.select(
        this.page.turns.findIndex((each) => each.turn === turn),
        true,
      ),
  });
  private readonly family: Promise<ForkNode | null>;
  private readonly person: PersonBox;
  /** Other runs of the same problem. */
  private readonly others: readonly RunLine[];
  private list: VirtualList | undefined;
  private strip: Strip | undefined;
  private aside: Aside;
  private tab: Tab = 'turns';
  private selected = -1;
  /** Whether there is room beside the turns for what is known of the selected one; else it stands below it. */
  private readonly narrow = matchMedia('(max-width: 999px)');
  private folds: Folds = { thought: false, action: false, output: false };

  constructor(
    private page: RunPage,
    private readonly context: RunContext,
  ) {
    const { data } = context;
    const { id } = page.line;
    this.aside = this.newAside();
    this.narrow.addEventListener('change', this.placeAside);
    this.others = context.runs.filter((each) => each.id !== id && isSameProblem(each, page.line));
    this.family = page.line.kind === 'rollout' ? data.forks(id).catch(() => null) : Promise.resolve(null);
    this.person = new PersonBox({ data, id, made: () => void this.look() });
    this.person.update(page.awaiting);
    this.element = el(
      'main',
      { class: 'run-screen', id: 'main' },
      this.summary,
      this.sticky,
      this.content,
      this.person.element,
    );
    this.keys = {
      next: () => this.select(this.selected + 1, true),
      previous: () => this.select(this.selected - 1, true),
      first: () => this.select(0, true),
      last: () => this.select(this.page.turns.length - 1, true),
      nextRun: () => this.leave(1),
      previousRun: () => this.leave(-1),
      handOver: () => this.nextHandOver(),
      search: () => this.search.focus(),
      nextFound: () => this.search.walk(1),
      previousFound: () => this.search.walk(-1),
      fold: (part) => this.fold(part),
      back: () => context.go('#/'),
    };
  }

  get live(): boolean {
    return this.page.live;
  }

  get id(): string {
    return this.page.line.id;
  }

  /** Shows a part of it; to be called once it is in the page, and whenever its address changes. */
  show(tab: Tab, turn: number | null): void {
    if (this.content.childElementCount === 0 || tab !== this.tab) {
      this.tab = tab;
      this.draw();
    }
    const index = turn === null ? -1 : this.page.turns.findIndex((each) => each.turn === turn);
    if (index >= 0 && index !== this.selected) this.select(index, true);
    else if (this.selected < 0 && tab === 'turns') this.select(0, false, false);
  }

  /** A newer state of the same run: what somebody reads stays where it is. */
  update(page: RunPage): void {
    const grown = page.turns.length !== this.page.turns.length;
    const same = !grown && page.live === this.page.live && page.phase === this.page.phase;
    const following = this.selected === this.page.turns.length - 1;
    this.page = page;
    this.person.update(page.awaiting);
    if (same) return;
    if (this.tab !== 'turns' || !this.list) {
      this.draw();
      return;
    }
    replace(this.summary, runSummary(this.page));
    this.aside = this.newAside(this.aside);
    this.list.refresh(page.turns.length);
    this.drawSticky();
    if (following && grown) this.select(page.turns.length - 1, true);
    else this.strip?.mark(this.selected);
  }

  close(): void {
    this.narrow.removeEventListener('change', this.placeAside);
    this.list?.close();
  }

  /** At once, and not with the next look: somebody waits for what came of a turn. */
  private async look(): Promise<void> {
    const page = await this.context.data.run(this.id).catch(() => undefined);
    if (page) this.update(page);
  }

  private newAside(before?: Aside): Aside {
    const { data } = this.context;
    const made = new Aside(
      this.page,
      data,
      data.events(this.page.line.id).catch(() => ({ history: null, runId: null, turns: {} })),
    );
    before?.element.replaceWith(made.element);
    const turn = this.page.turns[this.selected];
    if (before && turn) made.show(turn);
    return made;
  }

  private draw(): void {
    this.list?.close();
    this.list = undefined;
    replace(this.summary, runSummary(this.page));
    this.drawSticky();
    replace(this.content, this.body());
    this.list = this.tab === 'turns' ? this.turnList() : this.tab === 'cost' ? this.costList() : undefined;
    this.list?.render();
  }

  private drawSticky(): void {
    const { page } = this;
    this.strip = this.tab === 'turns' ? new Strip(page.turns, (index) => this.select(index, true)) : undefined;
    if (this.selected >= 0) this.strip?.mark(this.selected);
    this.drawTabs();
    const tools =
      this.tab === 'turns'
        ? el(
            'div',
            { class: 'turn-tools' },
            page.line.kind === 'rollout' ? legend() : null,
            foldButtons(this.folds, (part) => this.fold(part)),
            this.search.element,
          )
        : null;
    replace(this.sticky, this.tabs, this.strip?.element, tools);
  }

  private drawTabs(): void {
    const { page } = this;
    const { line, grade } = page;
    const size = page.patch ? patchSize(page.patch.head) : '';
    const groups = grade?.groups.slice(0, 2).map(({ passed, total }) => `${passed}/${total}`) ?? [];
    const named: readonly (readonly [Tab, string, boolean])[] = [
      ['turns', `Turns (${page.turns.length})`, true],
      ['patch', `Patch ${size}`, page.patch !== null],
      ['tests', `Tests ${groups.join(' · ')}`, grade !== null],
      ['cost', `Cost ${line.usd === null ? '' : money(line.usd)}`, page.turns.length > 0],
      ['problem', 'Problem', line.kind === 'rollout'],
      [
        'family',
        line.kind === 'setup' ? `Snapshots (${page.frames.length})` : `Related runs (${this.others.length})`,
        true,
      ],
    ];
    replace(
      this.tabs,
      named.map(([tab, label, there]) =>
        there
          ? el('a', { href: runHash(line.id, tab), aria: { current: tab === this.tab ? 'page' : undefined } }, label)
          : null,
      ),
    );
  }

  private body(): Child {
    const { page, context } = this;
    const { data } = context;
    switch (this.tab) {
      case 'turns':
        return el('div', {}, this.turnsBody(), this.unread());
      case 'patch':
        return page.patch ? patchPart(page, data) : el('p', { class: 'empty' }, 'There is no patch.');
      case 'tests':
        return page.grade ? testsView(page.grade, data) : el('p', { class: 'empty' }, 'It was not graded.');
      case 'cost':
        return costPart(page);
      case 'problem':
        return problemPart(page, data);
      case 'family':
        return this.familyBody();
      default:
        return this.tab satisfies never;
    }
  }

  private turnsBody(): Child {
    const { page } = this;
    return page.turns.length === 0
      ? el(
          'p',
          { class: 'empty' },
          page.live
            ? 'No turn has been made yet.'
            : 'There is no trajectory: no turn was made, or its store is not here.',
        )
      : el('div', { class: 'columns' }, el('div', { class: 'turn-list' }), this.aside.element);
  }

  /** Replies to a turn that was never made: they are why the run, or the student's part, ended. */
  private unread(): Child {
    const { page, context } = this;
    if (page.refused.length === 0) return null;
    return el(
      'article',
      { class: 'turn', aria: { label: 'Replies that could not be read' } },
      page.refused.map((refused, at) => refusedPart(refused, at + 1, context.data)),
    );
  }

  private familyBody(): Child {
    const { page } = this;
    if (page.line.kind === 'setup') return framesView(page.frames, page.trials, (turn) => runHash(page.line.id, turn));
    const place = el('div', {}, el('p', { class: 'note' }, 'Looking …'));
    void this.family.then((forks) => replace(place, othersView(page.line, this.others, forks)));
    return place;
  }

  private turnList(): VirtualList | undefined {
    const host = this.content.querySelector<HTMLElement>('.turn-list');
    if (!host) return undefined;
    return new VirtualList(host, {
      count: this.page.turns.length,
      make: (index) => this.card(index),
      estimate: 260,
      spacer: () => el('div', { class: 'spacer' }),
      covered: () => coveredBy(this.sticky),
    });
  }

  private costList(): VirtualList | undefined {
    const host = this.content.querySelector<HTMLElement>('.cost-rows');
    if (!host) return undefined;
    const costs = costByTurn(this.page.turns);
    const whole = costs.at(-1)?.usdSoFar ?? 0;
    return new VirtualList(host, {
      count: costs.length,
      make: (index) => costRow(this.id, costs[index]!, whole),
      estimate: 30,
      spacer: () => el('tr', { class: 'spacer', aria: { hidden: true } }),
      covered: () => coveredBy(this.sticky),
    });
  }

  private card(index: number): HTMLElement {
    const { turns, workdir } = this.page;
    const item = turnCard(turns[index]!, turns[index - 1]?.who, {
      data: this.context.data,
      workdir,
      folds: this.folds,
      select: () => this.select(index, false),
    });
    if (index === this.selected) {
      item.classList.add('selected');
      if (this.narrow.matches) item.append(this.aside.element);
    }
    return item;
  }

  /** Marks a turn and, where asked, brings it into view; its address can then be copied from the browser. */
  private select(wanted: number, reveal: boolean, address = true): void {
    const { turns } = this.page;
    if (turns.length === 0) return;
    const index = Math.min(turns.length - 1, Math.max(0, wanted));
    if (this.tab !== 'turns') return;
    const topOf = () => this.list?.item(index)?.getBoundingClientRect().top ?? 0;
    const before = topOf();
    this.list?.item(this.selected)?.classList.remove('selected');
    this.selected = index;
    this.placeAside();
    this.aside.show(turns[index]!);
    if (reveal) this.list?.reveal(index, true);
    // What left its place above does not move what somebody clicked on.
    else scrollBy(0, topOf() - before);
    this.list?.item(index)?.classList.add('selected');
    this.strip?.mark(index);
    if (address) history.replaceState(null, '', runHash(this.page.line.id, turns[index]!.turn));
  }

  private readonly placeAside = () => {
    const { element } = this.aside;
    const place = this.narrow.matches
      ? this.list?.item(this.selected)
      : this.content.querySelector<HTMLElement>('.columns');
    if (!place) element.remove();
    else if (element.parentElement !== place) place.append(element);
  };

  private leave(by: 1 | -1): void {
    const next = this.context.neighbour(by);
    if (next !== undefined) this.context.go(runHash(next));
  }

  private nextHandOver(): void {
    const starts = stretches(this.page.turns)
      .slice(1)
      .map(({ index }) => index);
    const next = starts.find((index) => index > this.selected) ?? starts[0];
    if (next !== undefined) this.select(next, true);
  }

  private fold(part: keyof Folds): void {
    if (this.tab !== 'turns' || !this.list) return;
    this.folds = { ...this.folds, [part]: !this.folds[part] };
    this.list.refresh(this.page.turns.length);
    this.list.reveal(Math.max(0, this.selected), true);
    this.drawSticky();
  }
}

function isSameProblem(one: RunLine, other: RunLine): boolean {
  return one.kind === other.kind && one.instance === other.instance;
}
