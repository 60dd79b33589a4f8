/** How often each promise is tried: a few times on every commit, as often as specs/reliability.md says with `npm run chaos`. */
export const FULL = process.env.POINTSMAN_CHAOS === 'full';
const of = (onCommit: number, full: number): number => (FULL ? full : onCommit);
/** Examples of a property: those of a commit are the first of the same ones each time (`seed.ts`), so more of them tell little. */
export const examples = of;

export const COUNTS = {
  rolloutSteps: of(24, 80),
  workerKills: of(2, 50),
  setupKills: of(2, 20),
  frames: of(20, 200),
  jumps: of(25, 500),
  /** A host counts as lost after 180. */
  awaySeconds: of(5, 200),
  sandboxLosses: of(3, 20),
  serverRestarts: of(2, 10),
  serverRollouts: of(6, 100),
  providerSeconds: of(6, 120),
  /** On one place of one server. */
  slowRollouts: of(8, 40),
  budgetRollouts: of(8, 64),
  pairs: of(3, 20),
  /** Each keeps the tokens that it was sampled with. */
  tokenRollouts: of(6, 200),
  tokenKills: of(2, 30),
  leakRuns: of(12, 200),
  longSteps: of(60, 500),
  outputMb: of(300, 10_000),
  /** Read from a guest in the place of a report. */
  entries: of(30_000, 1_000_000),
  diffMb: of(80, 2_000),
} as const;

/** A test of which a commit has another that says most of it. Measurements count with this file too, and have no tests. */
export const inFull = FULL ? globalThis.test : globalThis.test?.skip;

/** A test's time limit: the second figure when run in full. */
export const minutes = (onCommit: number, full: number): number => of(onCommit, full) * 60_000;
