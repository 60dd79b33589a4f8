import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadScript, parseScript, type ScriptInput } from './script';
import { Stage } from './stage';
import type { RehearsalStats } from './stats';

export interface RehearsalOptions {
  /** A script, or the path of a YAML or JSON file with one. */
  readonly script: string | ScriptInput;
  /** 0 (default) takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** File to which a line of JSON is appended for every chat request. */
  readonly log?: string;
}

export interface Rehearsal {
  /** What a profile's `baseUrl` is: `http://host:port/v1`. */
  readonly url: string;
  readonly port: number;
  stats(): RehearsalStats;
  close(): Promise<void>;
}

/**
 * Starts a server that speaks the OpenAI protocol and plays scripted models. It keeps no conversation: the next turn is
 * read off the request, so that a harness that was killed and resumed is told the same again. Throws `InvalidInput` for
 * a bad script, and the system's error where the port is taken.
 */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const script = typeof options.script === 'string' ? loadScript(options.script) : parseScript(options.script);
  const stage = new Stage(script.models, options.log);
  const server = http.createServer(
    { noDelay: true, keepAliveTimeout: 65_000, requestTimeout: 0 },
    (request, response) => {
      void stage.handle(request, response);
    },
  );
  server.on('connection', () => {
    stage.tally.stats.connections++;
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}/v1`,
    port,
    stats: () => structuredClone(stage.tally.stats),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await stage.close();
    },
  };
}
