import type { DatasetFile, DatasetFormat, DatasetInput, DatasetResult, Ref, ScoredFigures } from '../../contract';
import { EXPORTERS, type Exporter } from '../../dataset/exporters';
import type { DatasetRow } from '../../dataset/row';
import type { Split } from '../../dataset/selection';
import type { Deps } from '../../deps';
import { withHeartbeat } from '../heartbeat';
import { Threads } from '../threads';
import { writeFolder, writeLines } from './files';
import { publishDataset } from './publish';
import type { RowAnswer, RowTask } from './row-work';
import { DatasetRows } from './rows';
import { createScorer, type ScoredPage, type ScoreInput } from './score';
import { type ChosenRows, chooseRows } from './selection';
import { readSetting } from './setting';
import { lookAtFirstRows } from './template';

export interface OpenedDataset {
  readonly setting: Ref;
  readonly pages: number;
  readonly rows: number;
  /** What a look at the first rows found of the tokenizer's chat template. */
  readonly template?: readonly string[];
}

export interface JudgedPage {
  readonly judged: Ref;
  readonly rows: number;
  /** Of them, what the filters of a single row let through. */
  readonly passed: number;
}

export interface ChosenDataset {
  readonly chosen: Ref;
  readonly rows: Readonly<Record<Split, number>>;
  /** Pages of them, both splits together; absent in older histories. */
  readonly pages?: number;
}

/**
 * A data set in the making. What lies between the steps are blobs, so that each may be done again and gives the same; files
 * are written beside the data set and take its place together.
 */
export function createDatasetActivities(deps: Deps) {
  const { blobs } = deps;
  const score = createScorer(deps);
  const threads = new Threads<RowTask, RowAnswer>('worker/row-thread', {
    config: deps.config,
    home: deps.home,
  });
  const json = async <T>({ sha256 }: Ref) => JSON.parse((await blobs.get(sha256)).toString('utf8')) as T;

  async function* chosenRows(
    rows: DatasetRows,
    pages: readonly Ref[],
    exporter: Exporter,
    signal: AbortSignal,
  ): AsyncGenerator<DatasetRow> {
    for (const page of pages) {
      for (const place of await rows.chosen(page)) {
        signal.throwIfAborted();
        yield rows.load(place, exporter);
      }
    }
  }

  return {
    /** Reads the sources once, so that what is judged and written later is what was there now. Writes blobs only. */
    async openDataset(input: DatasetInput): Promise<OpenedDataset> {
      return withHeartbeat(async () => {
        const setting = await readSetting(deps, input);
        const template = await lookAtFirstRows(await DatasetRows.open(deps, await blobs.put(JSON.stringify(setting))));
        const looked = template.length > 0 ? { ...setting, template } : setting;
        const { pages, rows } = setting;
        return { setting: await blobs.put(JSON.stringify(looked)), pages: pages.length, rows, template };
      });
    },

    /** What each row of a page is by itself. Retry-safe: it reads chains one at a time, and writes a blob. */
    async judgeRows({ setting, page }: { setting: Ref; page: number }): Promise<JudgedPage> {
      return withHeartbeat(async (signal) => {
        const { lines, passed } = await threads.do({ setting, judge: page }, signal);
        return { judged: await blobs.put(lines.join('')), rows: lines.length, passed };
      });
    },

    /** Duplicates, caps, mixture and splits over everything that was judged. Writes blobs only. */
    async chooseRows({ setting, judged }: { setting: Ref; judged: readonly Ref[] }): Promise<ChosenDataset> {
      return withHeartbeat(async () => {
        const chosen = await chooseRows(blobs, await DatasetRows.open(deps, setting), judged);
        const pages = chosen.pages.train.length + chosen.pages.validation.length;
        return { chosen: await blobs.put(JSON.stringify(chosen)), rows: chosen.rows, pages };
      });
    },

    /**
     * What the teacher says of a page's sampled tokens. Retry-safe: what it was paid for is in the ledger before this returns, and
     * is not asked again. Throws `InvalidInput` where its server does not score, or has another vocabulary.
     */
    async scoreRows(input: ScoreInput): Promise<ScoredPage> {
      return withHeartbeat((signal) => score(input, signal));
    },

    /** One format of one split. A retry writes the same files again. */
    async writeDatasetFiles(input: {
      draft: string;
      setting: Ref;
      chosen: Ref;
      format: DatasetFormat;
      split: Split;
    }): Promise<DatasetFile[]> {
      return withHeartbeat(async (signal) => {
        const { format, split } = input;
        const exporter = EXPORTERS[format];
        const rows = await DatasetRows.open(deps, input.setting);
        const pages = (await json<ChosenRows>(input.chosen)).pages[split];
        const request = {
          folder: deps.results.draftOf('datasets', input.draft),
          format,
          split,
          parquet: rows.setting.input.parquet,
        };
        const tasks = pages.map((write) => ({ setting: input.setting, write, format }));
        const written =
          exporter.layout === 'lines'
            ? await writeLines(exporter, request, threads.inOrder(tasks, signal))
            : await writeFolder(exporter, request, chosenRows(rows, pages, exporter, signal), rows.exportContext);
        // Safe to repeat, as the writing is.
        const paths = written.map(({ path }) => path);
        await deps.results.keepDraft('datasets', input.draft, paths);
        return written;
      });
    },

    /** Card, recipes and manifest, then the whole folder takes the place of the old one. A retry gives the same folder. */
    async publishDataset(input: {
      draft: string;
      setting: Ref;
      chosen: Ref;
      files: readonly DatasetFile[];
      scored?: ScoredFigures;
    }): Promise<Omit<DatasetResult, 'id'>> {
      return withHeartbeat(async () => {
        const { setting } = await DatasetRows.open(deps, input.setting);
        const chosen = await json<ChosenRows>(input.chosen);
        const { files, scored } = input;
        const paths = files.map(({ path }) => path);
        return deps.results.withDraft('datasets', input.draft, paths, (draft) =>
          publishDataset(deps, { draft, setting, chosen, files, scored }),
        );
      });
    },

    /** What a run wrote on the way. Safe to repeat. */
    async dropDatasetDraft({ draft }: { draft: string }): Promise<void> {
      return withHeartbeat(() => deps.results.dropDraft('datasets', draft));
    },
  };
}
