import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Account, FileBudgets } from '../../src/store/local/budgets';
import { budgetsConformance } from './budgets';

let directory: string;
let budget: FileBudgets;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'budget-'));
  budget = new FileBudgets(directory);
});
afterEach(async () => {
  await budget.close();
  await rm(directory, { recursive: true, force: true });
});

function spender(who: string, ...args: (string | number)[]) {
  const child = path.join(__dirname, 'children/spender.ts');
  const all = ['--import', 'tsx', child, directory, who, ...args.map(String)];
  return spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('budgets as files', () => {
  budgetsConformance(() => new FileBudgets(directory));
});

test('half a line of a killed writer spoils only itself', async () => {
  await budget.reserve('b', 1, 'c1', 0.2);
  const [file] = await readdir(directory);
  await appendFile(path.join(directory, file!), '\n{"op":"settle","call":"c1","us');
  await budget.reserve('b', 1, 'c2', 0.3);
  await appendFile(path.join(directory, file!), '\n{"op":"settle","call":"c2","usd":-5}\nnull\n[]\n');
  expect((await budget.status('b')).reservedUsd).toBeCloseTo(0.5);
  expect(await new FileBudgets(directory).status('b')).toEqual(await budget.status('b'));
});

test('64 callers in three processes stay within one cap', async () => {
  const cap = 1;
  const [reserve, actual] = [0.02, 0.013];
  const children = [22, 21, 21].map((callers, n) => spender(`p${n}`, callers, cap, reserve, actual));
  const outputs = await Promise.all(
    children.map(async (child) => {
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
      });
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
      return Number(text);
    }),
  );
  const calls = outputs.reduce((a, b) => a + b, 0);
  const { spentUsd, reservedUsd } = await budget.status('shared');
  expect(spentUsd).toBeCloseTo(calls * actual, 6);
  expect(spentUsd).toBeLessThanOrEqual(cap + 1e-9);
  expect(spentUsd).toBeGreaterThan(cap - reserve);
  expect(reservedUsd).toBeCloseTo(0, 9);
}, 60_000);

test('a killed process leaves its reservations standing and nobody waiting', async () => {
  const victim = spender('victim', 8, 1000, 0.01, 0.00001);
  while ((await budget.status('shared')).spentUsd === 0) await delay(20);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  const before = await budget.status('shared');
  expect(before.open.length).toBeLessThanOrEqual(8);
  await budget.reserve('shared', 1000, 'mine', 1);
  for (const { call } of before.open) await budget.release('shared', call);
  expect((await budget.status('shared')).reservedUsd).toBeCloseTo(1, 9);
}, 60_000);

test('whatever the order of movements, granted reservations never exceed the cap', () => {
  const movement = fc.record({
    op: fc.constantFrom('reserve', 'settle', 'release'),
    call: fc.integer({ min: 0, max: 9 }),
    cents: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(movement, { maxLength: 80 }), (movements) => {
      const account = new Account();
      const reserved = new Map<string, number>();
      for (const { op, call: n, cents } of movements) {
        const call = `c${n}`;
        if (op === 'reserve') {
          const verdict = account.apply({ op, call, usd: cents / 100, cap: 1, id: 'i' });
          if (verdict === 'granted' && !reserved.has(call)) reserved.set(call, cents / 100);
        } else if (op === 'settle' && reserved.has(call)) account.apply({ op, call, usd: reserved.get(call)! / 2 });
        else if (op === 'release') account.apply({ op, call });
        if (op !== 'reserve') reserved.delete(call);
        expect(account.spentUsd + account.reservedUsd).toBeLessThanOrEqual(1 + 1e-6);
        expect(account.reservedUsd).toBeGreaterThanOrEqual(-1e-9);
      }
    }),
  );
});
