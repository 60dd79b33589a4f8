import { Context } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { difficulties, isBetween } from '../../analysis/difficulty';
import { profileNamed } from '../../config';
import {
  type CampaignInput,
  type CampaignResult,
  type Method,
  type PlannedRollout,
  PointsmanError,
  type Ref,
  type RolloutRow,
  type SkipReason,
} from '../../contract';
import { funnelsOf } from '../../dataset/funnel';
import type { Deps } from '../../deps';
import { count } from '../../pages/figures';
import type { PrefixLevel } from '../../rollout/teacher-prefix';
import { rowsOf } from '../../store/campaigns';
import { withHeartbeat } from '../heartbeat';
import { type News, notify } from '../notify';
import { rowsOfSources } from '../rollout/rollout-rows';
import { skippedRow } from './endings';
import { type CampaignInstance, type PlanInput, plannedRollouts, plannedTotal } from './plan';
import { CampaignProblems } from './problems';
import { withTeachers } from './teachers';

export interface OpenedCampaign {
  readonly instances: Ref;
  readonly count: number;
  readonly unpriced: string[];
}

export interface PlanPage {
  readonly plan: PlanInput;
  readonly instances: Ref;
  readonly from: number;
  readonly count: number;
}

export interface ConcludeCampaign {
  readonly plan: PlanInput;
  readonly instances: Ref;
  readonly pages: readonly Ref[];
  /** Rollouts of the plan from `from` on that were never begun. */
  readonly rest: { readonly from: number; readonly reason: SkipReason } | null;
}

/** Resolved rollouts by method and instance. */
export type ResolvedOf = Readonly<Record<string, number>>;

/** Where instances stand in a curriculum, by method and instance. */
export type Prefixes = Readonly<Record<string, PrefixLevel>>;

/** What a campaign reads and writes: content-addressed blobs, and its one file at the end, replaced whole. Safe to retry. */
/** Of a problem that no rollout was made of. */
const UNTRIED = { rate: null, interval: [0, 1] } as const;

