import { publish, type Values } from './attributes';

/** What a run does and why it does not go on, in its search attributes and, by `show`, in its details. */
export class Phase {
  /** `paused`, or `parked: …`; undefined while it goes on. */
  waiting: string | undefined;

  constructor(
    /** What it begins with; nothing is published yet. */
    public name: string,
    private readonly show: () => void,
  ) {}

  /** Publishes the phase with what else has changed. */
  enter(name: string, changed: Values = {}): void {
    this.name = name;
    publish({ Phase: name, ...changed });
    this.show();
  }

  /** Told why nothing is begun, and undefined when it goes on. */
  wait(reason: string | undefined): void {
    this.waiting = reason;
    publish({ Phase: reason === undefined ? this.name : reason === 'paused' ? 'Paused' : 'Parked' });
    this.show();
  }
}
