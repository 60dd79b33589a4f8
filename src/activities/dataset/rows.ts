import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { profileNamed } from '../../config';
import { isPointsmanError, jsonAt, type Ref, type RolloutRow, type Transcript } from '../../contract';
import type { ChatTokenizer } from '../../dataset/chat-tokenizer';
import type { ExportContext, Exporter } from '../../dataset/exporters';
import { sampledOf } from '../../dataset/exporters/sampled-calls';
import { extraRow } from '../../dataset/extra-row';
import { type Candidate, judge, type Lost } from '../../dataset/judge';
import { lossDetail, lossOf } from '../../dataset/losses';
import { type ModelCall, modelCalls } from '../../dataset/model-calls';
import { type DatasetRow, rowOfRollout, type TeacherScore, type TrajectoryCall } from '../../dataset/row';
import { foreignTo } from '../../dataset/vocabulary';
import type { Deps } from '../../deps';
import { scoreRequest } from '../../store/ledger';
import { type DatasetPage, type DatasetSetting, tokenizerIn } from './setting';

/** Where a row is read from again: a rollout's row, or a line of an extra source. */
export type RowPlace =
  | { readonly rollout: RolloutRow }
  | { readonly extra: number; readonly lines: Ref; readonly at: number; readonly number: number };

/** A row of the data set: a line of the pages that files are written from. */
export interface ChosenRow {
  readonly id: string;
  readonly place: RowPlace;
}

type RowDeps = Pick<Deps, 'blobs' | 'transcripts' | 'sampled' | 'scores' | 'config' | 'roots'>;

/** Rows of one run of `dataset`, read one at a time: chains are long, and a data set has thousands of them. */
export class DatasetRows {
  /** Pages of extra rows, which files take up in another order than they stand in. */
  private readonly pages = new LRUCache<string, readonly string[]>({ max: 8 });

  private constructor(
    private readonly deps: RowDeps,
    readonly setting: DatasetSetting,
    readonly tokenizer: ChatTokenizer | undefined,
  ) {}

  static async open(deps: RowDeps, ref: Ref): Promise<DatasetRows> {
    const setting = JSON.parse((await deps.blobs.get(ref.sha256)).toString('utf8')) as DatasetSetting;
    const { tokenizer } = setting.input;
    return new DatasetRows(
      deps,
      setting,
      tokenizer === undefined
        ? undefined
        : (await tokenizerIn(await deps.roots.here(tokenizer, 'tokenizer'))).tokenizer,
    );
  }

  /** A page's rows, where each is read from. */
  async places(page: DatasetPage): Promise<RowPlace[]> {
    const { lines, extra, from } = page;
    return (await this.lines(lines)).flatMap((line, at): RowPlace[] => {
      if (line.trim() === '') return [];
      return [
        extra === undefined ? { rollout: JSON.parse(line) as RolloutRow } : { extra, lines, at, number: from + at },
      ];
    });
  }

