import { type ComparedRun, compared } from '../../src/analysis/comparison';
import { comparisonText } from '../../src/cli/terminal/setup/comparison';

function run(source: string, mode: ComparedRun['mode'], good: boolean, more: Partial<ComparedRun> = {}): ComparedRun {
  return {
    ...{ source, mode, pass: 1, id: `compare/x/${mode}/${source}/1`, status: 'verified' as const },
    verdict: good ? 'not_guilty' : 'guilty',
    ...{ verifier: true, selfClaim: true, steps: 10, seconds: 60, rollbacks: 1, usd: 0.5, tokens: 0 },
    tests: { collected: 5, passed: 4, failed: 1, skipped: 0, errors: 0 },
    ...{ unitsTried: 2, unitsHelped: 1 },
    ...more,
  };
}

const sources = Array.from({ length: 12 }, (_, at) => `dir:/s${at}`);
const LOOK = { width: 100, coloured: false, full: false };

it('shows a lift where memory turned nearly every case, and none where two of twelve turned', () => {
  const off = sources.map((source) => run(source, 'off', false));
  const strong = sources.map((source, at) => run(source, 'learn', at > 0));
  const weak = sources.map((source, at) => run(source, 'frozen', at < 2));
  const { lifts } = compared([...off, ...strong, ...weak], ['off', 'frozen', 'learn']);
  expect(lifts.map(({ mode, shown }) => [mode, shown])).toEqual([
    ['frozen', 'none'],
    ['learn', 'lift'],
  ]);
  expect(lifts[1]).toMatchObject({ pairs: 12, leftOut: 0, counts: { onlySecond: 11, neither: 1 } });
  expect(lifts[1]!.p).toBeCloseTo(2 / 2 ** 11, 10);
  expect(lifts[0]!.low).toBeLessThan(0);
});

it('says what memory saves where every source ends as before, paired by source, with an interval', () => {
  const runs = sources.flatMap((source, at) => [
    run(source, 'off', true, { steps: 10 + at, seconds: 60 + 10 * at, tokens: 1000 }),
    run(source, 'crossed', true, { steps: 7 + at, seconds: 40 + 10 * at + (at % 2), tokens: 1000 }),
  ]);
  const comparison = compared(runs, ['off', 'crossed']);
  const { steps, seconds, tokens } = comparison.lifts[0]!.effort;
  expect(steps).toEqual({ value: -3, low: -3, high: -3, n: 12 });
  expect(seconds.value).toBeCloseTo(-19.5, 10);
  expect(seconds.low).toBeGreaterThanOrEqual(-20);
  expect(seconds.high).toBeLessThanOrEqual(-19);
  expect(tokens).toMatchObject({ value: 0, low: 0, high: 0 });
  expect(comparisonText(runs, comparison, LOOK).replace(/\s+/g, ' ')).toMatch(
    /A run takes −3\.0 steps \(95 %: −3\.0 to −3\.0\), −2\d seconds \(95 %: −20 to −19\)\./,
  );
});

it('says so when memory hurt', () => {
  const runs = sources.flatMap((source) => [run(source, 'off', true), run(source, 'frozen', false)]);
  expect(compared(runs, ['off', 'frozen']).lifts[0]).toMatchObject({ shown: 'loss', difference: -1 });
});

it('takes an outage for no outcome, and an environment that was not verified for a failure', () => {
  const runs = [
    ...[run('dir:/a', 'off', true), run('dir:/a', 'learn', true, { status: null, verdict: null, selfClaim: false })],
    ...[run('dir:/b', 'off', false, { status: 'gave_up', verdict: null }), run('dir:/b', 'learn', true)],
  ];
  const { lifts, modes } = compared(runs, ['off', 'learn']);
  expect(lifts[0]).toMatchObject({ pairs: 1, leftOut: 1, passesLeftOut: 0, counts: { onlySecond: 1 } });
  expect(modes[1]).toMatchObject({ mode: 'learn', runs: 1, failed: 1, notGuilty: 1 });
});

