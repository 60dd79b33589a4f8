import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExperienceUnit, type Frame, RepoSetupInput, type RepoSetupResult, SandboxProfile } from '../src/contract';
import { buildEnvironment, type KeptResult, writeEnvironment } from '../src/environments/environment-folder';
import { testEnvironment } from '../src/environments/verified-tests';
import { REPOSITORY } from '../src/home';
import { BASE_IMAGE } from '../src/machine/image';
import { openSandboxes } from '../src/sandbox';
import { type Owner, runName } from '../src/sandbox/labels';
import type { Sandboxes } from '../src/sandbox/sandbox';
import { BUILTIN_EMBEDDER } from '../src/store/experience/embedder';
import { SqlExperience } from '../src/store/experience/sql';
import { FileBlobs } from '../src/store/local/blobs';
import { folderOf, giveUp, removeFolders, setUp, shell } from '../test/support/set-up';
import { World } from '../test/support/world';

/** Lengths of a set-up whose commands do next to nothing. */
const STEPS = [10, 110] as const;
/** The second is one that a frame is taken before. */
const COMMANDS = { plain: 'true', undoable: 'mkdir -p /opt/a/b && rm -r /opt/a' };
/** MiB that a step changes before its checkpoint. */
const DELTAS = [0, 1, 16, 128];
const DEPTH = 200;
const REPEATS = 5;
const UNITS = [600, 10_000, 100_000];
/** Repositories whose errors need experience: where lanes can be told from one try after another. */
const RACED = ['pypi:graphviz==0.20.1', 'pypi:pymemcache==4.0.0', 'go:github.com/spf13/pflag@v1.0.5'];

/** Begin to verdict beside what nobody could leave out (`--floor`, or sources of one's own behind it). */
const MEASURED = ['pypi:sqlparse==0.5.0', 'pypi:python-dateutil==2.9.0.post0'];
/** It is installed once, and once more from its recipe; both are tested. */
const TIMES = 2;

/**
 * What a set-up pays for being durable, for being undoable and for remembering: a step beyond its command, checkpoints and
 * rollbacks by what was changed, a stack of 200 frames, retrieval by the size of memory; and whole set-ups one try at a time
 * and three at once (`--race`), or beside their installation and their tests alone (`--floor [SOURCE…]`, nothing else then).
 */
export async function benchSetup(args: string[]): Promise<void> {
  console.log(`load ${loadavg()[0]!.toFixed(2)} before\n`);
  const [option, ...sources] = args;
  if (option === '--floor') return floor(sources.length > 0 ? sources : MEASURED);
  await steps();
  await frames();
  await retrieval(args.includes('--small') ? UNITS.slice(0, 2) : UNITS);
  if (args.includes('--race')) await race();
  console.log(`\nload ${loadavg()[0]!.toFixed(2)} after`);
}

/** Between two lengths of the same set-up only steps differ: beginning and end count in both. */
async function steps(): Promise<void> {
  const models = Object.fromEntries(
    STEPS.flatMap((count) =>
      Object.entries(COMMANDS).map(([name, command]) => [
        `${name}-${count}`,
        { turns: [...Array.from({ length: count }, () => shell(command)), giveUp()] },
      ]),
    ),
  );
  const profiles = Object.fromEntries(Object.keys(models).map((name) => [name, {}]));
  const world = await World.start({ script: { models }, profiles });
  console.log('| a step | ms |\n|---|--:|');
  try {
    const source = `dir:${folderOf({ 'setup.py': '# nothing\n' })}`;
    for (const name of Object.keys(COMMANDS)) {
      const seconds: number[] = [];
      for (const count of STEPS) {
        const agent = `${name}-${count}`;
        const limits = { steps: 2 * count };
        const [result, ms] = await timed(() =>
          setUp(world, agent, { source, roles: { agent }, limits, experience: { mode: 'off' } }),
        );
        if (result.steps !== count + 1) throw new Error(`${agent}: ${result.status} after ${result.steps} steps`);
        seconds.push(ms);
      }
      console.log(`| ${name} | ${((seconds[1]! - seconds[0]!) / (STEPS[1] - STEPS[0])).toFixed(0)} |`);
    }
    console.log('');
  } finally {
    removeFolders();
    await world.close();
  }
}

