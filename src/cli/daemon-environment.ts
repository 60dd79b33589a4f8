import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../config';
import { room } from '../home';
import { daemonPid } from '../machine/processes';

/**
 * A daemon works in the repository's folder, its starter anywhere: what the starter found relative to its own folder is
 * handed on by full path, so that both read the same configuration and store.
 */
export function shareWithDaemons(settings: Settings): void {
  process.env.POINTSMAN_HOME = settings.home;
  if (settings.file) process.env.POINTSMAN_CONFIG = resolve(settings.file);
  const url = rehearsalUrl();
  if (url) process.env.POINTSMAN_REHEARSAL_URL ??= url;
}

/** Address of the rehearsal server that this home started, while it runs. */
export function rehearsalUrl(): string | undefined {
  if (daemonPid('rehearsal') === undefined) return undefined;
  const port = rememberedPort();
  return port === undefined ? undefined : `http://127.0.0.1:${port}/v1`;
}

/** The port is kept over restarts, because a worker that runs was told it once. */
export function rememberedPort(): number | undefined {
  try {
    return Number(readFileSync(portFile(), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

export function rememberPort(port: number): void {
  writeFileSync(portFile(), `${port}\n`);
}

function portFile(): string {
  return join(room('run'), 'rehearsal.port');
}
