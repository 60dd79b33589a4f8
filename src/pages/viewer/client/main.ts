import { queryOf } from '../list-query';
import type { RunList, RunPage } from '../payload';
import { PackedData, type PageData, ServedData } from './data';
import { button, el, replace } from './dom';
import { foreignLine } from './foreign-text';
import { type Keys, listenForKeys, showHelp } from './keys';
import { ListScreen } from './list-screen';
import { PairScreen } from './pair-screen';
import { type Route, routeOf } from './route';
import { RunScreen } from './run-screen';

const POLL_MS = 3_000;

type Screen = ListScreen | RunScreen | PairScreen;

/** The page: a bar, and one screen that the address names. */
class Viewer {
  private readonly bar = el('nav', { class: 'crumbs', aria: { label: 'Where you are' } });
  private readonly place = el('div', { class: 'screen' });
  private screen: Screen | undefined;
  private list: RunList | undefined;
  /** Ids in the order in which the list was last shown, and where one came from. */
  private order: readonly string[] = [];
  private listHash = '#/';
  private turn = 0;

  constructor(
    root: HTMLElement,
    private readonly data: PageData,
  ) {
    root.append(
      el('a', { class: 'skip', href: '#main', on: { click: (event) => this.skip(event) } }, 'To the content'),
      el(
        'header',
        { class: 'bar' },
        this.bar,
        el('div', { class: 'bar-tools' }, themeButton(), button('Keys ?', showHelp, { class: 'quiet' })),
      ),
      this.place,
    );
    listenForKeys(() => this.keys());
    addEventListener('hashchange', () => void this.navigate());
    if (data.place === 'server') setInterval(() => void this.poll(), POLL_MS);
    void this.navigate();
  }

  private keys(): Keys {
    return this.screen?.keys ?? {};
  }

  private async navigate(): Promise<void> {
    const route = routeOf(location.hash);
    const mine = ++this.turn;
    const current = () => mine === this.turn;
    try {
      if (route.screen === 'run' && this.screen instanceof RunScreen && this.screen.id === route.id) {
        return this.screen.show(route.tab, route.turn);
      }
      if (route.screen === 'pair' && this.screen instanceof PairScreen && this.screen.isOf(route.left, route.right)) {
        return this.screen.show(route.turn);
      }
      if (!this.screen) replace(this.place, el('p', { class: 'empty' }, 'Reading …'));
      const known = this.list !== undefined;
      this.list ??= await this.data.list();
      if (this.order.length === 0) this.order = this.list.runs.map(({ id }) => id);
      if (!current()) return;
      if (route.screen === 'list') return await this.openList(route.params, known, current);
      if (route.screen === 'pair') return await this.openPair(route, current);
      await this.openRun(route, current);
    } catch (error) {
      if (current()) this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** `known`: the list was read some time ago, and what ran then may have ended since. */
  private async openList(params: URLSearchParams, known: boolean, current: () => boolean): Promise<void> {
    if (known && this.data.place === 'server') this.list = await this.data.list();
    if (!current() || !this.list) return;
    const screen = new ListScreen(this.list, queryOf(params), (ids) => {
      this.order = ids;
      this.listHash = location.hash;
    });
    this.open(screen, this.list.title);
    screen.start();
  }

  private async openRun({ id, tab, turn }: Route & { screen: 'run' }, current: () => boolean): Promise<void> {
    const page = await this.data.run(id);
    if (!current()) return;
    const screen = new RunScreen(page, {
      data: this.data,
      runs: this.list?.runs ?? [],
      go: this.go,
      neighbour: (by) => {
        // From where the address is by now: somebody who goes on quickly does not wait for each run to be read.
        const at = routeOf(location.hash);
        return this.order[this.order.indexOf(at.screen === 'run' ? at.id : id) + by];
      },
    });
    this.open(screen, page.line.instance);
    screen.show(tab, turn);
  }

  private async openPair({ left, right, turn }: Route & { screen: 'pair' }, current: () => boolean): Promise<void> {
    const pages = await this.readPair(left, right);
    if (!current()) return;
    const screen = new PairScreen(...pages, { data: this.data, go: this.go });
    this.open(screen, `${pages[0].line.instance}, side by side`);
    screen.show(turn);
  }

  private readPair(left: string, right: string): Promise<[RunPage, RunPage]> {
    return Promise.all([this.data.run(left), this.data.run(right)]);
  }

  private readonly go = (hash: string) => {
    location.hash = hash === '#/' ? this.listHash : hash;
  };

  private open(screen: Screen, title: string): void {
    this.screen?.close();
    this.screen = screen;
    replace(this.place, screen.element);
    scrollTo(0, 0);
    document.title = `${title} · Pointsman`;
    const at = this.order.indexOf(screen instanceof RunScreen ? screen.id : '');
    replace(
      this.bar,
      el('a', { class: 'brand', href: this.listHash }, 'Pointsman'),
      screen instanceof ListScreen
        ? null
        : [
            el('span', { aria: { hidden: true } }, '/'),
            el('a', { href: this.listHash }, foreignLine(this.list?.title ?? 'Runs')),
            at < 0 ? null : el('span', { class: 'muted' }, `${at + 1} of ${this.order.length}`),
          ],
    );
  }

  private async poll(): Promise<void> {
    const { screen } = this;
    if (document.hidden || !screen || screen instanceof ListScreen || !screen.live) return;
    if (screen instanceof RunScreen) {
      const page = await this.data.run(screen.id).catch(() => undefined);
      if (page && this.screen === screen) screen.update(page);
    } else {
      const pages = await this.readPair(...screen.ids).catch(() => undefined);
      if (pages && this.screen === screen) screen.update(...pages);
    }
  }

  private fail(error: Error): void {
    this.screen?.close();
    this.screen = undefined;
    replace(this.bar, el('a', { class: 'brand', href: '#/' }, 'Pointsman'));
    replace(
      this.place,
      el(
        'main',
        { class: 'failure', id: 'main' },
        el('h1', {}, 'This cannot be shown'),
        el('p', { role: 'alert' }, foreignLine(error.message)),
        el('p', {}, el('a', { href: '#/' }, 'To the list')),
      ),
    );
  }

  private skip(event: Event): void {
    event.preventDefault();
    const main = document.getElementById('main');
    main?.setAttribute('tabindex', '-1');
    main?.focus();
  }
}

const root = document.getElementById('viewer');
if (root) new Viewer(root, root.dataset.place === 'server' ? new ServedData() : new PackedData());

const CHOICES = ['auto', 'light', 'dark'] as const;
type Choice = (typeof CHOICES)[number];
const KEY = 'pointsman-theme';

/** A button that goes through system, light and dark; the choice is kept where the browser allows it. */
function themeButton(): HTMLButtonElement {
  let choice = remembered();
  const press = () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length]!;
    remember(choice);
    show();
  };
  const control = button('', press, { class: 'quiet', title: 'Colours: as the system says, light, dark' });
  const show = () => {
    if (choice === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    replace(control, `Theme: ${choice}`);
  };
  show();
  return control;
}

function remembered(): Choice {
  try {
    const kept = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === kept) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function remember(choice: Choice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // A page from a file may not be allowed to keep anything: it then begins as the system says.
  }
}
