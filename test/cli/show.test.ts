import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cli } from '../../src/cli/context';
import { readRun } from '../../src/cli/rollout/reading';
import { columnsOf } from '../../src/cli/terminal/columns';
import { trajectoryText } from '../../src/cli/terminal/trajectory';
import type { Look, ShownRun } from '../../src/pages/shown-run';
import { runCli } from './run-cli';
import { PATCH, writeChain } from './sample-chain';

const PLAIN: Look = { width: 80, coloured: false, full: false };
const home = mkdtempSync(join(tmpdir(), 'pointsman-show-'));
let head: string;
let run: ShownRun;

beforeAll(async () => {
  const written = await writeChain(join(home, 'blobs'));
  head = written.head;
  process.env.POINTSMAN_HOME = home;
  const chain = await readRun(new Cli(), head);
  run = {
    ...chain,
    id: written.result.id,
    status: 'completed',
    steps: chain.steps.map((step) => ({ ...step, durationMs: 1234 })),
    handOver: written.result.handOver,
    result: written.result,
    patch: PATCH,
  };
});

it('tells who did what, where the hand-over was and how it ended', () => {
  const text = trajectoryText(run, PLAIN);
  const order = [
    'sample',
    'completed',
    'student student-profile, expert expert-profile',
    'turn 1 · student',
    'I look around.',
    '$ ls -R',
    'turn 2 · student',
    '✗ reply refused (missing_action): no action here',
    'exit 1 · 1.2 s',
    'hand-over after turn 2: expert takes over',
    'turn 3 · expert',
    '✎ str_replace /repo/a.py',
    '- old line',
    '+ new line',
    '⇒ submit',
    'patch · 1 file, +1 −1',
    'FAIL_TO_PASS  1/2',
    '✗ tests/test_a.py::test_two',
    'PASS_TO_PASS  120/120',
    'not judged: tests/test_a.py is a test file of the problem',
    'submitted, not resolved',
    '4 turns (2 student, 2 expert), 1 refused reply, k = 2',
    '1 sandbox lost and rebuilt, 2 steps applied again',
    '$0.050, 4,936 tokens',
    head,
  ];
  let at = 0;
  for (const words of order) {
    const lineUp = text.slice(at).includes(words) ? words : undefined;
    expect(lineUp ?? `nothing after this position says: ${words}\n${text}`).toBe(words);
    if (words !== 'exit 1 · 1.2 s' && !words.startsWith('✗ reply')) at = text.indexOf(words, at);
  }
});

it('fits 80 columns but for what one copies, and folds unless told otherwise', () => {
  const text = trajectoryText(run, PLAIN);
  const wide = text.split('\n').filter((line) => columnsOf(line) > 80 && !/^(head|blob|UI) {2}/.test(line));
  expect(wide).toEqual([]);
  expect(text).toContain('186 more lines (--full shows them)');
  expect(text).not.toContain('line 100 of');
  const full = trajectoryText(run, { ...PLAIN, full: true });
  expect(full).toContain('line 100 of the listing');
  expect(trajectoryText(run, PLAIN, 3)).not.toContain('turn 2 ·');
});

it('lets no escape code through, with and without colours', () => {
  const esc = String.fromCharCode(27);
  const text = trajectoryText(run, { ...PLAIN, full: true });
  expect(text).not.toContain(esc);
  expect(text).toContain('FAILED a        tab');
  expect(text).toContain('\\x1b]0;owned\\x07\\x1b[2Jgone\\u202e');
  const coloured = trajectoryText(run, { ...PLAIN, full: true, coloured: true });
  const foreign = coloured.split(esc).filter((part, at) => at > 0 && !/^\[\d+m/.test(part));
  expect(foreign).toEqual([]);
});

it('shows a chain by hash, whole or abbreviated, without a server', async () => {
  const env = { POINTSMAN_HOME: home };
  const [text, json, short, missing] = await Promise.all([
    runCli(['rollout', 'show', head], { env }),
    runCli(['rollout', 'show', `sha256:${head}`, '--json', '--turn', '2'], { env }),
    runCli(['rollout', 'show', head.slice(0, 10), '--json'], { env }),
    runCli(['rollout', 'show', head, '--turn', '9', '--json'], { env }),
  ]);
  expect(text.code).toBe(0);
  expect(text.stdout).toContain('hand-over after turn 2: expert takes over');
  const { turns } = JSON.parse(json.stdout);
  expect(turns).toHaveLength(1);
  expect(turns[0]).toMatchObject({ turn: 2, author: 'student', exitCode: 1, rejected: [{ code: 'missing_action' }] });
  expect(JSON.parse(short.stdout)).toMatchObject({ status: 'chain', problem: 'sample', head });
  expect(missing.code).toBe(1);
  expect(JSON.parse(missing.stdout).error.message).toContain('no turn 9 (it has 4)');
});
