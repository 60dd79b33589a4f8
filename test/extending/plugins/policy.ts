import type { Policy } from './handover';

/** The expert acts on every n-th turn. */
export const everyNth: Policy<number> = {
  draw: () => null,
  author: (n, turn) => (turn % n === 0 ? 'expert' : 'student'),
  needs: () => ['student', 'expert'],
};
