import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { PointsmanError } from '../contract';
import { startDevServer } from './dev-server';
import { listens } from './ports';

const LOCAL = '127.0.0.1:7233';

export interface Local {
  readonly address: string;
  /** Web UI of a server that we know; undefined for one that was configured. */
  readonly ui: string | undefined;
}

/**
 * Where the Temporal server is. One that the environment or a Temporal profile names is taken as it is; without any, the
 * local development server is started when nothing answers.
 */
export async function ensureServer(say: (line: string) => void): Promise<Local> {
  const { address } = loadClientConnectConfig().connectionOptions;
  if (isConfigured() && address && address !== LOCAL && address !== 'localhost:7233') return { address, ui: undefined };
  const server = await startDevServer({}, say);
  if (server.started) say(`started a Temporal development server at ${server.address} (\`pointsman down\` stops it)`);
  process.env.TEMPORAL_ADDRESS ??= server.address;
  return { address: server.address, ui: server.ui };
}

function isConfigured(): boolean {
  return Boolean(process.env.TEMPORAL_ADDRESS || process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE);
}

export async function connect(): Promise<{ connection: Connection; namespace: string }> {
  const config = loadClientConnectConfig();
  const connection = await Connection.connect({ ...config.connectionOptions, connectTimeout: '10s' }).catch(
    (error: Error) => {
      throw new PointsmanError(
        'Unavailable',
        `no Temporal server answers at ${config.connectionOptions.address ?? LOCAL}: ${error.message}`,
        isConfigured()
          ? 'Start that server, or unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE: `pointsman up` then starts one here.'
          : 'Start one with `pointsman up`, or set TEMPORAL_ADDRESS.',
      );
    },
  );
  return { connection, namespace: config.namespace ?? 'default' };
}

/** The web UI of a server on this machine, which a development server has a thousand ports higher. */
export async function uiBeside(address: string): Promise<string | undefined> {
  const [host = '', port = ''] = address.split(/:(?=\d+$)/);
  const uiPort = Number(port) + 1000;
  if (!['127.0.0.1', 'localhost'].includes(host) || !(await listens(host, uiPort))) return undefined;
  return `http://${host}:${uiPort}`;
}
