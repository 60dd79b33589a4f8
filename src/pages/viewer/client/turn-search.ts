import { count } from '../../figures';
import { el, replace } from './dom';

/** The run that is searched, as far as the search needs it. */
export interface Searched {
  /** Turns that hold the words. */
  find(words: string): Promise<number[]>;
  mark(turns: ReadonlySet<number>): void;
  /** The turn that is read now. */
  at(): number;
  goTo(turn: number): void;
}

/** The field that searches all texts of a run, and the walk through the turns that it found. */
export class TurnSearch {
  readonly element: HTMLElement;
  private readonly found = el('span', { class: 'note', role: 'status' });
  private readonly field = el('input', {
    type: 'search',
    placeholder: 'Search the turns',
    aria: { label: 'Search all texts of this run' },
  });
  private matches: number[] = [];

  constructor(private readonly run: Searched) {
    this.element = el('div', { class: 'turn-search' }, this.field, this.found);
    this.field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      void this.search(this.field.value.trim());
    });
    this.field.addEventListener('search', () => this.field.value === '' && void this.search(''));
  }

  focus(): void {
    this.field.focus();
  }

  /** To the next turn that was found, and around. `here` counts the one that is read as the next. */
  walk(by: 1 | -1, here = false): void {
    if (this.matches.length === 0) return;
    const at = this.run.at();
    const ahead = this.matches.filter((turn) => (by === 1 ? turn > at || (here && turn === at) : turn < at));
    const turn = by === 1 ? (ahead[0] ?? this.matches[0]!) : (ahead.at(-1) ?? this.matches.at(-1)!);
    replace(this.found, `${this.matches.indexOf(turn) + 1} of ${count(this.matches.length, 'turn')}`);
    this.run.goTo(turn);
  }

  private async search(words: string): Promise<void> {
    if (words === '') this.matches = [];
    else {
      replace(this.found, 'Searching …');
      this.matches = await this.run.find(words).catch(() => []);
    }
    this.run.mark(new Set(this.matches));
    if (this.matches.length === 0) return replace(this.found, words === '' ? '' : 'Not found');
    this.field.blur();
    this.walk(1, true);
  }
}
