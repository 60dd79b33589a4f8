import {
  CancellationScope,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { DatasetInput, type DatasetProgress, type DatasetResult } from '../contract';
import { publish } from './durable/attributes';
import { datasetFiles, datasetStore } from './durable/dataset-activities';
import { datasetDetails } from './durable/dataset-details';
import { checked } from './durable/input';
import { sideBySide } from './durable/side-by-side';

/** Pages judged, or files written, at once. */
const AT_ONCE = 8;

const progressQuery = defineQuery<DatasetProgress>('progress');

/**
 * From graded trajectories to training files (OEC, section 3): each row is judged by itself (rejection sampling, repetition,
 * masks, length), then rows are chosen among each other (duplicates, a cap for each instance, the mixture), then every
 * format is written. The folder appears whole, with a card that says what was left out and why.
 */
export async function dataset(raw: DatasetInput): Promise<DatasetResult> {
  const input = checked(DatasetInput, raw, 'dataset');
  const { workflowId, firstExecutionRunId: draft } = workflowInfo();
  const state: { -readonly [K in keyof DatasetProgress]: DatasetProgress[K] } = {
    phase: 'Reading',
    rows: null,
    judged: 0,
    passed: 0,
    kept: null,
    files: 0,
    filesWritten: 0,
  };
  setHandler(progressQuery, () => state, { description: 'Where the making of the data set is.' });
  publish({ InstanceId: input.name });
  enter('Reading');

  try {
    const { setting, pages, rows } = await datasetStore.openDataset.executeWithOptions(
      { summary: `${input.sources.length} sources, ${input.extra.length} extra` },
      [input],
    );
    state.rows = rows;
    upsertMemo({ name: input.name, rows });

    enter('Judging');
    const judged = await sideBySide([...Array(pages).keys()], AT_ONCE, async (page) => {
      const answer = await datasetStore.judgeRows.executeWithOptions({ summary: `page ${page + 1} of ${pages}` }, [
        { setting, page },
      ]);
      state.judged += answer.rows;
      state.passed += answer.passed;
      show();
      return answer.judged;
    });

    enter('Choosing');
    const { chosen, rows: counts } = await datasetStore.chooseRows.executeWithOptions(
      { summary: `among ${state.passed} rows that passed` },
      [{ setting, judged }],
    );
    state.kept = counts.train + counts.validation;

    const splits = counts.validation > 0 ? (['train', 'validation'] as const) : (['train'] as const);
    const files = [...new Set(input.formats)].flatMap((format) => splits.map((split) => ({ format, split })));
    state.files = files.length;
    enter('Writing');
    const written = await sideBySide(files, AT_ONCE, async (file) => {
      const made = await datasetFiles.writeDatasetFiles.executeWithOptions(
        { summary: `${file.split}.${file.format}: ${counts[file.split]} rows` },
        [{ draft, setting, chosen, ...file }],
      );
      state.filesWritten += 1;
      show();
      return made;
    });

    enter('Publishing');
    const published = await datasetStore.publishDataset.executeWithOptions({ summary: `datasets/${input.name}` }, [
      { draft, setting, chosen, files: written.flat() },
    ]);
    const result = { id: workflowId, ...published };
    state.phase = 'Done';
    upsertMemo({ kept: result.rows });
    publish({ Phase: 'Done', Outcome: 'complete', Step: result.rows });
    setCurrentDetails(datasetDetails(input, state, result));
    return result;
  } finally {
    await CancellationScope.nonCancellable(() =>
      datasetStore.dropDatasetDraft.executeWithOptions({ summary: 'the drafts go' }, [{ draft }]),
    );
  }

  function enter(phase: string): void {
    state.phase = phase;
    publish({ Phase: phase });
    show();
  }

  function show(): void {
    setCurrentDetails(datasetDetails(input, state));
  }
}
