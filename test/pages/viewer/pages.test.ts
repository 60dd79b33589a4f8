import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { promptsFor } from '../../../src/activities/prompts';
import { View } from '../../../src/contract/profile';
import { renderConversation } from '../../../src/dataset/conversation';
import { commandsOf } from '../../../src/pages/viewer/commands';
import { costApart, costByTurn } from '../../../src/pages/viewer/cost-by-turn';
import { diffSoFar } from '../../../src/pages/viewer/diff-so-far';
import { type Branch, forkTree } from '../../../src/pages/viewer/fork-tree';
import { ledeOf } from '../../../src/pages/viewer/lede';
import { patchFiles } from '../../../src/pages/viewer/line-diff';
import { maskOf, usualTraining } from '../../../src/pages/viewer/mask';
import type { RunPage, TurnView } from '../../../src/pages/viewer/payload';
import { lineOfRow } from '../../../src/pages/viewer/run-line';
import { gradeView, rolloutPage } from '../../../src/pages/viewer/run-page';
import { alignTurns } from '../../../src/pages/viewer/side-by-side';
import { FileBlobs } from '../../../src/store/local/blobs';
import { Transcripts } from '../../../src/store/transcripts';
import { type SampleCampaign, writeSampleCampaign } from '../../support/sample-campaign';

const home = mkdtempSync(join(tmpdir(), 'pointsman-pages-'));
const blobs = new FileBlobs(join(home, 'blobs'));
const transcripts = new Transcripts(blobs);
let sample: SampleCampaign;

beforeAll(async () => {
  sample = await writeSampleCampaign(home, { rollouts: 36 });
});
afterAll(() => rmSync(home, { recursive: true }));

async function pageOf(id: string): Promise<RunPage> {
  const row = sample.rows.find((each) => each.id === id)!;
  const { opening, steps, hashes } = await transcripts.chain(row.result!.head);
  const observations = await Promise.all(
    steps.map(async (step) => (await blobs.get(step.observation.text.sha256)).toString('utf8')),
  );
  const facts = {
    line: lineOfRow(row),
    live: false,
    phase: null,
    policy: row.handOver,
    head: row.result!.head,
    trouble: null,
    refused: [],
    links: [],
    training: null,
    workspace: null,
  };
  return rolloutPage(
    facts,
    { opening, steps, hashes, observations, timings: new Map() },
    { patch: null, grade: gradeView(row.result!.grade!, { outcomes: null, log: null, checks: [], tests: null }) },
  );
}

it('shades the turns that a data set of experts trains, and no other', async () => {
  for (const dialect of ['tools', 'xml', 'backticks'] as const) {
    const view = View.parse({ dialect });
    for (const row of sample.rows.filter(({ result }) => result)) {
      const transcript = await transcripts.load(row.result!.head);
      const { turns } = renderConversation(transcript, { view, prompts: promptsFor(view), train: ['expert'] });
      const made = transcript.steps.map(({ turn }) => turn);
      const mask = maskOf(made, { ...usualTraining(made), dialect });
      expect(mask).toEqual(turns.map(({ trained, faithful }) => ({ trained, faithful })));
    }
  }
});

it('says in words who did what and how it ended', async () => {
  const row = sample.rows.find(({ id, method }) => method === 'oec' && sample.kinds.get(id) === 'good')!;
  const page = await pageOf(row.id);
  const { turns, handOver } = row.result!;
  const lede = ledeOf(page);
  expect(lede).toContain(`The agent submitted its work after ${turns.total} turns.`);
  if (turns.student > 0) expect(lede).toContain(`then the expert took over (k = ${handOver.sampled}).`);
  expect(lede).toContain('2 of 2 tests that had to be mended pass; nothing that passed before is broken.');
  const cloned = sample.rows.find(({ id, method }) => method === 'bc' && sample.kinds.get(id) === 'wrong');
  if (cloned) expect(ledeOf(await pageOf(cloned.id))).toContain('The expert made every turn');
});

