import { type ComparedMode, type ComparedRun, compared, type Lift } from '../../../analysis/comparison';
import { wilson } from '../../../analysis/paired';
import { dots } from '../../charts/dots';
import { type Content, html } from '../../html';
import { column } from '../data';
import type { ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { percentIn } from '../words';

const MODES: readonly ComparedMode[] = ['off', 'frozen', 'learn', 'crossed', 'lesson'];

/** Environments: who says that they work, and effect of memory. */
export function setupsPart(material: ReportMaterial): Part | undefined {
  const runs = material.setups.map(comparedRunOf);
  if (runs.length === 0) return undefined;
  const modes = MODES.filter((mode) => runs.some((run) => run.mode === mode));
  const { lifts } = compared(runs, modes);
  return {
    id: 'setups',
    title: 'Set-ups and their verdicts',
    intro: html`<p>Three roles say whether an environment works: the agent that made it (claim), a verifier that runs the tests in a fresh container, and a judge who decides on charges that a prosecutor brought with evidence. Only the verdict counts.</p>`,
    figures: [claimFigure(runs, modes), ...(lifts.length > 0 ? [liftFigure(lifts)] : []), runFigure(runs)],
  };
}

function comparedRunOf({ result, input }: ReportMaterial['setups'][number]): ComparedRun {
  const { id, status, source, verifier, verdict, selfClaim, tests, steps, seconds, rollbacks, units, cost } = result;
  const [, label, pass] = /^compare\/[^/]+\/(off|frozen|learn|crossed|lesson)\/.*\/(\d+)$/.exec(id) ?? [];
  const asked = (input as { experience?: { mode?: ComparedMode } } | null)?.experience?.mode;
  return {
    id,
    source,
    // The id of a comparison's run says what it was; else what it was started with, whose default is to learn.
    mode: (label as ComparedMode | undefined) ?? asked ?? 'learn',
    pass: Number(pass ?? 1),
    status,
    verdict: verdict?.verdict ?? null,
    verifier: verifier?.success ?? null,
    selfClaim,
    tests,
    steps,
    seconds,
    rollbacks,
    unitsTried: units.length,
    unitsHelped: units.filter(({ outcome, kept }) => outcome === 'success' && kept).length,
    usd: cost.usd,
    tokens: cost.tokens,
  };
}

function claimFigure(runs: readonly ComparedRun[], modes: readonly ComparedMode[]): Figure {
  const says = [
    { name: 'claimed by the agent', of: (run: ComparedRun) => run.selfClaim },
    { name: 'passed the verifier', of: (run: ComparedRun) => run.verifier === true },
    { name: 'found not guilty', of: (run: ComparedRun) => run.verdict === 'not_guilty' },
  ];
  const rows = modes.flatMap((mode) => {
    const own = runs.filter((run) => run.mode === mode);
    return says.map(({ name, of }, series) => {
      const good = own.filter(of).length;
      return { mode, name, series, good, n: own.length, value: good / own.length, ...wilson(good, own.length) };
    });
  });
  return {
    id: 'setup-claims',
    title: 'Claims and verdicts',
    caption:
      'Share of set-ups, by mode of memory, with 95 % intervals by Wilson. The gap between the first and the last dot shows how far an agent’s own claim can be trusted.',
    drawn: dots({
      title: 'Set-ups that are claimed, verified and found not guilty',
      description: rows.map(({ mode, name, good, n }) => `${mode}: ${name} ${good} of ${n}`).join(', '),
      groups: modes.map((mode) => ({
        title: `memory: ${mode}`,
        dots: rows
          .filter((row) => row.mode === mode)
          .map((row) => ({ ...row, label: row.name, says: `${percentIn(row)}, ${row.good} of ${row.n}` })),
      })),
      axis: 'of set-ups',
      format: (value) => `${Math.round(value * 100)} %`,
      from: 0,
      to: 1,
    }),
    data: {
      columns: [
        column('memory', 'memory', 'text'),
        column('said', 'said', 'text'),
        column('good', 'set-ups'),
        column('n', 'of'),
        column('share', 'share', 'share'),
        column('low', '95 % from', 'share'),
        column('high', 'to', 'share'),
      ],
      rows: rows.map(({ mode, name, good, n, value, low, high }) => [mode, name, good, n, value, low, high]),
    },
  };
}

function liftFigure(lifts: readonly Lift[]): Figure {
  return {
    id: 'memory-lift',
    title: 'Effect of memory',
    caption: liftCaption(lifts),
    drawn: dots({
      title: 'Difference in set-ups found not guilty',
      description: lifts
        .map(({ mode, against, difference }) => `${mode} minus ${against}: ${points(difference)} points`)
        .join(', '),
      groups: [
        {
          title: '',
          dots: lifts.map(({ mode, against, difference, low, high, p, pairs }, series) => ({
            label: `${mode} − ${against}`,
            series,
            value: pairs === 0 ? null : difference,
            low,
            high,
            says:
              pairs === 0
                ? 'no pair'
                : `${points(difference)} (${points(low)} to ${points(high)}), ${pairs} pairs, p = ${p.toFixed(3)}`,
          })),
        },
      ],
      axis: 'points not guilty',
      format: points,
    }),
    data: {
      columns: [
        column('memory', 'memory', 'text'),
        column('against', 'against', 'text'),
        column('difference', 'difference', 'share'),
        column('low', '95 % from', 'share'),
        column('high', 'to', 'share'),
        column('p', 'p (exact McNemar)', 'number'),
        column('pairs', 'pairs'),
        column('better', 'better'),
        column('worse', 'worse'),
        column('left_out', 'left out'),
      ],
      rows: lifts.map((lift) => [
        lift.mode,
        lift.against,
        lift.difference,
        lift.low,
        lift.high,
        lift.p,
        lift.pairs,
        lift.counts.onlySecond,
        lift.counts.onlyFirst,
        lift.leftOut,
      ]),
    },
  };
}

function liftCaption(lifts: readonly Lift[]): Content {
  const said = { lift: 'memory helped', loss: 'memory hurt', none: 'no difference is shown' };
  const leftOut = (passes: number) => (passes > 0 ? ` (${passes} of its passes left out with their pair)` : '');
  const each = lifts
    .map(({ mode, shown, passesLeftOut }) => `${mode}: ${said[shown]}${leftOut(passesLeftOut)}`)
    .join('; ');
  return `Source by source, percentage points found not guilty with memory minus without (Newcombe’s interval for pairs). ${each}.`;
}

function runFigure(runs: readonly ComparedRun[]): Figure {
  return {
    id: 'setup-runs',
    title: 'All set-ups',
    caption:
      'Tests: passed of collected in the verifier’s run. Units: pieces of experience that were tried, and those that helped and stayed.',
    data: {
      columns: [
        column('source', 'source', 'id'),
        column('memory', 'memory', 'text'),
        column('verdict', 'verdict', 'word'),
        column('status', 'ended', 'word'),
        column('claim', 'claim', 'text'),
        column('verifier', 'verifier', 'text'),
        column('tests_passed', 'passed'),
        column('tests_collected', 'tests'),
        column('steps', 'steps'),
        { ...column('rollbacks', 'rollbacks'), unseen: true },
        column('units_tried', 'units'),
        column('units_helped', 'helped'),
        column('seconds', 'time', 'seconds'),
        column('usd', 'USD', 'usd'),
        { ...column('id', 'run', 'id'), unseen: true },
      ],
      rows: runs.map((run) => [
        run.source,
        run.mode,
        run.verdict,
        run.status ?? 'failed',
        yesNo(run.selfClaim),
        yesNo(run.verifier),
        run.tests.passed,
        run.tests.collected,
        run.steps,
        run.rollbacks,
        run.unitsTried,
        run.unitsHelped,
        run.seconds,
        run.usd,
        run.id,
      ]),
    },
  };
}

/** Percentage points with their sign. */
function points(share: number): string {
  const value = (share * 100).toFixed(Number.isInteger(Math.round(share * 1000) / 10) ? 0 : 1);
  return share > 0 ? `+${value}` : value.replace('-', '−');
}

function yesNo(said: boolean | null): string {
  return said === null ? '–' : said ? 'yes' : 'no';
}
