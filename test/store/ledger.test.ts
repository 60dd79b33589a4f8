import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FileEmbeddingLedger } from '../../src/store/local/embedding-ledger';
import { FileLedger } from '../../src/store/local/ledger';
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
  embeddingLedgerConformance(() => new FileEmbeddingLedger(directory));
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

test('writers killed at any moment leave no unreadable answer', async () => {
  const child = path.join(__dirname, 'children/ledger-writer.ts');
  for (let round = 0; round < 5; round++) {
    const writer = spawn(process.execPath, ['--import', 'tsx', child, directory, String(round * 37)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(writer.stdout, 'data');
    await delay(100 + round * 53);
    writer.kill('SIGKILL');
    await once(writer, 'exit');
  }
  const answers = (await files()).filter((file) => file.endsWith('.json'));
  expect(answers.length).toBeGreaterThan(5);
  for (const file of answers) {
    const entry = JSON.parse(await readFile(file, 'utf8'));
    expect(await new FileLedger(directory).answered(entry.key, entry.requestHash)).toBeDefined();
  }
}, 60_000);