export function createCampaignActivities(deps: Deps) {
  const { blobs, campaigns, config } = deps;
  const problems = new CampaignProblems(deps.problems, blobs, deps.roots);
  /** Lists of instances as read: each page of a plan needs the whole. */
  const lists = new LRUCache<string, CampaignInstance[]>({ max: 8 });

  async function instancesOf({ sha256 }: Ref): Promise<CampaignInstance[]> {
    const known = lists.get(sha256);
    if (known) return known;
    const read = JSON.parse((await blobs.get(sha256)).toString('utf8')) as CampaignInstance[];
    lists.set(sha256, read);
    return read;
  }

  async function textOf(pages: readonly Ref[]): Promise<string> {
    const texts = await Promise.all(pages.map(async ({ sha256 }) => (await blobs.get(sha256)).toString('utf8')));
    return texts.join('');
  }

  /** Those whose pass rate in earlier rollouts lies where it is wanted. */
  async function within(
    all: readonly CampaignInstance[],
    { sources, between, by }: NonNullable<CampaignInput['passRates']>,
  ): Promise<CampaignInstance[]> {
    const known = new Map(difficulties(await rowsOfSources(deps, sources)).map((each) => [each.instance, each]));
    const left = all.filter(({ id }) => isBetween(known.get(id) ?? UNTRIED, between, by));
    if (left.length > 0) return left;
    throw new PointsmanError(
      'InvalidInput',
      `passRates: of ${count(all.length, 'problem')} none has a pass rate from ${between[0]} to ${between[1]}`,
      '`pointsman problem difficulty` shows the rates.',
    );
  }

  return {
    /** Reads and checks the problems, each of them before any is worked on. Throws `InvalidInput` that names the line. */
    async openCampaign(
      input: Pick<CampaignInput, 'problems' | 'only' | 'methods' | 'passRates'>,
    ): Promise<OpenedCampaign> {
      return withHeartbeat(async () => {
        const all = await problems.open(input.problems, input.only);
        const chosen = input.passRates ? await within(all, input.passRates) : all;
        const instances = await withTeachers(chosen, input.methods, campaigns);
        const profiles = new Set(input.methods.flatMap(({ student, expert }) => [student, expert]));
        const unpriced = [...profiles].filter((name) => name !== undefined && !profileNamed(config, name).price);
        return {
          instances: await blobs.put(JSON.stringify(instances)),
          count: instances.length,
          unpriced: unpriced.filter((name) => name !== undefined),
        };
      });
    },

    /** A page of the plan. The same input always gives the same rollouts. */
    async planRollouts({ plan, instances, from, count }: PlanPage): Promise<PlannedRollout[]> {
      return withHeartbeat(async () => plannedRollouts(plan, await instancesOf(instances), from, count));
    },

    /** Many pages of rows as one, so that what a run hands to the next stays small. */
    async bindPages({ pages }: { pages: readonly Ref[] }): Promise<Ref> {
      return withHeartbeat(async () => blobs.put(await textOf(pages)));
    },

    async keepResolved({ resolved }: { resolved: ResolvedOf }): Promise<Ref> {
      return blobs.put(JSON.stringify(resolved));
    },

    async readResolved({ resolved }: { resolved: Ref }): Promise<ResolvedOf> {
      return JSON.parse((await blobs.get(resolved.sha256)).toString('utf8')) as ResolvedOf;
    },

    async keepPrefixes({ prefixes }: { prefixes: Prefixes }): Promise<Ref> {
      return blobs.put(JSON.stringify(prefixes));
    },

    async readPrefixes({ prefixes }: { prefixes: Ref }): Promise<Prefixes> {
      return JSON.parse((await blobs.get(prefixes.sha256)).toString('utf8')) as Prefixes;
    },

    /** All rows in their one file, and what the funnels make of them. */
    async concludeCampaign(
      input: ConcludeCampaign,
    ): Promise<Pick<CampaignResult, 'rollouts' | 'funnels'> & { skipped: number }> {
      return withHeartbeat(async () => {
        const rows = new Map(rowsOf(await textOf(input.pages), 'pages').map((row) => [row.id, row]));
        const skipped = await neverBegun(input);
        for (const row of skipped) rows.set(row.id, row);
        const sorted = inOrder([...rows.values()], input.plan.methods);
        const text = sorted.map((row) => `${JSON.stringify(row)}\n`).join('');
        const rollouts = await blobs.put(text);
        await campaigns.write(input.plan.campaign, text);
        for (const failure of await notify(config, deps.env, newsOf(input, sorted)))
          Context.current().log.warn(failure);
        return { rollouts, funnels: funnelsOf(sorted), skipped: skipped.length };
      });
    },
  };

  async function neverBegun({ plan, instances: ref, rest }: ConcludeCampaign): Promise<RolloutRow[]> {
    if (!rest) return [];
    const instances = await instancesOf(ref);
    const methods = new Map(plan.methods.map((method) => [method.name, method]));
    const left = plannedRollouts(plan, instances, rest.from, plannedTotal(plan, instances.length));
    return left.map((planned) => skippedRow(planned, methods.get(planned.method)!, rest.reason));
  }
}

function newsOf({ plan, rest }: ConcludeCampaign, rows: readonly RolloutRow[]): News {
  const finished = rows.filter(({ outcome }) => outcome === 'finished').length;
  const resolved = rows.filter(({ result }) => result?.resolved === true).length;
  const usd = rows.reduce((sum, { result }) => sum + (result?.cost.usd ?? 0), 0);
  const how = rest ? `ended early (${rest.reason})` : 'is complete';
  return {
    text: `${plan.campaign} ${how}: ${finished} of ${rows.length} rollouts finished, ${resolved} resolved, $${usd.toFixed(2)}`,
    event: 'campaign_ended',
    id: plan.campaign,
    complete: rest === null,
    reason: rest?.reason ?? null,
    rollouts: rows.length,
    finished,
    resolved,
    usd,
  };
}

/** By method as they were given, then instance, then pass. */
function inOrder(rows: RolloutRow[], methods: readonly Method[]): RolloutRow[] {
  const place = new Map(methods.map(({ name }, at) => [name, at]));
  return rows.sort(
    (a, b) =>
      place.get(a.method)! - place.get(b.method)! ||
      (a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : a.pass - b.pass),
  );
}
