import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CampaignProblems } from '../../src/activities/campaign/problems';
import type { Problem } from '../../src/contract';
import { Roots } from '../../src/roots';
import { FileBlobs } from '../../src/store/local/blobs';
import { fileDocuments } from '../../src/store/local/rows';
import { Problems } from '../../src/store/problems';

let folder: string;
let blobs: FileBlobs;
let reader: CampaignProblems;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pointsman-test-campaign-'));
  blobs = new FileBlobs(join(folder, 'blobs'));
  reader = new CampaignProblems(
    new Problems(join(folder, 'home'), blobs, fileDocuments(folder, 'controls')),
    blobs,
    new Roots(folder, []),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const problem = (id: string, more: object = {}): Problem => ({
  ...{ id, image: 'i', workdir: '/testbed', statement: 's', protected: [], provenance: {} },
  tests: {
    ...{ command: 'true', parser: { kind: 'pytest' }, failToPass: ['t::a'], passToPass: [] },
    ...{ files: [], timeoutSeconds: 60 },
  },
  ...more,
});
const write = (path: string, body: unknown): string => {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, typeof body === 'string' ? body : JSON.stringify(body, null, 2));
  return file;
};
const lines = (...each: unknown[]) =>
  each.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
const idsOf = async (source: Parameters<CampaignProblems['open']>[0], only: string[] = []) =>
  (await reader.open(source, only)).map(({ id }) => id);

const SWE = {
  ...{ instance_id: 'a__b-1', repo: 'a/b', patch: '', problem_statement: 'p' },
  test_patch: 'diff --git a/test_x.py b/test_x.py\n--- a/test_x.py\n+++ b/test_x.py\n@@ -1 +1 @@\n-a\n+b\n',
  ...{ FAIL_TO_PASS: '["test_x.py::t"]', PASS_TO_PASS: '[]' },
};

test('lines of every kind: a problem, a path beside the file, an id of the home, a blob, a row of a data set', async () => {
  write('beside/problem.json', problem('beside'));
  write('home/known/problem.json', problem('known'));
  const ref = await blobs.put(JSON.stringify(problem('blob', { licence: 'MIT' })));
  const list = write('list.jsonl', lines(problem('inline'), 'beside', '"beside2.json"', '', 'known', ref, SWE));
  write('beside2.json', problem('beside2'));
  const opened = await reader.open(list, []);
  expect(opened.map(({ id }) => id)).toEqual(['inline', 'beside', 'beside2', 'known', 'blob', 'a__b-1']);
  expect(opened.map(({ licence }) => licence)).toEqual([null, null, null, null, 'MIT', null]);
  // What is worked on is a blob of the whole problem, whatever becomes of the file.
  rmSync(join(folder, 'beside'), { recursive: true });
  const kept = JSON.parse((await blobs.get(opened[1]!.problem.sha256)).toString('utf8')) as Problem;
  expect(kept).toMatchObject({ id: 'beside', tests: { failToPass: ['t::a'] } });
  expect(await idsOf(await blobs.put(lines(problem('x'), problem('y'))))).toEqual(['x', 'y']);
  expect(await idsOf([problem('here'), ref, join(folder, 'beside2.json')])).toEqual(['here', 'blob', 'beside2']);
});

test('a folder: its list, its one problem, or those in its folders', async () => {
  write('many/b/problem.json', problem('b'));
  write('many/a/problem.json', problem('a'));
  write('many/notes.txt', 'not one');
  expect(await idsOf(join(folder, 'many'))).toEqual(['a', 'b']);
  expect(await idsOf(join(folder, 'many', 'a'))).toEqual(['a']);
  expect(await idsOf(join(folder, 'many', 'a', 'problem.json'))).toEqual(['a']);
  write('many/problems.jsonl', lines(problem('listed')));
  expect(await idsOf(join(folder, 'many'))).toEqual(['listed']);
  mkdirSync(join(folder, 'empty'));
  await expect(idsOf(join(folder, 'empty'))).rejects.toThrow(/holds no problem/);
});

test('only some, in the order of the file', async () => {
  const list = write('list.jsonl', lines(problem('a'), problem('b'), problem('c')));
  expect(await idsOf(list, ['c', 'a'])).toEqual(['a', 'c']);
  await expect(idsOf(list, ['d'])).rejects.toThrow(/only: no problem "d"/);
});

test.each([
  ['a bad field', () => lines(problem('a'), { ...problem('b'), image: 3 }), /list\.jsonl: line 2: image: .*found 3/],
  ['a mistyped field', () => lines({ ...problem('a'), statment: 's' }), /line 1: .*statment: unknown field/],
  ['no JSON', () => lines(problem('a'), '{"id":'), /line 2: not JSON/],
  ['a number', () => lines(problem('a'), '[3]'), /line 2: expected a problem/],
  [
    'nothing to resolve',
    () => lines({ ...problem('a'), tests: { command: 'x', failToPass: [], passToPass: [] } }),
    /line 1: .*failToPass: is empty/,
  ],
  ['an unknown id', () => lines('nowhere'), /line 1: problem: no id, folder or file "nowhere"/],
  ['a row without tests', () => lines({ ...SWE, FAIL_TO_PASS: 'x' }), /line 1: FAIL_TO_PASS: neither a list/],
  ['the same twice', () => lines(problem('a'), problem('b'), problem('a')), /line 3: .*line 1 has the same id a/],
  ['nothing', () => '\n\n', /problems: there is none/],
])('%s is refused by its line', async (_, text, message) => {
  await expect(idsOf(write('list.jsonl', text()))).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(message),
  });
});
