import { wilson } from '../../../analysis/paired';
import type { RolloutRow } from '../../../contract';
import { hashKey, uniformUnit } from '../../../rollout/random';
import { dollars, grouped } from '../../figures';
import { type Content, type Html, html } from '../../html';
import type { ReportMaterial } from '../material';
import { percent } from '../words';

/** The report in one sentence. */
export function leadSentence(material: ReportMaterial): string {
  const { rows, dataset, problems, setups } = material;
  const share = resolvedShare(rows);
  const resolved = share
    ? `${percent(share.value)} of those that finished are resolved (95 %, by resampling instances: ${(share.low * 100).toFixed(1)} to ${percent(share.high)})`
    : '';
  if (dataset) {
    const planned = dataset.result.funnels.reduce((sum, { funnel }) => sum + (funnel.stages[0]?.count ?? 0), 0);
    const kept = `Of ${counted(planned, 'planned rollout')}, the training set keeps ${grouped(dataset.result.rows)}`;
    if (resolved === '') return `${kept}.`;
    return planned === rows.length
      ? `${kept}; ${resolved}.`
      : `${kept}; of the ${counted(rows.length, 'rollout')} that the rest of this report is about, ${resolved}.`;
  }
  if (rows.length > 0) {
    const planned = counted(rows.length, 'planned rollout');
    return resolved === '' ? `Of ${planned}, none finished.` : `Of ${planned}, ${resolved}.`;
  }
  if (problems.length > 0) return `Of the functions tried, ${counted(admittedIn(problems), 'problem')} could be built.`;
  if (setups.length > 0) {
    const good = setups.filter(({ result }) => result.verdict?.verdict === 'not_guilty').length;
    return `Of ${counted(setups.length, 'set-up')}, ${grouped(good)} ${good === 1 ? 'was' : 'were'} found not guilty.`;
  }
  return '';
}

function admittedIn(problems: ReportMaterial['problems']): number {
  return sumOf(problems.map(({ result }) => result.admitted));
}

interface Headline {
  readonly name: string;
  readonly value: string;
  readonly says: Content;
}

/** The few figures that a reader takes away, each with what it counts. */
export function headlines(material: ReportMaterial): Html {
  const shown = [
    ...ofRollouts(material),
    ...ofDataset(material),
    ...ofProblems(material),
    ...ofSetups(material),
    ...ofCosts(material),
  ];
  const items = shown.map(
    ({ name, value, says }) => html`<div><dt>${name}</dt><dd><b>${value}</b><span>${says}</span></dd></div>`,
  );
  return html`<dl class="headlines">${items}</dl>`;
}

function ofRollouts({ rows }: ReportMaterial): Headline[] {
  if (rows.length === 0) return [];
  const started = rows.filter(({ outcome }) => outcome !== 'skipped').length;
  const instances = new Set(rows.map(({ instance }) => instance)).size;
  const methods = new Set(rows.map(({ method }) => method)).size;
  const share = resolvedShare(rows);
  return [
    {
      name: 'Rollouts',
      value: grouped(started),
      says: `of ${grouped(rows.length)} planned; ${counted(instances, 'instance')}, ${counted(methods, 'method')}`,
    },
    ...(share
      ? [
          {
            name: 'Resolved',
            value: percent(share.value),
            says: `${grouped(share.resolved)} of ${grouped(share.n)} finished; 95 %, resampling instances: ${(share.low * 100).toFixed(1)} to ${percent(share.high)}`,
          },
        ]
      : []),
  ];
}

function ofDataset({ dataset }: ReportMaterial): Headline[] {
  if (!dataset) return [];
  const { rows, turns, trainedTurns, tokens } = dataset.result;
  return [
    { name: 'Rows kept', value: grouped(rows), says: `in the training set, ${grouped(tokens)} tokens` },
    {
      name: 'Trained turns',
      value: grouped(trainedTurns),
      says: `of ${grouped(turns)} assistant turns; the others are context without a loss`,
    },
  ];
}

