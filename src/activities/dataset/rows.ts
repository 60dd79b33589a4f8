import { LRUCache } from 'lru-cache';
import { isPointsmanError, jsonAt, type Ref, type RolloutRow } from '../../contract';
import type { ChatTokenizer } from '../../dataset/chat-tokenizer';
import { extraRow } from '../../dataset/extra-row';
import { type Candidate, judge, type Lost } from '../../dataset/judge';
import { lossDetail, lossOf } from '../../dataset/losses';
import { type DatasetRow, rowOfRollout } from '../../dataset/row';
import type { Deps } from '../../deps';
import { type DatasetPage, type DatasetSetting, tokenizerIn } from './setting';

/** Where a row is read from again: a rollout's row, or a line of an extra source. */
export type RowPlace =
  | { readonly rollout: RolloutRow }
  | { readonly extra: number; readonly lines: Ref; readonly at: number; readonly number: number };

/** Rows of one run of `dataset`, read one at a time: chains are long, and a data set has thousands of them. */
export class DatasetRows {
  /** Pages of extra rows, which files take up in another order than they stand in. */
  private readonly pages = new LRUCache<string, readonly string[]>({ max: 8 });

  private constructor(
    private readonly deps: Pick<Deps, 'blobs' | 'transcripts'>,
    readonly setting: DatasetSetting,
    readonly tokenizer: ChatTokenizer | undefined,
  ) {}

  static async open(deps: Pick<Deps, 'blobs' | 'transcripts'>, ref: Ref): Promise<DatasetRows> {
    const setting = JSON.parse((await deps.blobs.get(ref.sha256)).toString('utf8')) as DatasetSetting;
    const { tokenizer } = setting.input;
    return new DatasetRows(
      deps,
      setting,
      tokenizer === undefined ? undefined : (await tokenizerIn(tokenizer)).tokenizer,
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

  /** Throws `NotFound` when a blob of its chain is missing. */
  async load(place: RowPlace): Promise<DatasetRow> {
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
    const loaded = { rollout: place.rollout, transcript, hashes, patch: patchBytes?.toString('utf8') ?? '' };
    return rowOfRollout(loaded, { view: setting.view, prompts: setting.prompts, train: setting.input.train });
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
  return error instanceof SyntaxError || (isPointsmanError(error) && error.code === 'NotFound');
}
