import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rowsOfFile } from '../../src/cli/rows-of-file';
import { runCli } from './run-cli';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const row = (id: string, more: object = {}) => ({
  instance_id: id,
  repo: 'o/r',
  base_commit: 'abc',
  patch: 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n',
  test_patch:
    'diff --git a/tests/test_a.py b/tests/test_a.py\n--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1 +1 @@\n-x\n+y\n',
  problem_statement: 'It is wrong.',
  FAIL_TO_PASS: '["tests/test_a.py::test_x"]',
  PASS_TO_PASS: '[]',
  ...more,
});
const MIXED = [row('o__r-1'), row('o__r-2', { FAIL_TO_PASS: '["test_x (a.B)"]' }), row('o__r-3')];
const lines = (rows: readonly object[]) => rows.map((each) => `${JSON.stringify(each)}\n`).join('');

async function imported(file: string, ...args: string[]) {
  const out = mkdtempSync(join(folder, 'out-'));
  const { code, stdout, stderr } = await runCli(['problem', 'import', file, '--out', out, ...args, '--json']);
  return {
    code,
    stderr,
    answer: code === 0 || stdout ? JSON.parse(stdout || 'null') : null,
    folders: readdirSync(out),
    out,
  };
}

test('what can be imported is, and the rest is listed with line, id and reason', async () => {
  const { code, answer, folders, out } = await imported(write('mixed.jsonl', `\uFEFF${lines(MIXED)}\n\n`));
  expect(code).toBe(0);
  expect(answer).toMatchObject({
    imported: 2,
    ids: ['o__r-1', 'o__r-3'],
    refused: [{ line: 2, id: 'o__r-2', reason: expect.stringMatching(/no pytest id/) }],
  });
  expect(folders.sort()).toEqual(['o__r-1', 'o__r-3']);
  expect(JSON.parse(readFileSync(join(out, 'o__r-1', 'problem.json'), 'utf8'))).toMatchObject({ id: 'o__r-1' });
});

test('with --strict nothing is, and the exit code says so', async () => {
  const { code, answer, folders } = await imported(write('strict.jsonl', lines(MIXED)), '--strict');
  expect(code).toBe(1);
  expect(answer).toMatchObject({ imported: 0, refused: [{ line: 2 }] });
  expect(folders).toEqual([]);
});

test('a JSON array, --limit and --only', async () => {
  const array = write('rows.json', JSON.stringify(MIXED, null, 1));
  expect((await imported(array, '--limit', '1')).answer).toMatchObject({ ids: ['o__r-1'], refused: [] });
  expect((await imported(array, '--only', 'o__r-3')).answer).toMatchObject({ ids: ['o__r-3'], refused: [] });
  const unknown = await imported(array, '--only', 'o__r-4');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/no row has the id o__r-4/)]);
});

test('Parquet, with the nulls and the wide numbers of data frames', async () => {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const column = (name: string, type: 'STRING' | 'INT64', data: unknown[]) => ({ name, type, data });
  const rows = [row('o__r-1'), row('o__r-2')];
  const file = parquetWriteBuffer({
    columnData: [
      ...Object.keys(rows[0]!).map((name) =>
        column(
          name,
          'STRING',
          rows.map((each) => each[name as keyof typeof each]),
        ),
      ),
      column('version', 'STRING', [null, null]),
      column('pull_number', 'INT64', [1n, 2n]),
    ] as Parameters<typeof parquetWriteBuffer>[0]['columnData'],
  });
  const { answer } = await imported(write('rows.parquet', new Uint8Array(file)));
  expect(answer).toMatchObject({ ids: ['o__r-1', 'o__r-2'], refused: [] });
});

test('an unknown format gets the list of those that are known', async () => {
  const file = write('one.jsonl', lines([row('a')]));
  const { code, stderr } = await imported(file, '--format', 'swebnch');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/did you mean "swebench"[\s\S]*multiswebench, nemotron, r2egym, swebench/),
  ]);
  const other = await imported(write('other.jsonl', lines([{ question: 'a' }])));
  expect(other.answer).toMatchObject({
    imported: 0,
    refused: [{ line: 1, reason: expect.stringMatching(/of no known format .*swesmith/) }],
  });
});

test('an id cannot leave the folder', async () => {
  const { answer, out } = await imported(write('away.jsonl', lines([row('../../away'), row('..')])));
  expect(answer.imported).toBe(2);
  expect(readdirSync(out).sort()).toEqual(['away', 'problem']);
  expect(existsSync(join(out, '..', 'away'))).toBe(false);
});

describe('the rows of a file', () => {
  const all = async (path: string) => {
    const found: unknown[] = [];
    for await (const each of rowsOfFile(path))
      found.push('problem' in each ? `${each.line}: ${each.problem.slice(0, 13)}` : each.record);
    return found;
  };

  test.each<[string, string, unknown[]]>([
    ['lines', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['one line without an end', '{"a":1}', [{ a: 1 }]],
    ['a broken line among lines', '{"a"\n{"a":2}\n', ['1: expected JSON', { a: 2 }]],
    ['a document over many lines', '\uFEFF{\n "a": 1\n}\n', [{ a: 1 }]],
    ['an array', '[{"a":1},\n{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['a broken array', '[{"a":1},', ['1: expected JSON']],
    ['nothing', '', []],
  ])('%s', async (name, text, rows) => {
    const found = await all(write(`${name.replace(/\W/g, '-')}.json`, text));
    expect(
      found.map((each) => (typeof each === 'string' ? each.replace(/:.*expected/, ': expected').slice(0, 16) : each)),
    ).toEqual(rows);
  });

  test('what says that it is Parquet and is not is refused', async () => {
    await expect(all(write('none.parquet', gzipSync('x')))).rejects.toThrow(/no Parquet file/);
  });
});