function ofProblems({ problems }: ReportMaterial): Headline[] {
  if (problems.length === 0) return [];
  const sum = (of: (each: (typeof problems)[number]['result']) => number) =>
    problems.reduce((total, { result }) => total + of(result), 0);
  return [
    {
      name: 'Problems built',
      value: grouped(sum(({ admitted }) => admitted)),
      says: `of ${grouped(sum(({ tried }) => tried))} functions tried, in ${counted(problems.length, 'build')}`,
    },
  ];
}

function ofSetups({ setups }: ReportMaterial): Headline[] {
  if (setups.length === 0) return [];
  const good = setups.filter(({ result }) => result.verdict?.verdict === 'not_guilty').length;
  return [
    {
      name: 'Set-ups not guilty',
      value: `${grouped(good)} of ${grouped(setups.length)}`,
      says: `${grouped(setups.filter(({ result }) => result.selfClaim).length)} claimed success themselves`,
    },
  ];
}

function ofCosts(material: ReportMaterial): Headline[] {
  const { rows, covariateShift, failureAnalysis, setups, problems } = material;
  const costs = [
    ...rows.map(({ result }) => result?.cost),
    ...[covariateShift, failureAnalysis, ...setups, ...problems].map((run) => run?.result.cost),
  ].filter((cost) => cost !== undefined);
  const [usd, tokens] = [sumOf(costs.map((cost) => cost.usd)), sumOf(costs.map((cost) => cost.tokens))];
  const seconds = sumOf(rows.map((row) => row.seconds ?? 0)) + sumOf(setups.map(({ result }) => result.seconds));
  return [
    { name: 'Cost', value: dollars(usd), says: `for ${grouped(tokens)} tokens of model calls, all roles together` },
    ...(seconds > 0
      ? [{ name: 'Hours', value: hours(seconds), says: 'of rollouts and set-ups one after another, waiting included' }]
      : []),
  ];
}

function hours(seconds: number): string {
  const value = seconds / 3600;
  return value >= 100 ? grouped(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2);
}

function counted(n: number, one: string): string {
  return `${grouped(n)} ${n === 1 ? one : `${one}s`}`;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

interface Share {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly resolved: number;
  readonly n: number;
}

const RESAMPLES = 2_000;

/**
 * Share of the rollouts that ended by themselves whose tests pass. Its 95 % interval comes from resampling instances, because
 * rollouts of one instance are alike. Few instances make that too narrow, so it is never narrower than Wilson's.
 * Undefined without a rollout.
 */
export function resolvedShare(rows: readonly RolloutRow[]): Share | undefined {
  const byInstance = new Map<string, { resolved: number; n: number }>();
  for (const { instance, outcome, result } of rows) {
    if (outcome !== 'finished' || !result) continue;
    const tally = byInstance.get(instance) ?? { resolved: 0, n: 0 };
    byInstance.set(instance, { resolved: tally.resolved + (result.resolved ? 1 : 0), n: tally.n + 1 });
  }
  const clusters = [...byInstance].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  const [resolved, n] = [sum(clusters.map((each) => each.resolved)), sum(clusters.map((each) => each.n))];
  if (n === 0) return undefined;
  const [drawn, single] = [percentiles(clusters), wilson(resolved, n)];
  const ends = { low: Math.min(drawn.low, single.low), high: Math.max(drawn.high, single.high) };
  return { value: resolved / n, resolved, n, ...ends };
}

function percentiles(clusters: readonly { resolved: number; n: number }[]): { low: number; high: number } {
  const stream = hashKey('report: instances');
  const shares = Array.from({ length: RESAMPLES }, () => {
    let [resolved, n] = [0, 0];
    for (let drawn = 0; drawn < clusters.length; drawn++) {
      const cluster = clusters[Math.floor(uniformUnit(stream) * clusters.length)]!;
      resolved += cluster.resolved;
      n += cluster.n;
    }
    return resolved / n;
  }).sort((a, b) => a - b);
  return { low: shares[Math.floor(RESAMPLES * 0.025)]!, high: shares[Math.ceil(RESAMPLES * 0.975) - 1]! };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
