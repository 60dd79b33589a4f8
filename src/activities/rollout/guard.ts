import type { Lease } from '../../contract';
import type { Deps } from '../../deps';
import type { Journal } from '../../sandbox/sandbox';

export interface Guarded {
  readonly lease: Lease;
  /** Name of the journal's job. */
  readonly job: string;
}

/** Most seldom, where nothing is written; and most often. */
const DISK_POLL_MS = { idle: 5_000, busy: 200 };
/** Asking walks all that was written: it takes at most this part of the time. */
const POLL_SHARE = 0.1;

/**
 * Runs one journal job under the rules that every command of an agent has: a cancelled run's command is killed, one whose
 * worker only shuts down goes on, and whoever takes the activity over follows it; one that fills the disk is killed.
 */
export function createGuard({ sandboxes }: Pick<Deps, 'sandboxes'>) {
  return async function guarded<T>(
    { lease, job }: Guarded,
    signal: AbortSignal,
    work: (journal: Journal) => Promise<T>,
  ): Promise<{ value: T; full: boolean }> {
    const sandbox = sandboxes.at(lease.container);
    const kill = () => isFinal(signal.reason) && void sandbox.kill(job);
    signal.addEventListener('abort', kill, { once: true });
    let full = false;
    const limit = lease.diskMiB * 1024 * 1024;
    let before: { written: number; at: number } | undefined;
    const poll = async () => {
      const at = performance.now();
      const written = await sandbox.writtenBytes().catch(() => 0);
      if (written >= limit) {
        full = true;
        await sandbox.kill(job).catch(() => {});
      }
      const took = performance.now() - at;
      const rate = before ? Math.max(0, written - before.written) / (at - before.at) : 0;
      before = { written, at };
      if (!ended) disk = setTimeout(poll, nextPoll(limit - written, rate, took)).unref();
    };
    let ended = false;
    let disk = setTimeout(poll, DISK_POLL_MS.busy).unref();
    try {
      const value = await Promise.race([sandbox.journal(work), abandoned(signal)]);
      if (signal.aborted) throw signal.reason;
      return { value, full };
    } finally {
      ended = true;
      clearTimeout(disk);
      signal.removeEventListener('abort', kill);
    }
  };
}

/** Milliseconds until the disk is looked at again: before a quarter of the room can be gone, in bytes at bytes a millisecond. */
function nextPoll(room: number, rate: number, took: number): number {
  const wanted = rate > 0 ? Math.min(room / rate / 4, DISK_POLL_MS.idle) : DISK_POLL_MS.idle / 5;
  return Math.max(wanted, DISK_POLL_MS.busy, took / POLL_SHARE);
}

/** What the output of a command that was killed for its disk ends with. */
export function diskNote({ diskMiB }: Lease): Buffer {
  return Buffer.from(`\n[killed: this sandbox may write ${diskMiB} MiB]\n`);
}

/** Whether the run itself was cancelled or is gone; a shutdown or a lost heartbeat means that another worker goes on. */
function isFinal(reason: unknown): boolean {
  return reason instanceof Error && (reason.message.includes('CANCELLED') || reason.message.includes('NOT_FOUND'));
}

/** A worker that shuts down does not wait for the command; one that cancels does, until the kill has ended it. */
function abandoned(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => !isFinal(signal.reason) && reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
