import type { UnitTelemetry } from '../../contract';

/** What an unknown unit is worth: as if one verdict in four had been a failure. Weak enough for five verdicts to overrule it. */
const PRIOR = { successes: 3, failures: 1 } as const;
/** One standard deviation. Wider bounds would bury what was tried twice below what was never tried. */
const Z = 1;

/**
 * How far a unit can be trusted: the lower end of Wilson's interval for its share of successes. Only verdicts count; how
 * often a unit was shown says nothing about it. 0..1; untried: 0.5.
 */
export function reliability({ successes, failures }: Pick<UnitTelemetry, 'successes' | 'failures'>): number {
  const n = successes + failures + PRIOR.successes + PRIOR.failures;
  const share = (successes + PRIOR.successes) / n;
  const centre = share + Z ** 2 / (2 * n);
  const spread = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  return (centre - spread) / (1 + Z ** 2 / n);
}
