import { spawn } from 'node:child_process';
import type Docker from 'dockerode';

const AFTER_MS = 1000;
let planned = false;

/**
 * Has the kernel write to disk what a commit left in memory, a second later, when a model is thinking. Otherwise the next
 * container waits for it: the engine unmounts a first layer before it starts one, and unmounting an overlay writes out the
 * whole disk below (0.7 s after 200 frames that were taken within a minute). Does nothing where the engine is elsewhere.
 */
export function writeBackSoon(docker: Docker): void {
  const { socketPath } = docker.modem as { socketPath?: string };
  if (planned || !socketPath) return;
  planned = true;
  setTimeout(() => {
    planned = false;
    // A host without `sync` is only slower.
    spawn('sync', { stdio: 'ignore' })
      .on('error', () => {})
      .unref();
  }, AFTER_MS).unref();
}
