import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../../src/sandbox/turns';

const never = new AbortController().signal;

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

test('work of one name is done one after the other, whatever became of what was before; of other names beside it', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const work = (name: string, fails = false) =>
    turns.take(name[0]!, never, async () => {
      seen.push(`${name} begins`);
      await sleep(5);
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const given = await Promise.allSettled([work('a1'), work('a2', true), work('b1'), work('a3')]);
  expect(given.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
    'a1',
    'Error: a2',
    'b1',
    'a3',
  ]);
  expect(seen.filter((each) => each.startsWith('a'))).toEqual(
    ['a1', 'a2', 'a3'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  expect(seen.indexOf('b1 begins')).toBeLessThan(seen.indexOf('a1 ends'));
});

test('who waits is told of an end at once, keeps nobody up, and does nothing', async () => {
  const turns = new Turns();
  const ending = new AbortController();
  const { promise, resolve: free } = withResolvers();
  const first = turns.take('a', never, () => promise);
  const work = jest.fn(async () => 'second');
  const second = turns.take('a', ending.signal, work);
  const third = turns.take('a', never, async () => 'third');
  ending.abort(new Error('cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  free();
  await first;
  expect(await third).toBe('third');
  expect(work).not.toHaveBeenCalled();
});
