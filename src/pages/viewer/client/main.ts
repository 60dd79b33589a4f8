import { queryOf } from '../list-query';
import type { RunList } from '../payload';
import { PackedData, type PageData, ServedData } from './data';
import { button, el, replace } from './dom';
import { foreignLine } from './foreign-text';
import { type Keys, listenForKeys, showHelp } from './keys';
import { ListScreen } from './list-screen';
import { type Route, routeOf } from './route';
import { RunScreen } from './run-screen';

const POLL_MS = 3_000;

/** The page: a bar, and one screen that the address names. */
class Viewer {
  private readonly bar = el('nav', { class: 'crumbs', aria: { label: 'Where you are' } });
  private readonly place = el('div', { class: 'screen' });
  private screen: ListScreen | RunScreen | undefined;
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
      if (!this.screen) replace(this.place, el('p', { class: 'empty' }, 'Reading …'));
      this.list ??= await this.data.list();
      if (this.order.length === 0) this.order = this.list.runs.map(({ id }) => id);
      if (!current()) return;
      if (route.screen === 'list') return await this.openList(route.params, current);
      await this.openRun(route, current);
    } catch (error) {
      if (current()) this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async openList(params: URLSearchParams, current: () => boolean): Promise<void> {
    // What runs may have ended since.
    if (this.data.place === 'server') this.list = await this.data.list();
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
      go: (hash) => {
        location.hash = hash === '#/' ? this.listHash : hash;
      },
      neighbour: (by) => {
        // From where the address is by now: somebody who goes on quickly does not wait for each run to be read.
        const at = routeOf(location.hash);
        return this.order[this.order.indexOf(at.screen === 'run' ? at.id : id) + by];
      },
    });
    this.open(screen, page.line.instance);
    screen.show(tab, turn);
  }

  private open(screen: ListScreen | RunScreen, title: string): void {
    this.screen?.close();
    this.screen = screen;
    replace(this.place, screen.element);
    scrollTo(0, 0);
    document.title = `${title} · Pointsman`;
    const at = this.order.indexOf(screen instanceof RunScreen ? screen.id : '');
    replace(
      this.bar,
      el('a', { class: 'brand', href: this.listHash }, 'Pointsman'),
      screen instanceof RunScreen
        ? [
            el('span', { aria: { hidden: true } }, '/'),
            el('a', { href: this.listHash }, foreignLine(this.list?.title ?? 'Runs')),
            at < 0 ? null : el('span', { class: 'muted' }, `${at + 1} of ${this.order.length}`),
          ]
        : null,
    );
  }

  private async poll(): Promise<void> {
    const { screen } = this;
    if (document.hidden || !(screen instanceof RunScreen) || !screen.live) return;
    const page = await this.data.run(screen.id).catch(() => undefined);
    if (page && this.screen === screen) screen.update(page);
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
