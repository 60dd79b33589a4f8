/** Of work with the same name one at a time is under way in this process: the next begins when it has ended, however it did. */
export class Turns {
  private readonly ends = new Map<string, Promise<void>>();

  /** Rejects with the signal's reason as long as it waits; from then on the work itself follows the signal. */
  take<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.ends.get(name) ?? Promise.resolve();
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      const ended = before
        .then(() => {
          signal.removeEventListener('abort', giveUp);
          signal.throwIfAborted();
          return work();
        })
        .then(resolve, reject)
        .then(() => {
          if (this.ends.get(name) === ended) this.ends.delete(name);
        });
      this.ends.set(name, ended);
    });
  }
}
