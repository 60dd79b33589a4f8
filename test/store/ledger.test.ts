import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileLedger } from '../../src/store/local/ledger';
import { fileEmbeddings } from '../../src/store/local/paid-answers';
import { answerOf } from './ledger-answer';
import { embeddingLedgerConformance, ledgerConformance } from './ledgers';

const KEY = { run: 'run-1', turn: 3, attempt: 0 };
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'ledger-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function files(): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => /\.(json|tmp)$/.test(name)).map((name) => path.join(directory, name));
}

describe('a ledger of files', () => {
  ledgerConformance(() => new FileLedger(directory));
});

describe('a ledger of embeddings, as files', () => {
  embeddingLedgerConformance(() => fileEmbeddings(directory));
});

test('one call is one file', async () => {
  const ledger = new FileLedger(directory);
  for (const question of ['h', 'h', 'h2']) await ledger.record(KEY, question, answerOf(question));
  expect(await files()).toHaveLength(1);
});

test('a file that a disk spoiled counts as absent and is written anew', async () => {
  const ledger = new FileLedger(directory);
  await ledger.record(KEY, 'h', answerOf('hello'));
  const [file] = await files();
  for (const spoiled of ['', '{"key":', 'null', '{"requestHash":"h"}', '\u0000\u0000']) {
    await writeFile(file!, spoiled);
    expect(await ledger.answered(KEY, 'h')).toBeUndefined();
  }
  expect((await ledger.record(KEY, 'h', answerOf('again'))).reply.content).toBe('again');
  expect((await ledger.answered(KEY, 'h'))?.reply.content).toBe('again');
});
