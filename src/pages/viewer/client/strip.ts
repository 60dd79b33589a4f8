import { stretches } from '../lede';
import type { TurnView } from '../payload';
import { el } from './dom';

const CELLS = 240;

/**
 * The whole run in a line: a cell a turn (of a long run, several turns a cell) in the colour of its author, raised where
 * files were edited, marked where a command failed, with a rule at each hand-over. A picture of what the list says in
 * words, so it is not read out.
 */
export class Strip {
  readonly element = el('div', { class: 'strip', aria: { hidden: true } });
  private readonly cells: HTMLElement[] = [];
  private readonly perCell: number;

  constructor(
    private readonly turns: readonly TurnView[],
    pick: (index: number) => void,
  ) {
    this.perCell = Math.max(1, Math.ceil(turns.length / CELLS));
    const starts = new Set(
      stretches(turns)
        .slice(1)
        .map(({ index }) => index),
    );
    for (let from = 0; from < turns.length; from += this.perCell) {
      const part = turns.slice(from, from + this.perCell);
      const [first, last] = [part[0]!, part.at(-1)!];
      const flags = [
        part.some(({ edit }) => edit) ? 'edits' : '',
        part.some(failed) ? 'failed' : '',
        part.some((_, at) => starts.has(from + at)) ? 'switch' : '',
        part.every(({ undoneBy }) => undoneBy !== null) ? 'undone' : '',
      ];
      const name = first === last ? `turn ${first.turn}` : `turns ${first.turn}–${last.turn}`;
      this.cells.push(
        el('span', { class: ['cell', first.who, ...flags].join(' '), title: `${name} · ${first.who}`, data: { from } }),
      );
    }
    this.element.append(...this.cells);
    this.element.addEventListener('click', (event) => {
      const from = (event.target as HTMLElement).dataset.from;
      if (from !== undefined) pick(Number(from));
    });
  }

  mark(index: number): void {
    for (const [at, cell] of this.cells.entries())
      cell.classList.toggle('here', at === Math.floor(index / this.perCell));
  }

  /** Cells in which something was found. */
  find(turns: ReadonlySet<number>): void {
    for (const [at, cell] of this.cells.entries()) {
      const part = this.turns.slice(at * this.perCell, (at + 1) * this.perCell);
      cell.classList.toggle(
        'found',
        part.some(({ turn }) => turns.has(turn)),
      );
    }
  }
}

export function failed({ exitCode, timedOutAfter }: TurnView): boolean {
  return timedOutAfter !== null || (exitCode ?? 0) !== 0;
}
