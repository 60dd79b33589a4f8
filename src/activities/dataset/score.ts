import { CancelledFailure } from '@temporalio/common';
import { profileNamed } from '../../config';
import { isPointsmanError, type ModelProfile, PointsmanError, type Ref, type SharedBudget } from '../../contract';
import { sampledOf } from '../../dataset/exporters/sampled-calls';
import type { Sample } from '../../dataset/model-calls';
import { foreignTo } from '../../dataset/vocabulary';
import type { Deps } from '../../deps';
import { estimateScore, type GivenIds, requirePrice, type Scored, scoreIds } from '../../model';
import { scoreRequest } from '../../store/ledger';
import { DatasetRows } from './rows';
import type { ChosenRows } from './selection';

export interface ScoreInput {
  /** First execution's run id, by which its calls are named. */
  readonly run: string;
  readonly setting: Ref;
  readonly chosen: Ref;
  /** From 0, over both splits. */
  readonly page: number;
  readonly budget?: SharedBudget;
}

export interface ScoredPage {
  readonly rows: number;
  readonly sequences: number;
  readonly tokens: number;
  readonly usd: number;
  /** Rows that were not scored, by reason. */
  readonly left: Readonly<Record<string, number>>;
}

/** Rows of a page that are scored side by side; the profile's `concurrency` holds for all pages together. */
const LANES = 8;
/** Rows in whose tokens a server reads something else, and no row that it reads: then it has another vocabulary. */
const FOREIGN_ROWS = 3;

/** Asks a data set's teacher how likely the sampled tokens of a page's rows are. */
export function createScorer(deps: Deps): (input: ScoreInput, signal: AbortSignal) => Promise<ScoredPage> {
  const { blobs, scores, budgets, config, env, shared } = deps;

  return async ({ run, setting, chosen, page, budget }, signal) => {
    const rows = await DatasetRows.open(deps, setting);
    const name = rows.setting.input.teacher!.profile;
    const profile = profileNamed(config, name);
    const { pages } = JSON.parse((await blobs.get(chosen.sha256)).toString('utf8')) as ChosenRows;
    const at = [...pages.train, ...pages.validation][page]!;
    const places = await rows.chosen(at);
    const sum = { rows: 0, sequences: 0, tokens: 0, usd: 0, left: {} as Record<string, number> };
    const foreign: string[] = [];
    let [next, scored] = [0, 0];
    let failure: { readonly error: unknown } | undefined;
    const lanes = Array.from({ length: Math.min(LANES, places.length) }, () =>
      lane().catch((error: unknown) => {
        failure ??= { error };
      }),
    );
    // None is left behind: what it is answered would be paid for again.
    await Promise.all(lanes);
    if (failure) throw failure.error;
    return sum;

    async function lane(): Promise<void> {
      for (let i = next++; i < places.length && !failure; i = next++) {
        if (signal.aborted) throw new CancelledFailure('the data set was cancelled');
        const samples = sampledOf(await rows.load(places[i]!, { readsTokens: true }))?.samples ?? [];
        const left = samples.length === 0 ? 'no_sampled_tokens' : await scoreAll(samples);
        sum.rows += 1;
        if (left === undefined) scored += 1;
        else sum.left[left] = (sum.left[left] ?? 0) + 1;
        if (scored === 0 && foreign.length > 0 && (foreign.length >= FOREIGN_ROWS || sum.rows === places.length)) {
          throw new PointsmanError(
            'InvalidInput',
            `teacher: profile "${name}" has another vocabulary: ${foreign[0]}`,
            'Name a teacher with the tokenizer of the model that sampled: an id must mean the same to both.',
          );
        }
      }
    }

    /** Why not all sequences of a row could be scored; undefined where they were. */
    async function scoreAll(samples: readonly Sample[]): Promise<string | undefined> {
      let left: string | undefined;
      for (const sample of samples) {
        const given = { ids: sample.ids, from: sample.prompt };
        const score = await paid(given);
        if (typeof score === 'string') {
          left = score;
          continue;
        }
        sum.sequences += 1;
        sum.tokens += score.tokens;
        sum.usd += score.costUsd;
        const other = foreignTo(sample, score.texts, rows.tokenizer);
        if (other === undefined) continue;
        foreign.push(other);
        return 'other_vocabulary';
      }
      return left;
    }

    /** One request, or what it was answered before; or why it cannot be scored for good. */
    async function paid(given: GivenIds): Promise<Scored | string> {
      const request = scoreRequest(profile, given);
      const found = await scores.found(request);
      if (found) return found;
      // It makes a token behind them.
      if (given.ids.length + 1 > profile.contextTokens) return 'longer_than_context';
      try {
        return await ask(request, given, profile);
      } catch (error) {
        if (!isPointsmanError(error)) throw error;
        if (error.code === 'ContextWindowExceeded') return 'longer_than_context';
        if (error.code !== 'ModelRejected' || !OUT_OF_VOCABULARY.test(error.message)) throw error;
        foreign.push(error.message);
        return 'other_vocabulary';
      }
    }

    async function ask(request: string, given: GivenIds, { price }: ModelProfile): Promise<Scored> {
      const callId = `${run}/${request.slice(0, 32)}`;
      if (budget) {
        requirePrice(name, price, budget.capUsd);
        await budgets.reserve(budget.name, budget.capUsd, callId, estimateScore(given, profile).costUsd);
      }
      try {
        const said = await scoreIds(profile, { name, env, places: shared?.places }, given, {
          signal,
          requestId: callId,
        });
        const standing = await scores.record(request, said);
        if (budget) await budgets.settle(budget.name, callId, standing.costUsd);
        return standing;
      } catch (error) {
        if (budget) await budgets.release(budget.name, callId);
        throw error;
      }
    }
  };
}

/** vLLM's words for ids that its model does not have. */
const OUT_OF_VOCABULARY = /out of (the )?vocab/i;