it('adds up the edits until a turn, and says what it cannot know', () => {
  const ref = (name: string) => ({ sha256: name, bytes: 1 });
  const turn = (number: number, given: Partial<TurnView>) =>
    ({ turn: number, edit: null, unseen: false, action: { kind: 'command' }, ...given }) as TurnView;
  const edit = (path: string, before: string | null, after: string | null) => ({
    edit: { path, before: before === null ? null : ref(before), after: after === null ? null : ref(after) },
  });
  const turns = [
    turn(1, edit('a', 'a0', 'a1')),
    turn(2, { unseen: true }),
    turn(3, edit('a', 'a1', 'a2')),
    turn(4, edit('b', null, 'b1')),
    turn(5, edit('a', 'other', 'a3')),
    turn(6, edit('b', 'b1', null)),
    turn(7, { unseen: null }),
  ];
  const at = (until: number) => diffSoFar(turns, until);
  expect(at(1).files).toMatchObject([{ path: 'a', before: ref('a0'), after: ref('a1'), lastTurn: 1 }]);
  expect(at(4).files).toMatchObject([
    { path: 'a', before: ref('a0'), after: ref('a2'), touchedBetween: false },
    { path: 'b', before: null, after: ref('b1') },
  ]);
  expect(at(5).files[0]).toMatchObject({ after: ref('a3'), touchedBetween: true });
  // A file that came and went is no difference.
  expect(at(6).files.map(({ path }) => path)).toEqual(['a']);
  expect([at(1).unseen, at(7).unseen, at(6).unknown, at(7).unknown]).toEqual([[], [2], false, true]);
});

it('puts runs that share steps into a tree, and leaves out those that do not', () => {
  const branch = (id: string, ...hashes: string[]): Branch => ({ id, hashes });
  const tree = forkTree('b', [
    branch('a', '1', '2', '3', '4'),
    branch('b', '1', '2', '3', '5'),
    branch('c', '1', '2', '6'),
    branch('d', '1', '2'),
    branch('stranger', '9'),
  ]);
  expect(tree).toMatchObject({ from: 1, to: 2, runs: ['d'] });
  expect(tree?.children).toMatchObject([
    {
      from: 3,
      to: 3,
      runs: [],
      children: [
        { from: 4, to: 4, runs: ['a'] },
        { from: 4, to: 4, runs: ['b'] },
      ],
    },
    { from: 3, to: 3, runs: ['c'] },
  ]);
  expect(forkTree('stranger', [branch('stranger', '9'), branch('a', '1')])).toBeUndefined();
});

it('sets two runs side by side: shared steps once, and every other turn in its place', () => {
  const turnsOf = (hashes: readonly string[]) => hashes.map((hash, at) => ({ turn: at + 1, hash }) as TurnView);
  const hashes = fc.array(fc.stringMatching(/^[0-9a-f]{1,3}$/), { maxLength: 8 });
  fc.assert(
    fc.property(hashes, hashes, hashes, (common, one, other) => {
      const left = turnsOf([...common, ...one.map((hash) => `l${hash}`)]);
      const right = turnsOf([...common, ...other.map((hash) => `r${hash}`)]);
      const rows = alignTurns(left, right);
      expect(rows.map(({ kind }) => kind)).toEqual(
        Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
          at < common.length ? 'shared' : 'apart',
        ),
      );
      expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
      expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
      for (const row of rows) if (row.left && row.right) expect(row.left.turn).toBe(row.right.turn);
    }),
  );
});

it('adds up what turns cost, and says where the run itself says another sum', () => {
  const made = (usd: number, tokens: number) =>
    ({
      who: 'expert',
      usage: { promptTokens: tokens, cachedTokens: 0, completionTokens: 1, costUsd: usd },
    }) as TurnView;
  const turns = [made(0.5, 10), made(0, 20), made(0.25, 30)];
  expect(costByTurn(turns).map(({ usdSoFar }) => usdSoFar)).toEqual([0.5, 0.5, 0.75]);
  expect(costByTurn(turns).map(({ tokensSoFar }) => tokensSoFar)).toEqual([11, 32, 63]);
  const said = (usd: number | null) => costApart({ line: { ...lineOfRow(sample.rows[0]!), usd }, turns });
  expect([said(null), said(0.75), said(0.7500004)]).toEqual(['', '', '']);
  expect(said(1)).toContain('$0.25 more than its turns');
  expect(said(0.25)).toContain('turns that a fork keeps');
});