  /** Those of a page that was chosen. */
  async chosen(page: Ref): Promise<RowPlace[]> {
    return (await this.lines(page)).flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as ChosenRow).place]));
  }

  /** What formats need beside the row. */
  get exportContext(): ExportContext {
    const { dialectPrompts, input } = this.setting;
    const context = { prompts: dialectPrompts, tokenTurns: input.tokenTurns };
    return this.tokenizer ? { ...context, tokenizer: this.tokenizer } : context;
  }

  /** What a row is by itself. A chain that cannot be read is a loss and not an error: one lost blob must not stop the rest. */
  async judge(place: RowPlace): Promise<Candidate | Lost> {
    const { filters, maxTokens } = this.setting.input;
    if ('rollout' in place) {
      const { id, instance, method } = place.rollout;
      const loss = lossOf(place.rollout, filters);
      if (loss) return { id, instance, method, reason: loss.reason, detail: lossDetail(place.rollout, loss.reason) };
      const row = await this.load(place).catch((error: unknown) => {
        if (isUnreadable(error)) return error.message;
        throw error;
      });
      if (typeof row === 'string') return { id, instance, method, reason: 'chain_missing', detail: row };
      return judge(row, { filters, maxTokens, tokenizer: this.tokenizer });
    }
    return judge(await this.load(place), { filters, maxTokens, tokenizer: this.tokenizer });
  }

  /** With what its format reads of it. Throws `NotFound` when a blob of its chain is missing. */
  async load(
    place: RowPlace,
    { readsTokens, readsScores }: Pick<Exporter, 'readsTokens' | 'readsScores'> = {},
  ): Promise<DatasetRow> {
    const { setting, deps } = this;
    if (!('rollout' in place)) {
      const line = (await this.lines(place.lines))[place.at]!;
      const { name, path, licence = '' } = setting.input.extra[place.extra]!;
      const where = `extra.${name}: ${path}:${place.number}`;
      return extraRow(jsonAt({ line, where }, 'Each line is one row.'), {
        id: `${name}/${place.number}`,
        method: name,
        licence,
        where,
      });
    }
    const { head, patch } = place.rollout.result!;
    const [{ opening, steps, hashes }, patchBytes] = await Promise.all([
      deps.transcripts.chain(head),
      patch ? deps.blobs.get(patch.sha256) : undefined,
    ]);
    const transcript = { opening, steps: await Promise.all(steps.map((step) => deps.transcripts.see(step))) };
    const calls = readsTokens ? await this.calls(place.rollout, transcript) : [];
    const loaded = { rollout: place.rollout, transcript, hashes, patch: patchBytes?.toString('utf8') ?? '', calls };
    const row = rowOfRollout(loaded, { view: setting.view, prompts: setting.prompts, train: setting.input.train });
    return readsScores ? this.scored(row) : row;
  }

  /** With what the teacher said, as far as it was asked. */
  private async scored(row: DatasetRow): Promise<DatasetRow> {
    const { teacher } = this.setting.input;
    const sampled = teacher && sampledOf(row);
    if (!sampled || !row.trajectory) return row;
    const profile = profileNamed(this.deps.config, teacher.profile);
    const scores: (TeacherScore | undefined)[] = [];
    for (const sample of sampled.samples) {
      const found = await this.deps.scores.found(scoreRequest(profile, { ids: sample.ids, from: sample.prompt }));
      const foreign = found && foreignTo(sample, found.texts, this.tokenizer);
      scores.push(foreign === undefined ? found : undefined);
    }
    return { ...row, trajectory: { ...row.trajectory, scores } };
  }

  private async calls({ result, copiedSteps: copied }: RolloutRow, transcript: Transcript): Promise<TrajectoryCall[]> {
    const refused = await Promise.all((result?.refused ?? []).map((blob) => this.deps.transcripts.rejected(blob)));
    const calls: TrajectoryCall[] = [];
    // One after the other: most are kept as what they add to the one before.
    for (const call of modelCalls(transcript, { refused, copied })) calls.push(await this.withTokens(call));
    return calls;
  }

  /** Tokens that cannot be read are not there: the row is still what it is. */
  private async withTokens(call: ModelCall): Promise<TrajectoryCall> {
    if (!call.kept?.tokens) return call;
    try {
      return { ...call, tokens: await this.deps.sampled.read(call.kept.tokens) };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return { ...call, kept: { dropped: ['the kept tokens cannot be read'] } };
    }
  }

  private async lines({ sha256 }: Ref): Promise<readonly string[]> {
    const known = this.pages.get(sha256);
    if (known) return known;
    const lines = (await this.deps.blobs.get(sha256)).toString('utf8').split('\n');
    this.pages.set(sha256, lines);
    return lines;
  }
}

function isUnreadable(error: unknown): error is Error {
  return (
    error instanceof SyntaxError ||
    error instanceof z.ZodError ||
    (isPointsmanError(error) && error.code === 'NotFound')
  );
}
