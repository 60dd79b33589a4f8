import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../../src/sandbox/sandbox';

/** Programs in a container that take long once, so that a moment which is over at once can be hit. */
export function slowPrograms(journal: () => Journal) {
  const run = (command: string) => journal().run({ id: randomUUID(), after: '*', command, timeoutMs: 20_000 });
  return {
    /** The next call of the program takes so many seconds before it begins; those after it do not. */
    slowOnce: (program: string, seconds: number) =>
      run(
        `rm -rf /tmp/slow; cat > /usr/local/bin/${program} << 'END'\n#!/bin/sh\n` +
          `mkdir /tmp/slow 2> /dev/null && sleep ${seconds}\nexec /usr/bin/${program} "$@"\nEND\nchmod +x /usr/local/bin/${program}`,
      ),
    fastAgain: (program: string) => run(`rm /usr/local/bin/${program}`),
    /** Until the slow call has begun. */
    begun: async () => {
      while ((await journal().look('/tmp/slow')).kind === 'missing') await sleep(20);
    },
  };
}