async function frames(): Promise<void> {
  const sandboxes = openSandboxes('bench');
  const owner = { workflowId: 'bench/setup', firstRunId: randomUUID() };
  const profile = SandboxProfile.parse({ diskMiB: 10_240 });
  const name = runName(owner, 'main');
  const spec = { owner, role: 'main', workdir: '/repo', profile };
  let jobs = 0;
  const run = (command: string) =>
    sandboxes.at(name).journal((journal) => journal.run({ id: `b${++jobs}`, after: '*', command, timeoutMs: 120_000 }));
  const push = (index: number): Promise<Frame> =>
    sandboxes.at(name).snapshot({ owner, index, label: `frame ${index}` });
  const back = async (frame: Frame) => {
    return sandboxes.restore(spec, frame);
  };
  try {
    await sandboxes.claim({ owner, role: 'main', image: BASE_IMAGE, workdir: '/repo', profile });
    console.log('| changed | checkpoint ms | rollback ms |\n|--:|--:|--:|');
    console.log(`| 0 MiB, with a network | | ${middle(await rollbacksWithNetwork(sandboxes, owner))} |`);
    for (const mebibytes of DELTAS) {
      const taken: number[] = [];
      const restored: number[] = [];
      for (let i = 0; i < REPEATS; i++) {
        if (mebibytes > 0) await run(`head -c ${mebibytes}M /dev/urandom > /repo/delta`);
        const index = 1000 + i;
        const [frame, ms] = await timed(() => push(index));
        taken.push(ms);
        restored.push((await timed(() => back(frame)))[1]);
      }
      await sandboxes.dropFrames(owner, Array.from({ length: REPEATS }, (_, i) => 1000 + i).slice(0, -1));
      console.log(`| ${mebibytes} MiB | ${middle(taken)} | ${middle(restored)} |`);
    }
    const again = await push(1000 + REPEATS - 1);
    console.log(`| nothing, taken again | ${middle((await repeated(() => push(again.index))).slice(1))} | |`);

    const stack: Frame[] = [];
    const times: number[] = [];
    for (let index = 0; index < DEPTH; index++) {
      await run(`echo ${index} > /repo/step`);
      const [frame, ms] = await timed(() => push(index));
      stack.push(frame);
      times.push(ms);
    }
    const seen = async (frame: Frame) => {
      const [, ms] = await timed(() => back(frame));
      const { output } = await run('cat /repo/step');
      if (output.toString().trim() !== String(frame.index)) throw new Error(`frame ${frame.index} gave ${output}`);
      return ms;
    };
    console.log(
      `\n${DEPTH} frames deep: the first ten ${middle(times.slice(0, 10))} ms each, the last ten ${middle(times.slice(-10))} ms ` +
        `(slowest ${Math.max(...times).toFixed(0)}); back to frame ${DEPTH - 1} ${(await seen(stack.at(-1)!)).toFixed(0)} ms, ` +
        `to 100 ${(await seen(stack[100]!)).toFixed(0)} ms, to 0 ${(await seen(stack[0]!)).toFixed(0)} ms`,
    );
  } finally {
    await sandboxes.removeAll(owner.firstRunId);
    sandboxes.close();
  }
}

/** What limiting the reach of a sandbox adds to each. */
async function rollbacksWithNetwork(sandboxes: Sandboxes, owner: Owner): Promise<number[]> {
  const profile = SandboxProfile.parse({ network: 'bridge' });
  const spec = { owner, role: 'open', workdir: '/repo', profile };
  const sandbox = await sandboxes.claim({ ...spec, image: BASE_IMAGE });
  const frame = await sandbox.snapshot({ owner, index: 2000, label: 'with a network' });
  const times = await repeated(() => sandboxes.restore(spec, frame));
  await sandboxes.remove(owner, 'open');
  await sandboxes.dropFrames(owner, [2000]);
  return times;
}

