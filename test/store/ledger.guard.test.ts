// An answered model call was paid twice: the worker died between the answer and Temporal's note of it, and the next attempt
// asked again. The ledger keeps answers for that attempt, so it is written at the very moments at which workers die: half
// an answer in it would be worse than none. Writers are killed here again and again; all that stands can be read.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FileLedger } from '../../src/store/local/ledger';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'ledger-killed-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

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
  const names = await readdir(directory, { recursive: true });
  const answers = names.filter((name) => name.endsWith('.json')).map((name) => path.join(directory, name));
  expect(answers.length).toBeGreaterThan(5);
  for (const file of answers) {
    const entry = JSON.parse(await readFile(file, 'utf8'));
    expect(await new FileLedger(directory).answered(entry.key, entry.requestHash)).toBeDefined();
  }
});
