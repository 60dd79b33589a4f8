import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { Asked, Ending } from '../../activities/campaign/endings';
import type { Method, Ref } from '../../contract';
import { campaignStore, campaignWatch } from './activities';

/** Rollouts whose end is asked for in one activity. */
const BATCH = 50;

/**
 * What became of rollouts, whoever began them: this run of the campaign, the one before it, or one that was terminated.
 * Those that have ended are asked for in batches that grow with the load; those that still run are watched together.
 */
export class CampaignEndings {
  private readonly asked = new Map<string, Asked>();
  private readonly watched = new Map<string, Asked>();
  private readonly found = new Map<string, Ending>();
  private collecting = false;
  private watch: CancellationScope | undefined;

  constructor(
    private readonly methods: readonly Method[],
    /** Told each page of rows, in the order in which they are written. */
    private readonly written: (page: Ref) => void,
  ) {}

  /** Waits for its end if need be, also in a workflow that is cancelled: a cancelled rollout keeps its work first. */
  async of(rollout: Asked): Promise<Ending> {
    return CancellationScope.nonCancellable(async () => {
      this.asked.set(rollout.id, rollout);
      void this.collect();
      await condition(() => this.found.has(rollout.id));
      const ending = this.found.get(rollout.id)!;
      this.found.delete(rollout.id);
      return ending;
    });
  }

  private async collect(): Promise<void> {
    if (this.collecting) return;
    this.collecting = true;
    try {
      while (this.asked.size > 0) {
        const rollouts = [...this.asked.values()].slice(0, BATCH);
        for (const { id } of rollouts) this.asked.delete(id);
        const { page, endings, open } = await campaignStore.endingsOf.executeWithOptions(
          {
            summary: `what became of ${rollouts.length === 1 ? rollouts[0]!.id : `${rollouts.length} rollouts`}`.slice(
              0,
              120,
            ),
          },
          [{ rollouts, methods: this.methods }],
        );
        if (page) this.written(page);
        for (const ending of endings) this.found.set(ending.id, ending);
        const running = new Set(open);
        this.follow(rollouts.filter(({ id }) => running.has(id)));
      }
    } finally {
      this.collecting = false;
    }
  }

  /** One activity watches all; it is called anew when there are more to watch. */
  private follow(rollouts: readonly Asked[]): void {
    if (rollouts.length === 0) return;
    for (const rollout of rollouts) this.watched.set(rollout.id, rollout);
    if (this.watch) this.watch.cancel();
    else void this.keepWatch();
  }

  private async keepWatch(): Promise<void> {
    while (this.watched.size > 0) {
      const ids = [...this.watched.keys()];
      this.watch = new CancellationScope({ cancellable: true });
      const summary = `waits for ${ids.length} that began before this run`;
      const ended = await this.watch
        .run(() => campaignWatch.firstEnded.executeWithOptions({ summary }, [{ ids }]))
        .catch((error: unknown) => {
          if (isCancellation(error)) return [];
          throw error;
        });
      for (const id of ended) {
        this.asked.set(id, this.watched.get(id)!);
        this.watched.delete(id);
      }
      void this.collect();
    }
    this.watch = undefined;
  }
}
