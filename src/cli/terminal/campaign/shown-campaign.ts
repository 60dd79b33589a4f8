import type { CampaignProgress, CampaignResult, Funnel } from '../../../contract';
import type { RunStatus } from '../../../pages/shown-run';

/** A campaign as viewers have it. */
export interface ShownCampaign {
  readonly id: string;
  /** `kept`: the server no longer knows it, but its rows are in the home. */
  readonly status: RunStatus | 'kept';
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** Undefined when it has ended, or no worker answers. */
  readonly progress: CampaignProgress | undefined;
  readonly result: CampaignResult | undefined;
  /** Of one that runs: as far as its rows are written. */
  readonly funnels: CampaignResult['funnels'];
  /** All methods together, where there are several. */
  readonly total: Funnel | undefined;
  readonly trouble: string | undefined;
  readonly links: readonly (readonly [string, string])[];
}
