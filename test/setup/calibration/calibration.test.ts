import Docker from 'dockerode';
import { HELD_OUT } from './environments/held-out';
import { TUNED } from './environments/tuned';
import { judgeEnvironment } from './runner';

/** One environment of each kind that is quick to make; `npm run bench calibration` judges them all. */
const QUICK = ['python-dependency-missing', 'python-filter-hides-fault', 'python-bug'];
const docker = new Docker();

test.each(QUICK)(
  '%s is judged as it was made',
  async (id) => {
    const environment = [...TUNED, ...HELD_OUT].find((one) => one.id === id)!;
    const judged = await judgeEnvironment(docker, environment);
    expect({ verdict: judged.verdict, charges: judged.charges }).toMatchObject({
      verdict: environment.fault === null ? 'not_guilty' : 'guilty',
    });
  },
  300_000,
);

test('both halves hold enough environments of both sorts, and no name twice', () => {
  const all = [...TUNED, ...HELD_OUT];
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const half of [TUNED, HELD_OUT]) {
    expect(half.filter(({ fault }) => fault === null).length).toBeGreaterThanOrEqual(12);
    expect(half.filter(({ fault }) => fault !== null).length).toBeGreaterThanOrEqual(12);
  }
});
