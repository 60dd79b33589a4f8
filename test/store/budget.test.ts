import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { Account, FileBudgets } from '../../src/store/local/budgets';
import { budgetProcesses, budgetsConformance } from './budgets';

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

describe('budgets as files', () => {
  budgetsConformance(() => new FileBudgets(directory));
  budgetProcesses(
    () => directory,
    () => budget,
  );
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
