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

function rewardOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of ['reward', 'score', 'resolved', 'passed', 'success']) {
    const own: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (typeof own === 'number' || typeof own === 'boolean') return Number(own);
  }
  return undefined;
}
