import { type AddedPolicy, z } from 'pointsman/extend';

/** The expert acts on every n-th turn. */
export const everyNth: AddedPolicy<number> = {
  value: z.int().min(2),
  draw: () => null,
  author: (n, turn) => (turn % n === 0 ? 'expert' : 'student'),
  needs: () => ['student', 'expert'],
};
