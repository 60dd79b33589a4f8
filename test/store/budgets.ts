import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Budgets } from '../../src/store/budgets';

/** What every implementation of `Budgets` has to do. `open` gives another client of the same budgets each time. */
export function budgetsConformance(open: () => Budgets): void {
  const opened: Budgets[] = [];
  const client = () => {
    const one = open();
    opened.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  test('reserves, settles, gives back, and refuses in words', async () => {
    const budget = client();
    await budget.reserve('b', 1, 'c1', 0.6);
    const refused = budget.reserve('b', 1, 'c2', 0.6);
    await expect(refused).rejects.toMatchObject({
      code: 'BudgetExhausted',
      message: expect.stringMatching(/\$0\.0000 spent and \$0\.6000 in flight of \$1\.0000/),
    });
    expect(await budget.tryReserve('b', 1, 'c2', 0.6)).toBe('in-flight');
    await budget.settle('b', 'c1', 0.1);
    await budget.reserve('b', 1, 'c2', 0.6);
    await budget.release('b', 'c2');
    expect(await budget.status('b')).toEqual({ spentUsd: 0.1, reservedUsd: 0, open: [] });
    expect(await budget.tryReserve('b', 1, 'c3', 0.95)).toBe('spent');
    expect(await budget.tryReserve('other', 1, 'c3', 0.95)).toBe('granted');
  });

  test('a repeated activity neither reserves nor pays twice, through this client or another', async () => {
    const [budget, other] = [client(), client()];
    for (const each of [budget, other, budget]) await each.reserve('b', 1, 'c1', 0.9);
    expect(await other.status('b')).toEqual({ spentUsd: 0, reservedUsd: 0.9, open: [{ call: 'c1', usd: 0.9 }] });
    for (const each of [budget, other]) await each.settle('b', 'c1', 0.8);
    await budget.reserve('b', 1, 'c1', 0.9);
    await budget.release('b', 'c1');
    expect(await budget.status('b')).toEqual({ spentUsd: 0.8, reservedUsd: 0, open: [] });
  });

  test('what was never reserved is booked all the same, and once', async () => {
    const budget = client();
    for (let times = 0; times < 2; times++) await budget.settle('b', 'unknown', 0.25);
    expect(await budget.status('b')).toEqual({ spentUsd: 0.25, reservedUsd: 0, open: [] });
  });

  test('however many reserve at once, the cap holds', async () => {
    const clients = [client(), client(), client()];
    const asked = Array.from({ length: 60 }, (_, at) => clients[at % 3]!.tryReserve('b', 1, `c${at}`, 0.1));
    const granted = (await Promise.all(asked)).filter((verdict) => verdict === 'granted');
    expect(granted).toHaveLength(10);
    expect((await clients[0]!.status('b')).reservedUsd).toBeCloseTo(1);
  });

  test('amounts that are no amounts are refused', async () => {
    const budget = client();
    for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      await expect(budget.reserve('b', 1, 'c', bad)).rejects.toMatchObject({ code: 'InvalidInput' });
      await expect(budget.settle('b', 'c', bad)).rejects.toMatchObject({ code: 'InvalidInput' });
    }
  });
}

function spender(where: string, who: string, ...args: readonly number[]) {
  const child = path.join(__dirname, 'children/spender.ts');
  const all = ['--import', 'tsx', child, where, who, ...args.map(String)];
  return spawn(process.execPath, all, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PGAPPNAME: who },
  });
}

/**
 * The same for processes of their own, which find the budgets at `where`: a folder, or the URL of a database. A
 * server goes on for a moment with what a killed process had begun: `gone` waits for that.
 */
export function budgetProcesses(
  where: () => string,
  open: () => Budgets,
  gone: (who: string) => Promise<void> = async () => {},
): void {
  test('64 callers in three processes stay within one cap', async () => {
    const cap = 1;
    const [reserve, actual] = [0.02, 0.013];
    const children = [22, 21, 21].map((callers, n) => spender(where(), `p${n}`, callers, cap, reserve, actual));
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
    const { spentUsd, reservedUsd } = await open().status('shared');
    expect(spentUsd).toBeCloseTo(calls * actual, 6);
    expect(spentUsd).toBeLessThanOrEqual(cap + 1e-9);
    expect(spentUsd).toBeGreaterThan(cap - reserve);
    expect(reservedUsd).toBeCloseTo(0, 9);
  });

  test('a killed process leaves its reservations standing and nobody waiting', async () => {
    const victim = spender(where(), 'victim', 8, 1000, 0.01, 0.00001);
    while ((await open().status('shared')).spentUsd === 0) await delay(20);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    await gone('victim');
    const before = await open().status('shared');
    expect(before.open.length).toBeLessThanOrEqual(8);
    await open().reserve('shared', 1000, 'mine', 1);
    for (const { call } of before.open) await open().release('shared', call);
    expect((await open().status('shared')).reservedUsd).toBeCloseTo(1, 9);
  });
}
