import { readdirSync, readFileSync } from 'node:fs';

/** Processes of this machine, each told from a later one of the same number by when it began. */
export function processes(): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name));
    // The words of a dead one stay until its parent asks for them; nothing runs in it.
    if (stat && stat.state !== 'Z') found.set(Number(name), stat.began);
  }
  return found;
}

function statOf(pid: number): { state: string; began: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0]!, began: fields[19]! };
  } catch {
    return undefined;
  }
}

/**
 * Ends every process that is not among `spared`. All are stopped before the first is killed, again and again until none is
 * left: one that forks faster than it is found would outlive a single round.
 */
export async function endAllBut(spared: ReadonlyMap<number, string>): Promise<void> {
  for (let round = 0; ; round++) {
    const others = [...processes()].filter(([pid, began]) => pid !== process.pid && spared.get(pid) !== began);
    if (others.length === 0) return;
    if (round === ROUNDS) throw new Error(`${others.length} processes cannot be ended`);
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      for (const [pid] of others) {
        try {
          process.kill(pid, signal);
        } catch {
          // It has ended.
        }
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ROUNDS = 500;
