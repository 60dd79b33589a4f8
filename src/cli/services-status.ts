import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { connect } from '../machine/local-services';
import { hasWorker, wasKilled } from '../machine/local-worker';
import { listens } from '../machine/ports';
import { daemonPid, logOf } from '../machine/processes';
import type { Cli } from './context';
import { rehearsalUrl } from './daemon-environment';

export interface ServiceStatus {
  readonly server: { readonly address: string; readonly answers: boolean; readonly ui: string | null };
  readonly worker: {
    readonly queue: string;
    readonly polling: boolean;
    /** It was started here and ended without being told to. */
    readonly died: boolean;
    readonly pid: number | null;
    readonly log: string | null;
  };
  readonly rehearsal: { readonly url: string; readonly pid: number; readonly log: string } | null;
  readonly home: string;
  readonly config: string | null;
}

/** What runs, without starting anything. */
export async function serviceStatus(cli: Cli): Promise<ServiceStatus> {
  const address = loadClientConnectConfig().connectionOptions.address ?? '127.0.0.1:7233';
  const [host = '127.0.0.1', port = '7233'] = address.split(/:(?=\d+$)/);
  const answers = await listens(host, Number(port));
  const ui = answers ? ((await uiBeside(address)) ?? null) : null;
  const [worker, rehearsal, url] = [daemonPid('worker'), daemonPid('rehearsal'), rehearsalUrl()];
  return {
    server: { address, answers, ui },
    worker: {
      queue: cli.queue,
      // A dead worker's polls are remembered for a minute.
      polling: answers && !wasKilled() && (await polled(cli.queue)),
      died: wasKilled(),
      pid: worker ?? null,
      log: worker === undefined ? null : logOf('worker'),
    },
    rehearsal: rehearsal !== undefined && url ? { url, pid: rehearsal, log: logOf('rehearsal') } : null,
    home: cli.settings.home,
    config: cli.settings.file ?? null,
  };
}

export function statusText({ server, worker, rehearsal, home, config }: ServiceStatus): string {
  const process = worker.died
    ? ', the one started here died: `pointsman up`'
    : worker.pid === null
      ? ''
      : `, pid ${worker.pid}, log ${worker.log}`;
  return [
    `server     ${server.address} ${server.answers ? 'answers' : 'does not answer'}`,
    ...(server.ui ? [`UI         ${server.ui}`] : []),
    `worker     ${worker.polling ? 'polls' : 'none polls'} ${worker.queue}${process}`,
    `rehearsal  ${rehearsal ? `${rehearsal.url}, pid ${rehearsal.pid}, log ${rehearsal.log}` : 'not started'}`,
    `home       ${home}`,
    `config     ${config ?? 'none found: no model profiles'}`,
  ].join('\n');
}

/** The web UI of a server on this machine, which a development server has a thousand ports higher. */
export async function uiBeside(address: string): Promise<string | undefined> {
  const [host = '', port = ''] = address.split(/:(?=\d+$)/);
  const uiPort = Number(port) + 1000;
  if (!['127.0.0.1', 'localhost'].includes(host) || !(await listens(host, uiPort))) return undefined;
  return `http://${host}:${uiPort}`;
}

async function polled(queue: string): Promise<boolean> {
  const { connection, namespace } = await connect();
  try {
    return await hasWorker(new Client({ connection, namespace }), queue);
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
