import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import Docker from 'dockerode';
import { ExperienceUnit, type RepoSetupResult, type SetupProgress, type SetupStep } from '../../src/contract';
import { removeContainer } from '../../src/sandbox/docker/container';
import { BUILTIN_EMBEDDER } from '../../src/store/experience/embedder';
import { SqlExperience } from '../../src/store/experience/sql';
import { SetupChains } from '../../src/store/setup-chains';
import { type Leftovers, labelled } from './chaos';
import type { World } from './world';

type Raw = { readonly raw: string };

/** A turn of a scripted set-up agent, as a model would write it. */
export const act = (action: string, more: object = {}): Raw => ({
  raw: JSON.stringify({ action, thought: `I ${action}.`, ...more }),
});
export const shell = (command: string): Raw => act('shell', { command });
export const giveUp = (message = 'that is all'): Raw => act('finish', { success: false, message });
/** A turn of a scripted judging role. */
export const move = (kind: string, more: object = {}): Raw => ({ raw: JSON.stringify({ move: kind, ...more }) });

const folders: string[] = [];

/** A folder of sources that a set-up can be given as `dir:`; removed by `removeFolders`. */
export function folderOf(files: Readonly<Record<string, string>>, name = 'project'): string {
  const root = mkdtempSync(join(tmpdir(), 'pointsman-set-up-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(root, name);
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A Python project with one test, which passes as soon as /opt/NAME/mode says `exact`. */
export function projectOf(name: string): Record<string, string> {
  const test = `import unittest\n\n\nclass Modes(unittest.TestCase):\n    def test_mode(self):\n        with open('/opt/${name}/mode') as file:\n            self.assertEqual(file.read().strip(), 'exact')\n`;
  return {
    'setup.py': `from setuptools import setup\nsetup(name='${name}', version='1.0', py_modules=['${name}'])\n`,
    [`${name}.py`]: 'LEVEL = 3\n',
    [`test_${name}.py`]: test,
    'README.md': `# ${name}\n\nRun the tests with \`python3 -m unittest\`.\n`,
  };
}
export const TESTS = 'cd /repo && python3 -m unittest';
export const mendOf = (name: string) => `mkdir -p /opt/${name} && echo exact > /opt/${name}/mode`;

/** A unit about the error of `projectOf(name)`. */
export function unitFor(name: string, id: string, command: string): ExperienceUnit {
  return ExperienceUnit.parse({
    id,
    signals: {
      keywords: [`/opt/${name}/mode`],
      regex: [`No such file or directory: '/opt/${name}/mode'`],
      applicability: { lang: 'python' },
    },
    advice_nl: ['The mode is read from a file: write it.'],
    atoms: [{ name: 'shell', args: { cmd: command } }],
    provenance: { created: '2026-01-01T00:00:00Z' },
  });
}

/** The experience store of a world's workers. */
export async function withExperience<T>(world: World, use: (store: SqlExperience) => Promise<T>): Promise<T> {
  const store = await SqlExperience.open({ folder: join(world.home, 'experience'), embed: BUILTIN_EMBEDDER });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export async function telemetryOf(world: World, id: string) {
  return withExperience(world, async (store) => (await store.show(id)).unit.telemetry);
}

/** A set-up from its start to its result; neither judged nor made again unless asked. */
export async function setUp(world: World, id: string, input: object): Promise<RepoSetupResult> {
  const handle = await world.begin('repoSetup', { judge: false, reproduce: false, ...input }, id);
  return (await handle.result()) as RepoSetupResult;
}

export interface Told {
  readonly steps: readonly SetupStep[];
  /** What each step showed. */
  readonly told: readonly string[];
  /** Output of the first step whose move holds the text. */
  of(text: string): string;
}

/** A chain with the whole output of each step. */
export async function readChain(world: World, head: string): Promise<Told> {
  const chains = new SetupChains(world.blobs);
  const { steps } = await chains.chain(head);
  const told = await Promise.all(steps.map((step) => chains.output(step)));
  return {
    steps,
    told,
    of: (text) => told[steps.findIndex(({ turn }) => JSON.stringify(turn.move).includes(text))] ?? '(no such step)',
  };
}

/** Waits until a set-up is at a turn. */
export async function reach(handle: WorkflowHandle, turn: number): Promise<void> {
  for (;;) {
    const progress = await handle.query<SetupProgress>('progress').catch(() => undefined);
    if (progress && progress.turn >= turn) return;
    await sleep(50);
  }
}

/** What is on the engine of a run of this world; other worlds have runs of the same name. */
export async function leftOf(world: World, workflow: string): Promise<Leftovers> {
  const both = await Promise.all(
    [`pointsman.scope=${await world.scope()}`, `pointsman.workflow=${workflow}`].map((label) => labelled(label)),
  );
  const [scope, run] = both as [Leftovers, Leftovers];
  const among = (kind: keyof Leftovers) => run[kind].filter((name) => scope[kind].includes(name));
  return {
    containers: among('containers'),
    images: among('images'),
    networks: among('networks'),
    volumes: among('volumes'),
  };
}

/** As when a host is gone with all that it had of a run. Frames first, before anybody makes a container of one. */
export async function removeAllOf(world: World, workflow: string): Promise<void> {
  const docker = new Docker();
  const { containers, images } = await leftOf(world, workflow);
  for (const name of images) await docker.getImage(name).remove({ force: true });
  for (const name of containers) await removeContainer(docker, name.slice(1));
}

/** The sandbox of a set-up. */
export async function sandboxOf(world: World, workflow: string): Promise<Docker.Container> {
  const docker = new Docker();
  const scope = `pointsman.scope=${await world.scope()}`;
  const filters = { label: [scope, `pointsman.workflow=${workflow}`, 'pointsman.role=main'] };
  const [found] = await docker.listContainers({ filters });
  if (!found) throw new Error(`${workflow} has no sandbox`);
  return docker.getContainer(found.Id);
}

/** The activity names of a run, in the order in which they were scheduled. */
export async function activitiesOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );
}

/** Removes environment images that tests made: people keep those, and nothing else removes them. */
export async function removeImages(results: readonly RepoSetupResult[]): Promise<void> {
  const docker = new Docker();
  for (const { image } of results)
    if (image)
      await docker
        .getImage(image)
        .remove({ force: true })
        .catch(() => {});
}

/** Passes requests on to the scripted models and keeps each prompt: what a model was told can be looked at. */
export class PromptKeeper {
  readonly prompts: { model: string; messages: { role: string; content: string }[] }[] = [];
  private server!: Server;
  url = '';

  static async start(target: () => string): Promise<PromptKeeper> {
    const keeper = new PromptKeeper();
    keeper.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8');
      if (request.method === 'POST') keeper.prompts.push(JSON.parse(body));
      const path = (request.url ?? '').replace(/^\/v1/, '');
      const answer = await fetch(`${target()}${path}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(request.method === 'POST' ? { body } : {}),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => keeper.server.listen(0, '127.0.0.1', resolve));
    keeper.url = `http://127.0.0.1:${(keeper.server.address() as AddressInfo).port}/v1`;
    return keeper;
  }

  /** All that a model was shown, a prompt a text. */
  of(model: string): string[] {
    return this.prompts
      .filter((prompt) => prompt.model === model)
      .map(({ messages }) => messages.map(({ content }) => content).join('\n'));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
