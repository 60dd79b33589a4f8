import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cli } from '../../../src/cli/context';
import { readSetup } from '../../../src/cli/setup/reading';
import { columnsOf } from '../../../src/cli/terminal/columns';
import { frameTree, setupText } from '../../../src/cli/terminal/setup/header';
import type { FrameRecord, SetupRole } from '../../../src/contract';
import type { Look } from '../../../src/pages/shown-run';
import type { ShownSetup } from '../../../src/pages/shown-setup';
import { runCli } from '../run-cli';
import { writeSetup } from '../sample-setup';

const PLAIN: Look = { width: 80, coloured: false, full: false };
const home = mkdtempSync(join(tmpdir(), 'pointsman-show-setup-'));
let heads: Record<SetupRole, string>;
let run: ShownSetup;

beforeAll(async () => {
  const written = await writeSetup(join(home, 'blobs'));
  heads = written.heads;
  process.env.POINTSMAN_HOME = home;
  const startedAt = new Date('2026-03-01T14:05:09Z');
  const endedAt = new Date('2026-03-01T14:07:15Z');
  const chain = await readSetup(new Cli(), heads.agent);
  run = { ...chain, id: 'setup/toy-1', status: 'completed', startedAt, endedAt, result: written.result };
});

it('tells what was claimed and what was found, every frame, step, trial and charge', () => {
  const text = setupText(run, PLAIN);
  const order = [
    'dir:/src/toy',
    'setup/toy-1',
    'completed, verified · 2026-03-01 14:05:09 UTC · 2 min 06 s',
    'self-claim yes  │  verifier yes  │  verdict guilty',
    'pytest: 3 passed, 1 failed, 0 errors, 0 skipped',
    'my-model, 7 steps, 2 rollbacks, 1 malformed reply, $0.070, 840 tokens',
    '● 0 base  turn 0 · 0.0 MiB · 1.5 s',
    'turn 1 · shell · my-model',
    'exit 1',
    '✗ reply refused (missing_action): no action here',
    'I install it.',
    '$ pip install -e .',
    'more lines (--full shows them)',
    'turn 2 · shell · my-model',
    'undone by turn 4',
    '◇ frame 1 before it (system-packages)',
    '✦ try: xpu-headers',
    '◇ xpu-headers: failure, rolled back',
    '↶ roll back one frame',
    '↶ turn 2 undone',
    '$ export MODE=test',
    '▸ start: redis (process, port 6379)',
    '▸ verify: pytest',
    'turn 3 · xpu-headers · failure · rolled back',
    'before: pg_config executable not found',
    'after: fatal error',
    '✗ external_service: test_net',
    'verdict · guilty',
    '1. dependency · dismissed (optional extra): six is not there',
    'declared: setup.cfg:9',
    'judge: an extra',
    '2. entry point · upheld (reproduced): toy does not start',
    'redis (process, port 6379)',
    'reproduced from the script: no (passed 3 before, 2 now)',
    'learned: xpu-new (inserted)',
    'image  pointsman/environment:toy',
    heads.agent,
  ];
  let at = 0;
  for (const words of order) {
    expect(text.slice(at).includes(words) ? words : `nothing after this says: ${words}\n${text.slice(at)}`).toBe(words);
    at = text.indexOf(words, at);
  }
});

it('draws what a rollback left behind as a branch, and goes on in the column of what stands', () => {
  const lines = frameTree(run.result!.frames, { ...PLAIN, width: 120 });
  expect(lines[0]).toMatch(/^● 0 base/);
  expect(lines[1]).toMatch(
    /^├─✗ 1 before turn 2 {2}turn 2 · 12\.5 MiB · 1\.5 s · system-packages · dropped at turn 4$/,
  );
  expect(lines[2]).toMatch(/^│ ✗ 2 before xpu-headers/);
  expect(lines[3]).toMatch(/^● 3 before verify/);
});

it('draws thousands of frames, each once', () => {
  const frames: FrameRecord[] = Array.from({ length: 5_000 }, (_, index) => ({
    ...{ index, parent: index === 0 ? null : index - 1 - (index % 7 === 0 ? 1 : 0) },
    ...{ label: `f${index}`, turn: index, mib: 1, seconds: 1, rules: [], droppedAt: null },
  }));
  const drawn = frameTree(frames, PLAIN).map((line) => Number(/ (\d+) f/.exec(line)?.[1]));
  expect(drawn.sort((a, b) => a - b)).toEqual(frames.map(({ index }) => index));
});

