import fc from 'fast-check';

/**
 * Property tests draw the same examples on every machine, so that a build says something of the commit and not of the day.
 * `POINTSMAN_SEED=random` looks for new ones, and a number repeats those.
 */
const wanted = process.env.POINTSMAN_SEED;
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted ?? 20_260_101) });
