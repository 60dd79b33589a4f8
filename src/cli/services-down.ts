import { readdirSync } from 'node:fs';
import { room } from '../home';
import { stopDaemon } from '../local/processes';
import { stopDevServer } from '../provision/dev-server';

/** Stops worker, rehearsal and servers that this home started, in that order. Answers what was stopped. */
export async function stopServices(): Promise<string[]> {
  const stopped: string[] = [];
  // A worker drains for up to 40 s: its commands in flight are told to the server.
  if (await stopDaemon('worker', 45_000)) stopped.push('worker');
  if (await stopDaemon('rehearsal')) stopped.push('rehearsal');
  // The demo leaves these up for who wants to go on by hand.
  if (await stopDaemon('demo-worker', 45_000)) stopped.push("the demo's worker");
  if (await stopDaemon('demo-models')) stopped.push("the demo's scripted models");
  for (const port of serverPorts()) if (await stopDevServer(port)) stopped.push(`Temporal server on port ${port}`);
  return stopped;
}

function serverPorts(): number[] {
  const found = readdirSync(room('run')).map((name) => /^temporal-(\d+)\.pid$/.exec(name)?.[1]);
  return found.filter((port) => port !== undefined).map(Number);
}
