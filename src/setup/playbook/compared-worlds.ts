import type { WorldRecord } from '../../contract';
import type { SeenAction } from '../roles/role';
import { readCounts } from '../test-output';
import { Progress } from './progress';
import { describeWorld } from './worlds';

/** Names and packages of one world that a result keeps. */
const MOST_KEPT = 500;

/**
 * The worlds that a set-up's steps made and tried, in their order, today's first: how many tests passed in each, which failed,
 * and which of them stands. Empty where only today's was tried. Read from the steps alone, whoever has them.
 */
export function comparedWorlds(seen: readonly SeenAction[]): WorldRecord[] {
  const { base, trials } = new Progress({ seen, verified: null }).worldsOf('');
  if (trials.length === 0) return [];
  const standing = trials.findLast(({ stands }) => stands);
  const today = {
    what: 'packages as of today',
    packages: [],
    stands: standing === undefined,
    ...figuresOf(base.output),
  };
  return [
    today,
    ...trials.map((trial): WorldRecord => {
      const stands = trial === standing;
      // What was pinned is of interest where it is what one gets.
      const packages = stands ? packagesIn(trial.made) : [];
      return { what: describeWorld(trial.world), packages, stands, ...figuresOf(trial.outcome?.output ?? null) };
    }),
  ];
}

function figuresOf(output: string | null): Pick<WorldRecord, 'passed' | 'wrong' | 'failures'> {
  if (output === null) return { passed: null, wrong: null, failures: [] };
  const reading = readCounts('', output);
  if (!reading) return { passed: 0, wrong: 0, failures: [] };
  const { passed, failed, errors } = reading.counts;
  return { passed, wrong: failed + errors, failures: reading.failures.slice(0, MOST_KEPT) };
}

const packagesIn = (made: string) =>
  made
    .split('\n')
    .filter((line) => /^[\w.-]+==\S+$/.test(line))
    .slice(0, MOST_KEPT);
