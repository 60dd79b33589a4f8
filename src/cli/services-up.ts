import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError } from '../contract';
import { daemonPid, logOf, startDaemon, stopDaemon } from '../local/processes';
import { startOwnWorker } from '../local/worker';
import { loadScript } from '../model/rehearsal/script';
import { freePort, listens } from '../ports';
import type { Cli } from './context';
import { rehearsalUrl, rememberedPort, rememberPort, shareWithDaemons } from './daemon-environment';

/** Starts what does not run yet. With a script, the rehearsal server plays it from now on. */
export async function startServices(cli: Cli, script: string | undefined): Promise<void> {
  if (script !== undefined) await startRehearsalDaemon(cli, script);
  const client = await cli.client();
  shareWithDaemons(cli.settings);
  // Whoever says `up` wants a worker here, also for a server that others run.
  if (daemonPid('worker') === undefined) await startOwnWorker(client, cli.queue, (line) => cli.say(line));
}

async function startRehearsalDaemon(cli: Cli, script: string): Promise<void> {
  loadScript(script);
  await stopDaemon('rehearsal');
  const before = rememberedPort();
  const port = await freePort(before);
  const args = ['rehearsal', 'start', '--script', resolve(script), '--port', String(port)];
  const pid = startDaemon({ name: 'rehearsal', script: 'src/cli.ts', args });
  rememberPort(port);
  for (let waited = 0; !(await listens('127.0.0.1', port)); waited += 100) {
    if (daemonPid('rehearsal') !== pid || waited > 30_000) {
      throw new PointsmanError(
        'Unavailable',
        'the rehearsal server did not come up',
        `Its log is ${logOf('rehearsal')}.`,
      );
    }
    await sleep(100);
  }
  process.env.POINTSMAN_REHEARSAL_URL = rehearsalUrl();
  cli.say(`started scripted models at ${process.env.POINTSMAN_REHEARSAL_URL}`);
  // A worker is told the address once, when it starts; on a new one it must start again.
  if (before !== port && (await stopDaemon('worker'))) cli.say('stopped the worker, which knew another address');
}