it('reads a git patch, whatever its lines look like', () => {
  const patch = [
    'diff --git a/old.py b/new.py',
    'similarity index 90%',
    'rename from old.py',
    'rename to new.py',
    '--- a/old.py',
    '+++ b/new.py',
    '@@ -10,3 +10,3 @@ def f():',
    ' same',
    '--- a line that looks like a header',
    '+++ so does this',
    ' end',
    '\\ No newline at end of file',
    'diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"',
    'new file mode 100644',
    '--- /dev/null',
    '+++ "b/\\303\\244.txt"',
    '@@ -0,0 +1 @@',
    '+x',
    'diff --git a/p.png b/p.png',
    'Binary files a/p.png and b/p.png differ',
    '',
  ].join('\n');
  const [renamed, created, binary] = patchFiles(patch);
  expect(renamed).toMatchObject({ path: 'new.py', from: 'old.py', status: 'renamed', added: 1, removed: 1 });
  expect(renamed!.hunks[0]!.lines).toMatchObject([
    { kind: 'same', text: 'same', before: 10, after: 10 },
    { kind: 'removed', text: '-- a line that looks like a header', before: 11 },
    { kind: 'added', text: '++ so does this', after: 11 },
    { kind: 'same', text: 'end', before: 12, after: 12 },
  ]);
  expect(created).toMatchObject({ path: 'ä.txt', status: 'created', added: 1 });
  expect(binary).toMatchObject({ path: 'p.png', note: 'binary', hunks: [] });
  expect(patchFiles('no patch at all')).toEqual([]);
});

it('names the tests that are missing first', () => {
  const row = sample.rows.find(({ id }) => sample.kinds.get(id) === 'steps')!;
  const view = gradeView(row.result!.grade!, {
    outcomes: {
      'tests/test_core.py::test_value_7': 'failed',
      'tests/test_core.py::test_value_8': 'passed',
      extra: 'skipped',
    },
    log: 'said',
    checks: [
      {
        ...{ test: 'tests/test_core.py::test_value_8', kind: 'value', path: 'tests/test_core.py', line: 3 },
        ...{ was: '8', now: '10', outcome: 'failed' },
      },
    ],
    tests: { failToPass: ['tests/test_core.py::test_value_8', 'tests/test_core.py::test_value_7'], passToPass: [] },
  });
  expect(view.groups[0]).toMatchObject({
    name: 'FAIL_TO_PASS',
    passed: 1,
    total: 2,
    tests: [
      { id: 'tests/test_core.py::test_value_7', outcome: 'failed', passed: false },
      {
        ...{ id: 'tests/test_core.py::test_value_8', outcome: 'passed', passed: true },
        controls: [{ line: 3, was: '8', now: '10', outcome: 'failed' }],
      },
    ],
  });
  expect(view.groups.at(-1)).toMatchObject({ name: 'other tests', tests: [{ id: 'extra', outcome: 'skipped' }] });
});

it('quotes the commands that it offers', () => {
  const line = { ...lineOfRow(sample.rows[0]!), id: "it's; rm -rf /" };
  const texts = commandsOf({ line, head: 'abc', live: true }, 3).map(({ text }) => text);
  expect(texts).toEqual([
    `pointsman rollout show 'it'"'"'s; rm -rf /' --turn 3`,
    `pointsman rollout fork 'it'"'"'s; rm -rf /' --step 3`,
    `pointsman rollout watch 'it'"'"'s; rm -rf /'`,
    `temporal workflow show --workflow-id 'it'"'"'s; rm -rf /'`,
  ]);
});
