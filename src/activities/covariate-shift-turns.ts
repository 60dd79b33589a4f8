import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import type { ShiftPoint } from '../contract';
import type { TurnAnswer, TurnTask } from './covariate-shift-thread';

let code: string | undefined;

/**
 * Measures turns one after the other in a thread: each is a second of computing, in which the process must go on sending
 * heartbeats. The buffers of the tasks are given away. Rejects with the signal's reason when it aborts.
 */
export async function* measureTurns(tasks: AsyncIterable<TurnTask>, signal: AbortSignal): AsyncGenerator<ShiftPoint> {
  // Bundled, because a thread with this process's loaders takes longer to start than a turn takes.
  code ??= buildSync({
    entryPoints: [resolve(__dirname, 'covariate-shift-thread.ts')],
    bundle: true,
    platform: 'node',
    write: false,
    logLevel: 'silent',
  }).outputFiles[0]!.text;
  const thread = new Worker(code, { eval: true, execArgv: [] });
  try {
    for await (const task of tasks) {
      thread.postMessage(task, [task.vectors.buffer as ArrayBuffer]);
      const [answer] = (await once(thread, 'message', { signal })) as [TurnAnswer];
      if ('error' in answer) throw new Error(answer.error);
      yield answer.point;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await thread.terminate();
  }
}