async function retrieval(sizes: readonly number[]): Promise<void> {
  const shipped = readFileSync(join(REPOSITORY, 'experience', 'units.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => ExperienceUnit.parse(JSON.parse(line)));
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-bench-units-'));
  const store = await SqlExperience.open({ folder, embed: BUILTIN_EMBEDDER });
  const facts = { lang: 'python', os: 'linux', runtime: ['python3.11'], tools: ['pip', 'pytest'] };
  const errors = [
    "ModuleNotFoundError: No module named 'pkg_resources'",
    'Error: pg_config executable not found.',
    "fatal error: Python.h: No such file or directory\nerror: command 'gcc' failed",
  ];
  console.log('\n| units | find ms (first) | find ms (median) | import s |\n|--:|--:|--:|--:|');
  try {
    let there = 0;
    for (const size of sizes) {
      const more = Array.from({ length: size - there }, (_, i) => another(shipped, there + i));
      const [, imported] = await timed(() => store.import(more));
      there = size;
      const find = (error: string) => store.find({ error, command: 'pip install -e .', summary: '' }, facts);
      const [, first] = await timed(() => find(errors[0]!));
      const times: number[] = [];
      for (const error of [...errors, ...errors]) times.push((await timed(() => find(error)))[1]);
      console.log(
        `| ${size.toLocaleString('en')} | ${first.toFixed(0)} | ${middle(times)} | ${(imported / 1000).toFixed(1)} |`,
      );
    }
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A unit like one that ships, about something else: its words and patterns name another thing. */
function another(shipped: readonly ExperienceUnit[], n: number): ExperienceUnit {
  const unit = shipped[n % shipped.length]!;
  if (n < shipped.length) return unit;
  const thing = `thing${n}`;
  const signals = {
    ...unit.signals,
    keywords: unit.signals.keywords.map((word) => `${word} ${thing}`),
    regex: unit.signals.regex.map((pattern) => `${thing}.*(?:${pattern})`),
  };
  return { ...unit, id: `${unit.id}-${n}`, title: `${unit.title} (${thing})`, signals };
}

async function race(): Promise<void> {
  const world = await World.start({ script: { models: {} }, profiles: {} });
  console.log('\n| set-up | k | status | steps | rollbacks | s | s a step |\n|---|--:|---|--:|--:|--:|--:|');
  try {
    for (const source of RACED)
      for (const k of [1, 3]) {
        const input = { source, reproduce: false, experience: { mode: 'frozen', speculate: k } };
        const [result, ms] = await timed(
          async () =>
            (await (await world.begin('repoSetup', input, `race/${source}/${k}`)).result()) as RepoSetupResult,
        );
        const { status, steps, rollbacks } = result;
        console.log(
          `| ${source} | ${k} | ${status} | ${steps} | ${rollbacks} | ${(ms / 1000).toFixed(0)} | ${(ms / 1000 / steps).toFixed(1)} |`,
        );
      }
  } finally {
    await world.close();
  }
}

async function floor(sources: readonly string[]): Promise<void> {
  const world = await World.start({ script: { models: {} }, profiles: {} });
  const blobs = new FileBlobs(join(world.home, 'blobs'));
  console.log('| set-up | status | s | install s | tests s | of both twice |\n|---|---|--:|--:|--:|--:|');
  try {
    for (const source of sources) {
      const input = RepoSetupInput.parse({ source });
      const [result, ms] = await timed(async () => {
        const handle = await world.begin('repoSetup', input, `floor/${source}`);
        return (await handle.result()) as KeptResult;
      });
      const folder = mkdtempSync(join(tmpdir(), 'pointsman-bench-floor-'));
      const tag = `pointsman-bench-floor:${Date.now()}`;
      await writeEnvironment(blobs, result, folder, {});
      const installs: number[] = [];
      const tests: number[] = [];
      for (let i = 0; i < TIMES; i++) {
        installs.push((await timed(() => buildEnvironment(folder, tag, () => {}, {})))[1]);
        const [{ same, detail }, took] = await timed(() => testEnvironment(blobs, result, tag, input));
        if (!same) throw new Error(`${source}: ${detail}`);
        tests.push(took);
      }
      await openSandboxes('bench').images.remove(tag);
      rmSync(folder, { recursive: true, force: true });
      const sum = [...installs, ...tests].reduce((a, b) => a + b, 0);
      const seconds = (times: readonly number[]) => times.map((each) => (each / 1000).toFixed(1)).join(', ');
      console.log(
        `| ${source} | ${result.status} | ${seconds([ms])} | ${seconds(installs)} | ${seconds(tests)} | ×${(ms / sum).toFixed(2)} |`,
      );
    }
  } finally {
    await world.close();
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const since = performance.now();
  return [await work(), performance.now() - since];
}

async function repeated(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i <= REPEATS; i++) times.push((await timed(work))[1]);
  return times;
}

/** Median, in whole milliseconds. */
function middle(times: readonly number[]): string {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!.toFixed(0);
}
