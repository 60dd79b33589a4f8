import type { Documents } from '../../src/store/documents';
import type { Timings } from '../../src/store/timings';

/** What every implementation of `Documents` has to do. `open` gives another client of the same documents each time. */
export function documentsConformance(open: () => Documents): void {
  test('the last text under a name counts, through another client too, whatever the name holds', async () => {
    const names = ['a', '..', 'campaign/ä b/0001', '%2E', 'x'.repeat(300)];
    for (const name of names) {
      expect(await open().get(name)).toBeUndefined();
      await open().put(name, 'first');
      await open().put(name, `größer "${name}"\n`);
    }
    for (const name of names) {
      expect(await open().get(name)).toBe(`größer "${name}"\n`);
      expect(open().addressOf(name)).not.toBe('');
    }
    const short = names.filter((name) => name.length < 200);
    expect(await open().names()).toEqual(expect.arrayContaining(short));
    for (const name of [...names, ...names]) await open().remove(name);
    expect(await open().names()).toEqual([]);
  });

  test('of many who write at once one stands, whole', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(50_000));
    await Promise.all(texts.map((text) => open().put('n', text)));
    expect(texts).toContain(await open().get('n'));
    await open().remove('n');
  });
}

/** The same for `Timings`. */
export function timingsConformance(open: () => Timings): void {
  test('of each step the last timing holds', async () => {
    expect(await open().of('nobody')).toEqual(new Map());
    for (const [turn, durationMs] of [
      [1, 10],
      [2, 20],
      [1, 11],
    ] as const) {
      await open().record('run', { turn, durationMs, redone: 0 });
    }
    await open().record('another', { turn: 1, durationMs: 5, redone: 1 });
    expect(await open().of('run')).toEqual(
      new Map([
        [1, { turn: 1, durationMs: 11, redone: 0 }],
        [2, { turn: 2, durationMs: 20, redone: 0 }],
      ]),
    );
  });
}
