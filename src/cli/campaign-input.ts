import { CampaignInput, type HandOverPolicy, PointsmanError, parseInput } from '../contract';
import { given, reachable, type Written } from './input-file';

/** Flags that stand over what the input file says. */
export interface CampaignFlags {
  readonly problems?: string;
  readonly only?: readonly string[];
  readonly methods?: readonly PresetName[];
  readonly student?: string;
  readonly expert?: string;
  readonly handOver?: HandOverPolicy;
  readonly passes?: number;
  readonly order?: string;
  readonly resolvedPerInstance?: number;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly total?: number;
  readonly daily?: number;
  readonly steps?: number;
  readonly seed?: number;
  readonly tenant?: string;
  readonly priority?: number;
}

/** The paper's three ways of making trajectories: who acts in each, and when the expert takes over. */
const PRESETS = {
  oec: { authors: ['student', 'expert'], handOver: { uniform: [0, 30] } },
  bc: { authors: ['expert'], handOver: { at: 0 } },
  'on-policy': { authors: ['student'], handOver: { never: true } },
} as const;
export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

/** File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each field. */
export function campaignInput(written: Written, flags: CampaignFlags): Written {
  const { methods, student, expert, handOver, rate, total, daily, steps, tenant, ...fields } = flags;
  const merged: Written = { ...written, ...given({ ...fields, startsPerMinute: rate }) };
  const budget = given({ totalUsd: total, dailyUsd: daily });
  if (Object.keys(budget).length > 0) merged.budget = { ...(merged.budget as object | undefined), ...budget };
  if (steps !== undefined) merged.limits = { ...(merged.limits as object | undefined), steps };
  if (tenant !== undefined) merged.tenant = { ...(merged.tenant as object | undefined), key: tenant };
  if (methods || student || expert || handOver) merged.methods = methodsOf(flags);
  if (typeof merged.problems === 'string') merged.problems = reachable(merged.problems);
  parseInput<unknown>(CampaignInput, merged, 'campaign');
  return merged;
}

/** Methods by name; without names the one that the given profiles are for. */
function methodsOf({ methods, student, expert, handOver }: CampaignFlags): object[] {
  const profiles = { student, expert };
  const names = methods ?? [student && expert ? 'oec' : expert ? 'bc' : 'on-policy'];
  return names.map((name) => {
    const { authors, handOver: usual } = PRESETS[name];
    const missing = authors.find((author) => !profiles[author]);
    if (missing)
      throw new PointsmanError('InvalidInput', `--methods ${name}: --${missing} is needed`, 'Name a model profile.');
    const own = Object.fromEntries(authors.map((author) => [author, profiles[author]]));
    return { name, ...own, handOver: name === 'oec' && handOver ? handOver : usual };
  });
}
