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
