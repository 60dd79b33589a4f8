import { spawn } from 'node:child_process';

/** Held until `release`, or until this process ends in whatever way. */
export interface OwnerLock {
  release(): Promise<void>;
  /** Resolves when the lock is gone, also when somebody killed its keeper. */
  readonly lost: Promise<void>;
}

/**
 * An exclusive lock of the operating system on a file, or undefined when another process has it. Node cannot lock files, so
 * flock(1) does: its process keeps the lock while our end of its standard input is open, and that the kernel closes for
 * us even after SIGKILL. It ignores the signals that a terminal sends to both, because the owner still has to close.
 */
export async function tryLock(file: string): Promise<OwnerLock | undefined> {
  const keeper = spawn(
    'flock',
    ['-n', '-F', file, 'sh', '-c', 'trap "" INT TERM HUP; echo held; exec cat > /dev/null'],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const lost = new Promise<void>((resolve) => {
    keeper.once('close', () => resolve());
    keeper.once('error', () => resolve());
  });
  const held = await new Promise<boolean>((resolve, reject) => {
    keeper.once('error', reject);
    keeper.stdout.once('data', () => resolve(true));
    keeper.once('close', () => resolve(false));
  });
  if (!held) return undefined;
  keeper.stdin.on('error', () => {});
  // The lock alone is no reason for a process to go on.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout] as unknown as { unref(): void }[]) stream.unref();
  return {
    lost,
    async release() {
      keeper.ref();
      keeper.stdin.end();
      await lost;
    },
  };
}
