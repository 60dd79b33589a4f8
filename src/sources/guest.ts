import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PointsmanError } from '../contract';
import type { Owner } from '../sandbox/labels';
import type { GuestFile, Sandboxes } from '../sandbox/sandbox';

/** What a script knows of what it wrote. Not to be believed further than the script: an archive may claim the same. */
export type Facts = Readonly<Record<string, unknown>>;

/** What the functions of this room need of a worker's parts. */
export interface FetchHost {
  readonly sandboxes: Pick<Sandboxes, 'workshop'>;
}

export interface GuestFetch {
  readonly owner: Owner;
  /** Image with Python 3, git and apt: the base image or one built on it. */
  readonly base: string;
  readonly network: 'none' | 'bridge';
  /** Name of the script in `guest/`, without its ending. */
  readonly script: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: readonly GuestFile[];
  /** Brings a folder of this host that the script asked for; without it asking is an error. */
  readonly bring?: (path: string) => Promise<GuestFile[]>;
  /** The source's text, for messages. */
  readonly source: string;
  readonly signal: AbortSignal;
}

/** What a script prints: one of facts about what it wrote, a folder that it needs, or why it gave up. */
interface Said {
  readonly facts?: Facts;
  readonly needs?: string;
  readonly code?: 'InvalidInput' | 'Unavailable';
  readonly message?: string;
  readonly hint?: string;
}

const FOLDER = '/var/tmp/pointsman-source';
const TIMEOUT_MS = 900_000;
/** Bytes of an archive, packed or not: as much as its tree may have. */
const LARGEST = 1 << 30;
/** A repository and its submodules; more folders than that is a loop. */
const MAX_BROUGHT = 64;

/**
 * Runs a fetching script in a container of the base image, where proxy, certificates and the tools' own configuration
 * are, so that the host needs none of them. Throws what the script refused, as `InvalidInput` or `Unavailable`.
 */
export async function fetchInGuest(deps: FetchHost, fetch: GuestFetch): Promise<{ bytes: Buffer; facts: Facts }> {
  const { owner, base, network } = fetch;
  return deps.sandboxes.workshop({ owner, role: 'fetch', image: base, workdir: '/', network }, async (sandbox) => {
    const scripts = ['fetching', fetch.script].map((name) => ({
      path: `${FOLDER}/${name}.py`,
      bytes: readFileSync(join(__dirname, 'guest', `${name}.py`)),
    }));
    await sandbox.write([...scripts, ...(fetch.files ?? [])]);
    for (let brought = 0; ; brought++) {
      const done = await sandbox.exec({
        command: `python3 ${FOLDER}/${fetch.script}.py "$@"`,
        args: fetch.args,
        env: { DEBIAN_FRONTEND: 'noninteractive', ...sandbox.env, ...fetch.env },
        timeoutMs: TIMEOUT_MS,
        signal: fetch.signal,
      });
      const said = lastLine(done.stdout);
      if (done.exitCode !== 0 || said === undefined) {
        const why =
          done.exitCode === null ? 'it took too long' : done.stderr.toString('utf8').trim().split('\n').at(-1);
        throw unavailable(fetch.source, why ?? '', 'Try again; if it stays, report it.');
      }
      if (said.facts) {
        const bytes = (await sandbox.read(`${FOLDER}/artifact`, { bytes: LARGEST })).get(`${FOLDER}/artifact`)!;
        return { bytes, facts: said.facts };
      }
      if (said.needs === undefined) {
        throw new PointsmanError(
          said.code ?? 'Unavailable',
          `source ${fetch.source}: ${said.message ?? ''}`,
          said.hint ?? '',
        );
      }
      if (!fetch.bring || brought === MAX_BROUGHT) {
        throw unavailable(fetch.source, `it needs ${said.needs}`, 'Name a source that is complete.');
      }
      await sandbox.write(await fetch.bring(said.needs));
    }
  });
}

function lastLine(stdout: Buffer): Said | undefined {
  const line = stdout.toString('utf8').trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? (JSON.parse(line) as Said) : undefined;
}

function unavailable(source: string, why: string, hint: string): PointsmanError {
  return new PointsmanError('Unavailable', `source ${source}: ${why}`, hint);
}