it('folds passes into one answer a source, so that repeating is not more evidence', () => {
  const one = sources.flatMap((source) => [run(source, 'off', false), run(source, 'learn', true)]);
  const thrice = [1, 2, 3].flatMap((pass) => one.map((each) => ({ ...each, pass })));
  const [first] = compared(one, ['off', 'learn']).lifts;
  expect(compared(thrice, ['off', 'learn']).lifts[0]).toEqual(first);
  const again = (mode: ComparedRun['mode'], good: boolean) => ({ ...run('dir:/a', mode, good), pass: 2 });
  const split = [run('dir:/a', 'off', true), again('off', false), run('dir:/a', 'learn', true), again('learn', true)];
  expect(compared(split, ['off', 'learn']).lifts[0]!.counts).toMatchObject({ onlySecond: 1 });
});

it('leaves out a pass whose workflow failed together with its pair, and says so', () => {
  const runs = sources.slice(0, 8).flatMap((source) =>
    [true, false, true].flatMap((good, at) => [
      { ...run(source, 'off', good), pass: at + 1 },
      { ...run(source, 'frozen', good, at === 2 ? { status: null, verdict: null } : {}), pass: at + 1 },
    ]),
  );
  const comparison = compared(runs, ['off', 'frozen']);
  expect(comparison.lifts[0]).toMatchObject({ pairs: 8, leftOut: 0, passesLeftOut: 8, difference: 0, shown: 'none' });
  const said = comparisonText(runs, comparison, LOOK).replace(/\s+/g, ' ');
  expect(said).toContain('8 passes left out with their pair');
});

it('measures how far self-claims lie above verdicts', () => {
  const runs = sources.map((source, at) => run(source, 'off', at < 3));
  const [off] = compared(runs, ['off']).modes;
  expect(off).toMatchObject({ claimed: 12, verified: 12, notGuilty: 3, unitsTried: 24, usd: 6 });
  expect(off!.gap.difference).toBeCloseTo(0.75, 10);
  expect(off!.gap.low).toBeGreaterThan(0.3);
});

it('prints runs, modes and plain words', () => {
  const runs = sources.flatMap((source) => [run(source, 'off', true), run(source, 'frozen', true)]);
  const text = comparisonText(runs, compared(runs, ['off', 'frozen']), LOOK);
  expect(text).toContain('dir:/s11');
  expect(text).toMatch(/frozen {2}not guilty {2}yes {7}yes +4\/5 +10 +1 min 00 s +1 +1\/2 +\$0\.50/);
  expect(text.replace(/\s+/g, ' ')).toContain(
    '12 pairs, 0 better, 0 worse). No difference is shown: no source ended differently.',
  );
  expect(text).toContain('off: self-claims are 0.0 points above verdicts');
  const alone = comparisonText(runs, compared(runs, ['frozen']), LOOK);
  expect(alone).toContain('No difference: it needs `off` and another mode.');
});

it('fits a terminal of 80 columns, leaving out what --csv has too', () => {
  const long = ['pypi:python-dateutil==2.9.0.post0', 'go:github.com/spf13/pflag@v1.0.5'];
  const runs = long.flatMap((source) => [run(source, 'off', true), run(source, 'frozen', true)]);
  const text = comparisonText(runs, compared(runs, ['off', 'frozen']), { ...LOOK, width: 80 });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(text).toMatch(/SOURCE +MODE +VERDICT +VERIFIER +CLAIM/);
  expect(text).toContain('pypi:python-date…');
});

it('lets no escape code of a failure through', () => {
  const bad = run('dir:/a', 'off', false, { status: null, verdict: null, trouble: 'a\u001b]0;owned\u0007' });
  expect(comparisonText([bad], compared([bad], ['off']), LOOK)).not.toContain('\u001b');
});
