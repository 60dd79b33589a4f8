import { type CampaignResult, type Funnel, HandOverReason } from '../../../contract';
import type { Look } from '../../../pages/shown-run';
import { type Column, table } from '../table';

/** Methods beside each other; more go below. */
const BESIDE = 5;

/** A stage, or under it what was lost before it. */
interface Row {
  readonly name: string;
  readonly counts: readonly (number | undefined)[];
  readonly loss: boolean;
}

type Named = CampaignResult['funnels'][number];

/**
 * Stages as rows and methods as columns. Under each stage stands what did not reach it, by reason, so that every column adds
 * up: a stage is the one above it without the losses between them.
 */
export function funnelLines(funnels: readonly Named[], total: Funnel | undefined, look: Look): string[] {
  const all = total && funnels.length > 1 ? [...funnels, { method: 'all', funnel: total }] : funnels;
  const lines: string[] = [];
  for (let from = 0; from < all.length; from += BESIDE) {
    const some = all.slice(from, from + BESIDE);
    lines.push(...table(rowsOf(some), columnsOf(some), look.width).split('\n'), '');
  }
  return lines;
}

function rowsOf(funnels: readonly Named[]): Row[] {
  const stages = funnels[0]?.funnel.stages ?? [];
  return stages.flatMap(({ stage }, at) => {
    const lost = funnels.map(({ funnel }) => funnel.losses.filter((loss) => loss.stage === stage));
    const others = stage === 'handed_over' ? otherReasons(funnels) : [];
    const reasons = [...new Set(lost.flatMap((losses) => losses.map(({ reason }) => reason)))];
    return [
      ...reasons.map((reason) => ({
        name: `  ${reason.replaceAll('_', ' ')}`,
        counts: lost.map((losses) => losses.find((loss) => loss.reason === reason)?.count),
        loss: true,
      })),
      { name: stage.replaceAll('_', ' '), counts: funnels.map(({ funnel }) => funnel.stages[at]?.count), loss: false },
      ...others.map((reason) => ({
        name: `  of these: ${reason.replaceAll('_', ' ')}`,
        counts: funnels.map(({ funnel }) => funnel.handOvers?.[reason]),
        loss: false,
      })),
    ];
  });
}

/** Why experts took over, besides the policy. */
function otherReasons(funnels: readonly Named[]): HandOverReason[] {
  return HandOverReason.options.filter(
    (reason) => reason !== 'policy' && funnels.some(({ funnel }) => funnel.handOvers?.[reason]),
  );
}

function columnsOf(funnels: readonly Named[]): Column<Row>[] {
  return [
    { title: '', value: ({ name }) => name },
    ...funnels.map(
      ({ method }, at): Column<Row> => ({
        title: method,
        value: ({ counts, loss }) => (counts[at] === undefined ? '' : `${loss ? '−' : ''}${counts[at]}`),
        right: true,
      }),
    ),
  ];
}
