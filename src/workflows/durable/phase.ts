import { publish, type Values } from './attributes';

/** Why a run begins nothing: a person paused it, trouble parked it, or its own rules hold it back. */
export type Waiting =
  | { readonly kind: 'paused' }
  | { readonly kind: 'parked'; readonly reason: string }
  | { readonly kind: 'held'; readonly reason: string };

const PUBLISHED = { paused: 'Paused', parked: 'Parked', held: 'Waiting' } as const;

/** `paused`, `parked: no space left`, or the rule that holds the run back. */
function inWords(waiting: Waiting): string {
  if (waiting.kind === 'paused') return 'paused';
  return waiting.kind === 'parked' ? `parked: ${waiting.reason}` : waiting.reason;
}

/** What a run does and why it does not go on: in its search attributes, and by `show` in the UI's "Current Details". */
export class Phase {
  waiting: Waiting | undefined;

  constructor(
    /** What the run begins with; nothing is published yet. */
    public name: string,
    private readonly show: () => void,
  ) {}

  /** The name, or in its place that the run waits. */
  get shown(): string {
    return this.waiting ? PUBLISHED[this.waiting.kind] : this.name;
  }

  /** Why it waits, in words; undefined while it goes on. */
  get reason(): string | undefined {
    return this.waiting && inWords(this.waiting);
  }

  /** Goes on to another phase, and publishes it with what else has changed. */
  enter(name: string, changed: Values = {}): void {
    this.name = name;
    publish({ Phase: name, ...changed });
    this.show();
  }

  /** Says why nothing is begun, and undefined when it goes on. */
  wait(waiting: Waiting | undefined): void {
    this.waiting = waiting;
    publish({ Phase: this.shown });
    this.show();
  }
}