it('fits 80 columns but for what one copies, and folds unless told otherwise', () => {
  const text = setupText(run, PLAIN);
  const wide = text.split('\n').filter((line) => columnsOf(line) > 80 && !/^(head|blob|UI|image) {2}/.test(line));
  expect(wide).toEqual([]);
  expect(text).not.toContain('line 100 of');
  expect(setupText(run, { ...PLAIN, full: true })).toContain('line 100 of the log');
  expect(setupText(run, PLAIN, 3)).not.toContain('turn 2 ·');
});

it('lets no escape code through, with and without colours', () => {
  const esc = String.fromCharCode(27);
  const text = setupText(run, { ...PLAIN, width: 120, full: true });
  for (const mark of [esc, '\u0007', '\u202e']) expect(text).not.toContain(mark);
  expect(text).toContain('\\x1b]0;owned\\x07\\x1b[2Jgone\\u202e');
  const coloured = setupText(run, { ...PLAIN, full: true, coloured: true });
  const foreign = coloured.split(esc).filter((part, at) => at > 0 && !/^\[\d+m/.test(part));
  expect(foreign).toEqual([]);
});

it.each([
  ['verifier', ['2 moves of the verifier', '$ python -m pytest -q', '⇒ it works']],
  ['prosecutor', ['⚖ charge (dependency): six is not there', 'declared: setup.cfg:9', '⇒ rests', 'That is all.']],
  ['judge', ['1 move of the judge', '⚖ charge 1 dismissed (optional_extra): an extra']],
] as const)('shows the chain of the %s by its head', async (role, words) => {
  const text = setupText(await readSetup(new Cli(), heads[role]), PLAIN);
  for (const each of words) expect(text).toContain(each);
});

it('shows where a running one is', () => {
  const progress = {
    ...{ phase: 'Setting up', turn: 3, head: null, error: 'No module named six', frames: ['base', 'before turn 2'] },
    ...{ services: [], suggested: ['xpu-a'], cost: { usd: 0.2, tokens: 9 }, paused: false },
  };
  const text = setupText({ ...run, status: 'running', phase: 'Setting up', result: undefined, progress }, PLAIN);
  for (const each of [
    'running (setting up)',
    'error: No module named six',
    'frames: base › before turn 2',
    'suggested: xpu-a',
    '$0.20, 9 tokens',
  ])
    expect(text).toContain(each);
});

it('shows a chain by hash, whole or abbreviated, without a server', async () => {
  const env = { POINTSMAN_HOME: home };
  const show = (...args: string[]) => runCli(['setup', 'show', ...args], { env });
  const [text, json, missing, file] = await Promise.all([
    show(heads.agent),
    show(heads.agent.slice(0, 10), '--json', '--step', '2'),
    show(heads.agent, '--step', '9', '--json'),
    show(heads.agent, '--dockerfile', '--json'),
  ]);
  expect(text.code).toBe(0);
  expect(text.stdout).toContain('a chain of steps, without its workflow');
  const shown = JSON.parse(json.stdout);
  expect(shown).toMatchObject({ status: 'chain', source: 'dir:/src/toy', role: 'agent', head: heads.agent });
  expect(shown.steps).toHaveLength(1);
  expect(shown.steps[0]).toMatchObject({ turn: 2, move: { command: 'apt-get install -y gcc' }, undoneBy: 4 });
  expect(JSON.parse(missing.stdout).error.message).toContain('no step 9 of the agent (it has 7)');
  expect(JSON.parse(file.stdout).error).toMatchObject({ code: 'NotFound' });
});

it('compares the worlds that the tests were run in, and names the tests by which they differ', () => {
  const world = (what: string, passed: number | null, failures: string[], stands = false, packages: string[] = []) => {
    return { what, passed, wrong: passed === null ? null : failures.length, failures, stands, packages };
  };
  const worlds = [
    world('packages as of today', 3, ['test_old', 'test_always']),
    world('packages as of 2020-04-03', null, []),
    world('packages as of 2020-04-03; pytest<8', 4, ['test_always'], true, ['pytest==7.4.4']),
  ];
  const text = setupText({ ...run, result: { ...run.result!, worlds } }, PLAIN);
  for (const line of [
    '✗ A  3 passed, 2 failed: packages as of today',
    '✗ B  not to be had: packages as of 2020-04-03',
    '● C  4 passed, 1 failed: packages as of 2020-04-03; pytest<8',
    'pinned: pytest==7.4.4',
    'fails in A: test_old',
  ])
    expect(text.replace(/ +/g, ' ')).toContain(line.replace(/ +/g, ' '));
  expect(text).not.toContain('test_always');
});
