import { el } from './dom';
import { openDialog } from './raw';

/** What keys do on the screen that is open; a name that is missing does nothing there. */
export interface Keys {
  readonly next?: () => void;
  readonly previous?: () => void;
  readonly nextRun?: () => void;
  readonly previousRun?: () => void;
  readonly first?: () => void;
  readonly last?: () => void;
  readonly open?: () => void;
  readonly search?: () => void;
  readonly nextFound?: () => void;
  readonly previousFound?: () => void;
  readonly handOver?: () => void;
  readonly fold?: (part: 'thought' | 'action' | 'output') => void;
  readonly back?: () => void;
}

const HELP: readonly (readonly [string, string])[] = [
  ['j  k', 'next and previous turn; in the list, next and previous run'],
  ['Enter', 'open the run that is marked in the list'],
  ['h  l', 'previous and next run of the list'],
  ['g  G', 'first and last turn'],
  ['x', 'next hand-over'],
  ['/', 'search: in the list, or in all texts of the run'],
  ['n  N', 'next and previous turn that was found'],
  ['t  a  o', 'fold and unfold thoughts, actions, outputs'],
  ['Esc', 'close; leave a field; back to the list'],
  ['?', 'this help'],
];

/** Listens for keys until the page goes. `current` says what they mean now. */
export function listenForKeys(current: () => Keys): void {
  document.addEventListener('keydown', (event) => {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector('dialog[open]')
    )
      return;
    const target = event.target as HTMLElement;
    if (target.closest('input, select, textarea')) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    const act = actionOf(event.key, current());
    // A focused button or link keeps Enter for itself.
    if (!act || (event.key === 'Enter' && target.closest('a, button, summary'))) return;
    event.preventDefault();
    act();
  });
}

function actionOf(key: string, keys: Keys): (() => void) | undefined {
  const table: Readonly<Record<string, (() => void) | undefined>> = {
    j: keys.next,
    k: keys.previous,
    l: keys.nextRun,
    h: keys.previousRun,
    g: keys.first,
    G: keys.last,
    x: keys.handOver,
    Enter: keys.open,
    '/': keys.search,
    n: keys.nextFound,
    N: keys.previousFound,
    t: keys.fold && (() => keys.fold?.('thought')),
    a: keys.fold && (() => keys.fold?.('action')),
    o: keys.fold && (() => keys.fold?.('output')),
    Escape: keys.back,
    '?': showHelp,
  };
  return table[key];
}

export function showHelp(): void {
  openDialog('Keys', [
    el(
      'table',
      { class: 'keys' },
      el(
        'tbody',
        {},
        HELP.map(([keys, what]) =>
          el(
            'tr',
            {},
            el(
              'th',
              { scope: 'row' },
              keys.split('  ').map((key, at) => [at === 0 ? null : ' ', el('kbd', {}, key)]),
            ),
            el('td', {}, what),
          ),
        ),
      ),
    ),
  ]);
}
