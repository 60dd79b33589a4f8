import {
  type DatasetInput,
  DatasetOrigin,
  type DatasetResult,
  DroppedRow,
  type LossReason,
  type Ref,
  type RolloutRow,
} from '../../contract';
import { funnelsOf } from '../../dataset/funnel';
import type { Candidate, Lost } from '../../dataset/judge';
import { laterLoss, lossOf } from '../../dataset/losses';
import { repetitionRates } from '../../dataset/rates';
import { type Selection, type Split, select } from '../../dataset/selection';
import { survivalOf } from '../../dataset/survival';
import { validityOf } from '../../dataset/validity';
import type { BlobStore } from '../../store/blobs';
import type { ChosenRow, DatasetRows } from './rows';

type Figures = Pick<
  DatasetResult,
  'rows' | 'turns' | 'trainedTurns' | 'humanRows' | 'tokens' | 'funnels' | 'survival' | 'repetition' | 'mixture'
>;

interface MethodCost {
  readonly method: string;
  readonly rollouts: number;
  readonly usd: number;
  readonly tokens: number;
}

/** What is in the data set and what is not; a blob. */
export interface ChosenRows {
  /** Pages of `ChosenRow` lines in the order of the files. */
  readonly pages: Readonly<Record<Split, readonly Ref[]>>;
  readonly rows: Readonly<Record<Split, number>>;
  readonly figures: Figures;
  /** Rows by licence; the empty name is that of rows that name none. */
  readonly licences: readonly { readonly licence: string; readonly rows: number }[];
  readonly instances: number;
  readonly costs: readonly MethodCost[];
  /** `dropped.jsonl` and `rows.jsonl`. */
  readonly dropped: Ref;
  readonly origins: Ref;
}

const PAGE_ROWS = 50;

/** Chooses from what was judged; `judged` are the pages' answers, in the order of the pages. */
export async function chooseRows(blobs: BlobStore, rows: DatasetRows, judged: readonly Ref[]): Promise<ChosenRows> {
  const { input, pages } = rows.setting;
  const answers = (await Promise.all(judged.map((ref) => answersIn(blobs, ref)))).flat();
  const selection = select(answers.filter(isCandidate), input);
  const lost = new Map([...answers.filter(isLost), ...selection.lost].map((each) => [each.id, each]));
  const kept = new Map(selection.kept.map((each) => [each.id, each]));

  const texts: Buffer[] = [];
  /** Lines of files, by id. */
  const places = new Map<string, string>();
  const origins = new Map<string, string>();
  const dropped = new Map<string, string>();
  const licences: string[] = [];
  let at = 0;
  for (const page of pages) {
    if (page.extra === undefined) texts.push(await blobs.get(page.lines.sha256));
    for (const place of await rows.places(page)) {
      const { id } = answers[at++]!;
      const rollout = 'rollout' in place ? place.rollout : undefined;
      const row = kept.get(id);
      if (row) {
        places.set(id, lineOf({ id, place } satisfies ChosenRow));
        origins.set(id, lineOf(originOf(row, rollout)));
        licences.push((rollout ? rollout.licence : input.extra.find(({ name }) => name === row.method)?.licence) ?? '');
      } else dropped.set(id, lineOf(droppedRow(lost.get(id)!, rollout, input)));
    }
  }
  const rollouts = rolloutsIn(texts);
  const funnels = funnelsOf(rollouts, new Map([...lost].map(([id, { reason }]) => [id, reason])), input.filters);
  return {
    pages: { train: await written('train'), validation: await written('validation') },
    rows: { train: countOf('train'), validation: countOf('validation') },
    figures: { ...totals(selection), funnels, survival: survivalOf(rollouts), repetition: repetitionRates(funnels) },
    licences: tally(licences, (licence) => licence).map(([licence, count]) => ({ licence, rows: count })),
    instances: new Set(selection.kept.map(({ instance }) => instance)).size,
    costs: costsOf(rollouts),
    dropped: await blobs.put(
      [...dropped.keys()]
        .sort()
        .map((id) => dropped.get(id)!)
        .join(''),
    ),
    origins: await blobs.put(selection.kept.map(({ id }) => origins.get(id)!).join('')),
  };

  function countOf(split: Split): number {
    return selection.kept.filter((row) => row.split === split).length;
  }

  async function written(split: Split): Promise<Ref[]> {
    const chosen = selection.kept.filter((row) => row.split === split);
    const refs: Ref[] = [];
    for (let from = 0; from < chosen.length; from += PAGE_ROWS) {
      const lines = chosen.slice(from, from + PAGE_ROWS).map(({ id }) => places.get(id)!);
      refs.push(await blobs.put(lines.join('')));
    }
    return refs;
  }
}

/** Each is read when it is asked for: all of them at once would take several times their text. */
function rolloutsIn(texts: readonly Buffer[]): Iterable<RolloutRow> {
  return {
    *[Symbol.iterator]() {
      for (const text of texts)
        for (const line of text.toString('utf8').split('\n')) if (line !== '') yield JSON.parse(line) as RolloutRow;
    },
  };
}

function droppedRow(
  { reason, detail, ...about }: Lost,
  rollout: RolloutRow | undefined,
  { filters }: DatasetInput,
): DroppedRow {
  const { stage } = (rollout && lossOf(rollout, filters)) ?? laterLoss(reason as LossReason);
  return DroppedRow.parse({ ...about, stage, reason, detail });
}

function totals({ kept }: Selection): Omit<Figures, 'funnels' | 'survival' | 'repetition'> {
  const sum = (of: (row: Candidate) => number) => kept.reduce((total, row) => total + of(row), 0);
  const human = kept.filter((row) => row.human).length;
  return {
    rows: kept.length,
    turns: sum(({ turns }) => turns),
    trainedTurns: sum(({ trained }) => trained.length),
    ...(human > 0 ? { humanRows: human } : {}),
    tokens: sum(({ tokens }) => tokens),
    mixture: tally(kept, ({ method }) => method).map(([name, rows]) => ({ name, rows })),
  };
}

function originOf(row: Selection['kept'][number], rollout: RolloutRow | undefined): DatasetOrigin {
  const { id, instance, method, split, trained, turns, tokens, content } = row;
  const chain = { head: rollout?.result?.head ?? null, problem: rollout?.problem ?? null };
  const { valid, reason } = rollout ? validityOf(rollout) : { valid: true, reason: '' };
  return DatasetOrigin.parse({ id, instance, method, split, ...chain, valid, reason, trained, turns, tokens, content });
}

/** Of all rollouts, kept or not: a data set costs what was thrown away for it, too. */
function costsOf(rollouts: Iterable<RolloutRow>): MethodCost[] {
  const costs = new Map<string, MethodCost>();
  for (const { method, result } of rollouts) {
    const { rollouts: n, usd, tokens } = costs.get(method) ?? { rollouts: 0, usd: 0, tokens: 0 };
    const cost = result?.cost ?? { usd: 0, tokens: 0 };
    costs.set(method, { method, rollouts: n + 1, usd: usd + cost.usd, tokens: tokens + cost.tokens });
  }
  return [...costs.values()].sort((a, b) => (a.method < b.method ? -1 : 1));
}

function tally<T>(items: readonly T[], nameOf: (item: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function answersIn(blobs: BlobStore, { sha256 }: Ref): Promise<(Candidate | Lost)[]> {
  const lines = (await blobs.get(sha256)).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Candidate | Lost);
}

function isLost(answer: Candidate | Lost): answer is Lost {
  return 'reason' in answer;
}

function isCandidate(answer: Candidate | Lost): answer is Candidate {
  return !isLost(answer);
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
