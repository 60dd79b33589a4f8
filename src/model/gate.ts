/** Places at servers of models that the hosts of a fleet share. */
export interface Places {
  /**
   * Waits for one of `most` places of that name, and returns the function that gives it back. Rejects with the signal's reason
   * when aborted. A place of a process that dies is free again by itself, within a minute.
   */
  take(name: string, most: number, signal?: AbortSignal): Promise<() => void>;
}

/** At most `limit` at once, first come first served: what a profile's `concurrency` means within one process. */
export class Gate {
  private inside = 0;
  private readonly waiting: Array<() => void> = [];
  constructor(private readonly limit: number) {}

  /** Waits for a place and returns the function that gives it back. Rejects with the signal's reason when aborted. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.inside >= this.limit) await this.queue(signal);
    else this.inside++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      // A place is handed over, not freed, so that nobody overtakes the queue.
      const next = this.waiting.shift();
      if (next) next();
      else this.inside--;
    };
  }

  private queue(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(admit), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(admit);
    });
  }
}
