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
import type { createModelActivities } from '../../activities/model';
import {
  DatasetInput,
  type DatasetProgress,
  type DatasetResult,
  queuesUnder,
  type Ref,
  type ScoredFigures,
} from '../../contract';
import { checked } from '../durable/input';
import { Phase } from '../durable/phase';
import { type ModelQueue, modelCall, modelQueue, RETRY, STORE } from '../durable/retry';
import { sideBySide } from '../durable/side-by-side';

/** Pages judged, or files written, at once. */
const AT_ONCE = 8;
/** Pages of rows that a teacher scores at once, several rows of each. */
const SCORED_AT_ONCE = 4;

const progressQuery = defineQuery<DatasetProgress>('progress');

/**
 * From graded trajectories to training files (OEC, section 3): each row is judged by itself (rejection sampling, repetition,
 * masks, length), then rows are chosen among each other (duplicates, a cap for each instance, the mixture), where it distils
 * a teacher scores what was sampled, then every format is written. The folder appears whole, with a card that says what was left out and why.
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
    scored: undefined as number | undefined,
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
      const { chosen, rows: counts, pages: chosenPages = 0 } = await this.choose(setting, judged);
      const scored = input.teacher ? await this.score(setting, chosen, chosenPages) : undefined;
      const files = await this.write(setting, chosen, counts);
      phase.enter('Publishing');
      const published = await datasetStore.publishDataset.executeWithOptions({ summary: `datasets/${input.name}` }, [
        { draft, setting, chosen, files, ...(scored ? { scored } : {}) },
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

  /** How likely a teacher takes the sampled tokens of the chosen rows to be. */
  private async score(setting: Ref, chosen: Ref, pages: number): Promise<ScoredFigures> {
    const { profile, costUsd } = this.input.teacher!;
    const { counts } = this;
    const { workflowType, firstExecutionRunId: run, taskQueue } = this.info;
    this.phase.enter('Scoring');
    const checked = await datasetStore.checkProfiles.executeWithOptions({ summary: profile }, [
      { profiles: [profile], capUsd: costUsd },
    ]);
    const teacher = teacherActivities(modelQueue(queuesUnder(taskQueue), checked, profile));
    const budget = costUsd === undefined ? undefined : { name: `${workflowType} ${run}`, capUsd: costUsd };
    counts.scored = 0;
    const scored = await sideBySide([...Array(pages).keys()], SCORED_AT_ONCE, async (page) => {
      const summary = `page ${page + 1} of ${pages}: ${profile}`;
      const answer = await teacher.scoreRows.executeWithOptions({ summary }, [{ run, setting, chosen, page, budget }]);
      counts.scored! += answer.rows;
      this.show();
      return answer;
    });
    const sum = (of: (page: (typeof scored)[number]) => number) => scored.reduce((total, page) => total + of(page), 0);
    const reasons = [...new Set(scored.flatMap(({ left }) => Object.keys(left)))].sort();
    return {
      profile,
      sequences: sum(({ sequences }) => sequences),
      tokens: sum(({ tokens }) => tokens),
      usd: sum(({ usd }) => usd),
      left: reasons.map((reason) => ({ reason, count: sum(({ left }) => left[reason] ?? 0) })),
    };
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
const datasetStore = proxyActivities<
  Omit<Making, 'writeDatasetFiles' | 'scoreRows'> & Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>(STORE);

/** A provider may be away for hours: tried until then, and what was answered is never asked again. */
function teacherActivities(queue: ModelQueue) {
  return proxyActivities<Pick<Making, 'scoreRows'>>(modelCall(queue));
}

/** A file of any size. Its draft is dropped when the run is cancelled, so nobody may write any more by then. */
const datasetFiles = proxyActivities<Pick<Making, 'writeDatasetFiles'>>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** Markdown for the Temporal UI's "Current Details" of a data set. */
function datasetDetails(input: DatasetInput, progress: DatasetProgress, result?: DatasetResult): string {
  const { phase, rows, judged, passed, kept, scored, files, filesWritten, template = [] } = progress;
  return [
    `**${input.name}** — ${result ? `${result.rows} rows` : phase}`,
    '',
    rows === null
      ? 'Reading the sources.'
      : `${judged} of ${rows} rows judged; ${passed} of them passed their filters.`,
    ...template.flatMap((note) => ['', `Chat template: ${note}.`]),
    ...(scored === undefined ? [] : ['', `${scored} of ${kept} rows scored by ${input.teacher!.profile}.`]),
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
