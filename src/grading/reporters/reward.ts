import { ASKS_NOTHING, Collected, jsonOf, type Reporter } from './reporter';

/** A reward file at a path that the problem names: a number, or JSON that holds one. One id, `reward`; 1 or more is passed. */
export const reward: Reporter = {
  name: 'reward',
  starts: () => false,
  asks: () => ASKS_NOTHING,
  read({ file }) {
    const value = rewardOf(jsonOf((file ?? '').trim()));
    const collected = new Collected();
    if (value !== undefined) collected.add('reward', value >= 1 ? 'passed' : 'failed');
    return collected.outcomes();
  },
};

/** All numbers of a reward file by their name; a single one is `reward`. */
export function rewardsIn(file: string): Record<string, number> {
  const value = jsonOf(file.trim());
  if (typeof value === 'number' || typeof value === 'boolean') return { reward: Number(value) };
  const named = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    named
      .filter(([, number]) => typeof number === 'number' || typeof number === 'boolean')
      .map(([name, number]) => [name, Number(number)]),
  );
}

/** Of several without a name that is known the least. */
function rewardOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of ['reward', 'score', 'resolved', 'passed', 'success']) {
    const own: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (typeof own === 'number' || typeof own === 'boolean') return Number(own);
  }
  const numbers = Object.values(value).filter((each) => typeof each === 'number');
  // Numbers that count something else are no rewards.
  const are = numbers.length > 0 && numbers.every((each) => 0 <= each && each <= 1);
  return are ? Math.min(...numbers) : undefined;
}
