import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { loadSettings, namedExtensions, type Settings } from '../config';
import { DEFAULT_QUEUE, isPointsmanError, LEFT_BEHIND, type Queues, queuesUnder } from '../contract';
import { connect, ensureServer, findServer, type Local } from '../machine/local-services';
import { assertOwnServer } from '../machine/owner';
import type { Look } from '../pages/shown-run';
import { dataConverterOf } from '../payloads';
import { quote } from '../rollout/shell';
import { isWithin, nameRoots, sendPaths } from '../roots';
import type { Stores } from '../store';
import { keepTree } from '../store/trees';
import { shareWithDaemons } from './daemon-environment';
import { temporalCommand } from './temporal-command';
import { wantsColour } from './terminal/ink';
import { safeLines } from './terminal/safe-text';

export interface StartOptions {
  readonly id: string;
  /** One line for the UI's list. */
  readonly note?: string;
  /** Markdown for the UI's page of it; without it how it is shown here. */
  readonly details?: string;
  /** One of many that a command starts: how to do it by hand would be said too often. */
  readonly among?: boolean;
}

/** What every command is given. stdout is the answer and nothing else; all talk goes to stderr. */
export class Cli {
  json = false;
  /** That this home's server is to be on. */
  port: number | undefined;
  /** Whether `client` starts a server where none runs: for what begins something, not for what only looks. */
  startsServer = true;
  private made: { client: Client; local: Local } | undefined;
  private given: Settings | undefined;
  private opened: Stores | undefined;
  private worker: Promise<void> | undefined;

  constructor(public queue = process.env.POINTSMAN_QUEUE ?? DEFAULT_QUEUE) {}

  get queues(): Queues {
    return queuesUnder(this.queue);
  }

  get settings(): Settings {
    this.given ??= loadSettings();
    return this.given;
  }

  /** Those of the configuration, where it names some: before anything that may say a name of theirs. */
  async useExtensions(): Promise<void> {
    const files = namedExtensions();
    // With a compiler, and all that can be extended.
    if (files.length > 0) await (await import('../extensions.js')).useExtensions(files);
  }

  get stores(): Stores {
    // With clients of databases and models, which few commands need.
    this.opened ??= (require('../store') as typeof import('../store')).openStores(this.settings);
    return this.opened;
  }

  get blobs(): Stores['blobs'] {
    return this.stores.blobs;
  }

  get transcripts(): Stores['transcripts'] {
    return this.stores.transcripts;
  }

  get setupChains(): Stores['setupChains'] {
    return this.stores.setupChains;
  }

  get timings(): Stores['timings'] {
    return this.stores.timings;
  }

  get problems(): Stores['problems'] {
    return this.stores.problems;
  }

  get reviews(): Stores['reviews'] {
    return this.stores.reviews;
  }

  get campaigns(): Stores['campaigns'] {
    return this.stores.campaigns;
  }

  /** A client of the server; see `startsServer`. Throws `Unavailable` where there is none. */
  async client(): Promise<Client> {
    return (await this.connected()).client;
  }

  async local(): Promise<Local> {
    return (await this.connected()).local;
  }

  /** Starts a workflow once: with the same id while one runs, that one is taken. Says how to do it by hand. */
  async start(type: string, given: unknown, { id, note, details = detailsOf(type, id), among = false }: StartOptions) {
    const { client, local } = await this.ready();
    const input = await this.readable(given);
    const handle = await client.workflow.start(type, {
      taskQueue: this.queue,
      workflowId: id,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...(note ? { staticSummary: note } : {}),
      ...(details ? { staticDetails: details } : {}),
    });
    if (!among) this.say(`by hand: ${temporalCommand(type, this.queue, id, input)}`);
    if (local.ui) this.say(`in the UI: ${this.uiLink(local.ui, client, id)}`);
    return handle;
  }

  /** An input that workers can read: they are told what its paths are, or sent what is there. */
  private async readable(input: unknown): Promise<unknown> {
    const { home, config } = this.settings;
    if (!config.store.shared) {
      nameRoots(home, input);
      return input;
    }
    const { blobs } = this.stores;
    const everywhere = config.sources.roots;
    return sendPaths(input, {
      isEverywhere: (path) => everywhere.some((folder) => isWithin(resolve(path), resolve(folder))),
      problem: (name) => {
        const folder = join(home, 'problems', name);
        return /^[^/.][^/]*$/.test(name) && existsSync(folder) ? folder : undefined;
      },
      send: (path, isSource) => keepTree(blobs, path, isSource ? { leave: LEFT_BEHIND, links: true } : {}),
    });
  }

  /** A server and a worker that serve this home, started where none runs. */
  async ready(): Promise<{ readonly client: Client; readonly local: Local }> {
    const { client, local } = await this.connected(true);
    shareWithDaemons(this.settings);
    // With a client of the engine, for what starts a run alone.
    const { ensureWorker } = await import('../machine/local-worker.js');
    // Several starts at once must not start a worker each.
    this.worker ??= ensureWorker(client, this.queue, local, (line) => this.say(line));
    await this.worker;
    return { client, local };
  }

  /** The answer of a command: one JSON object with `--json`, else what `human` writes. */
  print(value: unknown, human: () => string): void {
    process.stdout.write(this.json ? `${JSON.stringify(value)}\n` : `${human()}\n`);
  }

  /** Guests, models and servers have a part in what is said, errors above all, and a terminal obeys what it is sent. */
  say(text: string): void {
    process.stderr.write(`${safeLines(text).join('\n')}\n`);
  }

  uiLink(ui: string, client: Client, id: string): string {
    return `${ui}/namespaces/${client.options.namespace}/workflows/${encodeURIComponent(id)}`;
  }

  /** Ends the process with what went wrong and what to do next. */
  fail(error: unknown): never {
    const known = isPointsmanError(error) ? error : undefined;
    const message = error instanceof Error ? error.message : String(error);
    if (this.json)
      process.stdout.write(
        `${JSON.stringify({ error: { code: known?.code ?? 'Failed', message, hint: known?.hint ?? '' } })}\n`,
      );
    this.say(`${known?.code ?? 'Failed'}: ${message}${known?.hint ? `\n  → ${known.hint}` : ''}`);
    process.exit(1);
  }

  async close(): Promise<void> {
    await this.made?.client.connection.close();
  }

  private async connected(mayStart = this.startsServer): Promise<{ client: Client; local: Local }> {
    if (!this.made) {
      const say = (line: string) => this.say(line);
      const local = mayStart ? await ensureServer(say, this.port) : await findServer(say);
      const { connection, namespace } = await connect(say);
      const dataConverter = dataConverterOf(this.settings.config);
      const client = new Client({ connection, namespace, dataConverter });
      await assertOwnServer(client.workflowService, namespace, local.address);
      this.made = { local, client };
    }
    return this.made;
  }
}

/** How standard output is written to: as wide as the terminal, 80 columns into a file. */
export function look(full = false): Look {
  return {
    width: Math.min(120, Math.max(40, process.stdout.columns ?? 80)),
    coloured: wantsColour(process.stdout, process.env),
    full,
  };
}

/** Nouns of the command line that show a workflow of that type by its id. */
const SHOWN: Readonly<Record<string, string>> = {
  rollout: 'rollout',
  repoSetup: 'setup',
  campaign: 'campaign',
  pipeline: 'pipeline',
  evaluation: 'evaluation',
};

function detailsOf(type: string, id: string): string | undefined {
  const noun = SHOWN[type];
  return noun && `\`pointsman ${noun} show ${quote(id)}\` prints it.`;
}
