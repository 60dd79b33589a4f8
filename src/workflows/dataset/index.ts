import {
  ActivityCancellationType,
  CancellationScope,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { createDatasetActivities } from '../../activities/dataset/dataset';
import { DatasetInput, type DatasetProgress, type DatasetResult, type Ref } from '../../contract';
import { checked } from '../durable/input';
import { Phase } from '../durable/phase';
import { RETRY, STORE } from '../durable/retry';
import { sideBySide } from '../durable/side-by-side';

/** Pages judged, or files written, at once. */
const AT_ONCE = 8;

const progressQuery = defineQuery<DatasetProgress>('progress');

/**
 * From graded trajectories to training files (OEC, section 3): each row is judged by itself (rejection sampling, repetition,
 * masks, length), then rows are chosen among each other (duplicates, a cap for each instance, the mixture), then every
 * format is written. The folder appears whole, with a card that says what was left out and why.
 */
export async function dataset(raw: DatasetInput): Promise<DatasetResult> {
  return new Dataset(checked(DatasetInput, raw, 'dataset')).run();
}

class Dataset {
  private readonly phase = new Phase('Reading', () => this.show());
  private readonly info = workflowInfo();
  private readonly counts = {
    rows: null as number | null,
    judged: 0,
    passed: 0,
    kept: null as number | null,
    files: 0,
    filesWritten: 0,
    template: [] as readonly string[],
  };

  constructor(private readonly input: DatasetInput) {
    setHandler(progressQuery, () => this.progress(), { description: 'Where the making of the data set is.' });
  }

  async run(): Promise<DatasetResult> {
    const { input, phase } = this;
    const draft = this.info.firstExecutionRunId;
    phase.enter('Reading', { InstanceId: input.name });
    try {
      const {
        setting,
        pages,
        rows,
        template = [],
      } = await datasetStore.openDataset.executeWithOptions(
        { summary: `${input.sources.length} sources, ${input.extra.length} extra` },
        [input],
      );
      this.counts.rows = rows;
      this.counts.template = template;
      upsertMemo({ name: input.name, rows });
      const judged = await this.judge(setting, pages);
      const { chosen, rows: counts } = await this.choose(setting, judged);
      const files = await this.write(setting, chosen, counts);
      phase.enter('Publishing');
      const published = await datasetStore.publishDataset.executeWithOptions({ summary: `datasets/${input.name}` }, [
        { draft, setting, chosen, files },
      ]);
      const result = { id: this.info.workflowId, ...published };
      upsertMemo({ kept: result.rows });
      phase.enter('Done', { Outcome: 'complete', Step: result.rows });
      setCurrentDetails(datasetDetails(input, this.progress(), result));
      return result;
    } finally {
      await CancellationScope.nonCancellable(() =>
        datasetStore.dropDatasetDraft.executeWithOptions({ summary: 'the drafts go' }, [{ draft }]),
      );
    }
  }

  /** Each row by itself, a page at a time. */
  private async judge(setting: Ref, pages: number) {
    const { counts } = this;
    this.phase.enter('Judging');
    return sideBySide([...Array(pages).keys()], AT_ONCE, async (page) => {
      const answer = await datasetStore.judgeRows.executeWithOptions({ summary: `page ${page + 1} of ${pages}` }, [
        { setting, page },
      ]);
      counts.judged += answer.rows;
      counts.passed += answer.passed;
      this.show();
      return answer.judged;
    });
  }

  /** Rows among each other. */
  private async choose(setting: Ref, judged: Ref[]) {
    const { counts } = this;
    this.phase.enter('Choosing');
    const summary = `among ${counts.passed} rows that passed`;
    const chosen = await datasetStore.chooseRows.executeWithOptions({ summary }, [{ setting, judged }]);
    counts.kept = chosen.rows.train + chosen.rows.validation;
    return chosen;
  }

  /** Every format, and every split that has rows. */
  private async write(setting: Ref, chosen: Ref, rows: { train: number; validation: number }) {
    const { counts } = this;
    const draft = this.info.firstExecutionRunId;
    const splits = rows.validation > 0 ? (['train', 'validation'] as const) : (['train'] as const);
    const files = [...new Set(this.input.formats)].flatMap((format) => splits.map((split) => ({ format, split })));
    counts.files = files.length;
    this.phase.enter('Writing');
    const written = await sideBySide(files, AT_ONCE, async ({ format, split }) => {
      const made = await datasetFiles.writeDatasetFiles.executeWithOptions(
        { summary: `${split}.${format}: ${rows[split]} rows` },
        [{ draft, setting, chosen, format, split }],
      );
      counts.filesWritten += 1;
      this.show();
      return made;
    });
    return written.flat();
  }

  private progress(): DatasetProgress {
    return { phase: this.phase.name, ...this.counts };
  }

  private show(): void {
    setCurrentDetails(datasetDetails(this.input, this.progress()));
  }
}

type Making = ReturnType<typeof createDatasetActivities>;

/** Reads and writes blobs: a page, or a summary of all pages. */
const datasetStore = proxyActivities<Omit<Making, 'writeDatasetFiles'>>(STORE);

/** A file of any size. Its draft is dropped when the run is cancelled, so nobody may write any more by then. */
const datasetFiles = proxyActivities<Pick<Making, 'writeDatasetFiles'>>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** Markdown for the Temporal UI's "Current Details" of a data set. */
function datasetDetails(input: DatasetInput, progress: DatasetProgress, result?: DatasetResult): string {
  const { phase, rows, judged, passed, kept, files, filesWritten, template = [] } = progress;
  return [
    `**${input.name}** — ${result ? `${result.rows} rows` : phase}`,
    '',
    rows === null
      ? 'Reading the sources.'
      : `${judged} of ${rows} rows judged; ${passed} of them passed their filters.`,
    ...template.flatMap((note) => ['', `Chat template: ${note}.`]),
    ...(kept === null
      ? []
      : ['', `${kept} rows chosen; ${filesWritten} of ${files} formats written: ${input.formats.join(', ')}.`]),
    ...(result
      ? [
          '',
          '```',
          ...result.funnels.flatMap(({ method, funnel }) => [
            method,
            ...funnel.stages.map(({ stage, count }) => `  ${stage.replaceAll('_', ' ').padEnd(16)} ${count}`),
          ]),
          '```',
          '',
          `In \`${result.folder}\`.`,
        ]
      : []),
    '',
    `In full: \`pointsman dataset show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}
