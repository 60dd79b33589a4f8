export interface ListOptions {
  readonly count: number;
  readonly make: (index: number) => HTMLElement;
  /** Pixels that an item is thought to be high until it has been seen. */
  readonly estimate: number;
  /** An element that takes the place of items that are not there. */
  readonly spacer: () => HTMLElement;
  /** Pixels at the top of the window that something else covers. */
  readonly covered: () => number;
}

/** Items that are made at once whatever is seen, so that a browser's own search and paper have them all. */
const ALL_UP_TO = 250;
const AROUND = 900;
/** As in the style sheet. */
const BAR = 44;

/**
 * A list of any length in the window's own scrolling: only what is near the window is in the page, in the flow of the
 * document, between two spacers. Heights are learned as items are seen; what is in view stays where it is when they are.
 */
export class VirtualList {
  private heights: Float64Array;
  private offsets: Float64Array;
  private readonly shown = new Map<number, HTMLElement>();
  private readonly before: HTMLElement;
  private readonly after: HTMLElement;
  private count: number;
  private first = 0;
  private last = -1;
  private waiting = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: ListOptions,
  ) {
    this.count = options.count;
    this.heights = new Float64Array(this.count).fill(options.estimate);
    this.offsets = new Float64Array(this.count + 1);
    [this.before, this.after] = [options.spacer(), options.spacer()];
    host.replaceChildren(this.before, this.after);
    this.add();
    addEventListener('scroll', this.soon, { passive: true });
    addEventListener('resize', this.soon);
    addEventListener('beforeprint', this.everything);
  }

  /** The element of an item that is in the page now. */
  item(index: number): HTMLElement | undefined {
    return this.shown.get(index);
  }

  /** Makes what is in the page anew, and more where there is more. */
  refresh(count: number): void {
    const heights = new Float64Array(count).fill(this.options.estimate);
    heights.set(this.heights.subarray(0, Math.min(count, this.count)));
    [this.heights, this.offsets, this.count] = [heights, new Float64Array(count + 1), count];
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    [this.first, this.last] = [0, -1];
    this.add();
    this.render();
  }

  render(): void {
    if (!this.host.isConnected) return;
    const top = -this.host.getBoundingClientRect().top;
    const all = this.count <= ALL_UP_TO;
    const from = all ? 0 : this.indexAt(top - AROUND);
    const to = all ? this.count - 1 : this.indexAt(top + innerHeight + AROUND);
    const same = from === this.first && to === this.last;
    const anchor = same ? undefined : this.anchor();
    if (!same) this.show(from, to);
    this.measure();
    if (anchor?.element.isConnected) {
      const moved = anchor.element.getBoundingClientRect().top - anchor.top;
      if (Math.abs(moved) >= 1) scrollBy(0, moved);
    }
  }

  /** Brings an item to the top of the window, or, where it is in view already, leaves all as it is. */
  reveal(index: number, always = false): void {
    if (index < 0 || index >= this.count) return;
    const there = this.shown.get(index)?.getBoundingClientRect();
    const covered = this.options.covered();
    if (!always && there && there.top >= covered && there.bottom <= innerHeight) return;
    for (let tries = 0; tries < 3; tries++) {
      const element = this.shown.get(index);
      const top = element
        ? element.getBoundingClientRect().top
        : this.host.getBoundingClientRect().top + this.offsets[index]!;
      scrollBy(0, top - covered - 8);
      this.render();
    }
  }

  close(): void {
    removeEventListener('scroll', this.soon);
    removeEventListener('resize', this.soon);
    removeEventListener('beforeprint', this.everything);
  }

  private readonly soon = () => {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  };

  /** Paper has no scrolling; a list that would fill thousands of pages is printed as far as it is in view. */
  private readonly everything = () => {
    if (this.count <= 8 * ALL_UP_TO) this.show(0, this.count - 1);
  };

  private anchor(): { element: HTMLElement; top: number } | undefined {
    const covered = this.options.covered();
    for (let index = this.first; index <= this.last; index++) {
      const element = this.shown.get(index);
      const rect = element?.getBoundingClientRect();
      if (element && rect && rect.bottom > covered) return { element, top: rect.top };
    }
    return undefined;
  }

  private show(from: number, to: number): void {
    for (const [index, element] of this.shown) {
      if (index >= from && index <= to) continue;
      element.remove();
      this.shown.delete(index);
    }
    let next: HTMLElement = this.after;
    for (let index = to; index >= from; index--) {
      let element = this.shown.get(index);
      if (!element) {
        element = this.options.make(index);
        this.shown.set(index, element);
        this.host.insertBefore(element, next);
      }
      next = element;
    }
    [this.first, this.last] = [from, to];
  }

  private measure(): void {
    for (const [index, element] of this.shown) {
      const height = element.getBoundingClientRect().height;
      if (height > 0) this.heights[index] = height;
    }
    this.add();
    this.before.style.height = `${this.offsets[this.first]!}px`;
    this.after.style.height = `${this.offsets[this.count]! - this.offsets[this.last + 1]!}px`;
  }

  private add(): void {
    for (let index = 0; index < this.count; index++)
      this.offsets[index + 1] = this.offsets[index]! + this.heights[index]!;
  }

  /** The item at a distance from the top of the list. */
  private indexAt(distance: number): number {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle]! <= distance) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

/** Pixels at the top of the window that the bar covers, and what sticks below it where it does. */
export function coveredBy(below: HTMLElement): number {
  return BAR + (getComputedStyle(below).position === 'sticky' ? below.getBoundingClientRect().height : 0);
}
