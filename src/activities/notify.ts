import { spawn } from 'node:child_process';
import type { Config } from '../config';

/** Nobody waits longer for whoever is told. */
const PATIENCE_MS = 10_000;

/** What is told: a sentence, which chat services show, and the same in fields. */
export interface News {
  readonly text: string;
  readonly event: 'campaign_ended';
  /** Workflow id. */
  readonly id: string;
  readonly [field: string]: string | number | boolean | null;
}

/**
 * Tells whoever `notify` of the configuration names: a POST of JSON, a command that reads it. Best effort: what goes wrong is given
 * back as words and stops nothing. A retry of the activity around it tells again, with the same id.
 */
export async function notify(
  { notify: told }: Pick<Config, 'notify'>,
  env: Readonly<Record<string, string | undefined>>,
  news: News,
): Promise<string[]> {
  const body = JSON.stringify(news);
  const attempts = [
    ...(told.urlEnv ? [post(told.urlEnv, env[told.urlEnv], body)] : []),
    ...(told.command ? [run(told.command, body)] : []),
  ];
  const failures = await Promise.allSettled(attempts);
  return failures.flatMap((each) =>
    each.status === 'rejected' ? [`notify: ${each.reason instanceof Error ? each.reason.message : each.reason}`] : [],
  );
}

async function post(name: string, url: string | undefined, body: string): Promise<void> {
  if (!url) throw new Error(`${name} is not set where the worker runs`);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
  // The address is a secret, as those of chat services are.
  if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
}

function run([program = '', ...args]: readonly string[], body: string): Promise<void> {
  return new Promise((done, failed) => {
    // Of the worker's variables, which hold keys, it gets two.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'], timeout: PATIENCE_MS });
    child.on('error', failed);
    // One that does not read what it is told is told all the same.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => (code === 0 ? done() : failed(new Error(`${program} ended with ${code}`))));
    child.stdin.end(body);
  });
}
