import { HASHED_DIMENSIONS, HASHING, HashedHistory } from '../../analysis/shift/hashed-history';
import { historiesByTurn, historyText } from '../../analysis/shift/history';
import { profileNamed } from '../../config';
import {
  type EmbeddedTrajectory,
  isPointsmanError,
  type ModelProfile,
  PointsmanError,
  type SharedBudget,
  type ShiftTrajectory,
  type Transcript,
  type View,
} from '../../contract';
import type { Deps } from '../../deps';
import { embedTexts, estimateEmbedding, requirePrice, vectorsOf } from '../../model';
import { viewHere } from '../../roots';
import { embeddingRequest, type PaidEmbedding } from '../../store/ledger';
import { promptsFor } from '../prompts';

export interface Embedding {
  readonly embedding: string;
  readonly view: View;
  readonly embedTokens: number | null;
  readonly maxTurns: number;
  readonly budget?: SharedBudget;
}

/** What one request holds at most: servers bound the texts and the tokens of a request. */
const [TEXTS, TOKENS] = [32, 200_000];

/**
 * Embeds the whole history of a trajectory at every turn. What cannot be embedded for good (its chain is gone, or longer than
 * the model reads) comes back as missing. Vectors that were paid for are in the ledger before this returns.
 */
export function createTrajectoryEmbedder(deps: Deps) {
  const { blobs, transcripts, config, embeddings, budgets, env, roots, shared } = deps;

  return async (
    run: string,
    trajectory: ShiftTrajectory,
    asked: Embedding,
    signal: AbortSignal,
  ): Promise<EmbeddedTrajectory> => {
    try {
      const how = { ...asked, view: await viewHere(roots, asked.view) };
      const transcript = await transcripts.load(trajectory.head);
      return how.embedding === HASHING
        ? await kept(trajectory.id, HASHED_DIMENSIONS, hashed(transcript, how), FREE)
        : await byProfile(run, trajectory.id, transcript, how, signal);
    } catch (error) {
      if (!isPointsmanError(error) || !['NotFound', 'ContextWindowExceeded'].includes(error.code)) throw error;
      return { id: trajectory.id, turns: 0, dimensions: 0, vectors: null, missing: error.message, cost: FREE };
    }
  };

  async function byProfile(
    run: string,
    id: string,
    transcript: Transcript,
    { embedding, view, embedTokens, maxTurns, budget: cap }: Embedding,
    signal: AbortSignal,
  ): Promise<EmbeddedTrajectory> {
    const profile = profileNamed(config, embedding);
    const most = Math.min(embedTokens ?? Number.POSITIVE_INFINITY, profile.contextTokens);
    const texts = historiesByTurn(historyText(transcript, view, promptsFor(view), maxTurns), most);
    const batches: PaidEmbedding[] = [];
    for (const batch of batchesOf(texts, profile))
      batches.push(await paid(run, embedding, profile, batch, cap, signal));
    const dimensions = batches[0]?.dimensions ?? 0;
    if (batches.some((batch) => batch.dimensions !== dimensions)) {
      throw new PointsmanError(
        'ModelMalformed',
        `profile "${embedding}": vectors of one trajectory differ in length`,
        '',
      );
    }
    const ours = batches.filter(({ paidBy }) => paidBy === run);
    const cost = {
      usd: ours.reduce((sum, { costUsd }) => sum + costUsd, 0),
      tokens: ours.reduce((sum, { tokens }) => sum + tokens, 0),
    };
    const vectors = batches.flatMap(vectorsOf);
    return kept(id, dimensions, vectors, cost);
  }

  /** One request, or what it was answered before. */
  async function paid(
    run: string,
    name: string,
    profile: ModelProfile,
    texts: readonly string[],
    cap: SharedBudget | undefined,
    signal: AbortSignal,
  ): Promise<PaidEmbedding> {
    const request = embeddingRequest(profile, texts);
    const known = await embeddings.found(request);
    if (known) return known;
    const callId = `${run}/${request.slice(0, 32)}`;
    if (cap) {
      requirePrice(name, profile.price, cap.capUsd);
      await budgets.reserve(cap.name, cap.capUsd, callId, estimateEmbedding(texts, profile).costUsd);
    }
    try {
      const given = await embedTexts(profile, { name, env, places: shared?.places }, texts, {
        signal,
        requestId: callId,
      });
      const standing = await embeddings.record(request, { ...given, paidBy: run });
      if (cap) await budgets.settle(cap.name, callId, standing.costUsd);
      return standing;
    } catch (error) {
      if (cap) await budgets.release(cap.name, callId);
      throw error;
    }
  }

  async function kept(
    id: string,
    dimensions: number,
    vectors: readonly Float32Array[],
    cost: EmbeddedTrajectory['cost'],
  ): Promise<EmbeddedTrajectory> {
    const all = new Float32Array(vectors.length * dimensions);
    for (const [turn, vector] of vectors.entries()) all.set(vector, turn * dimensions);
    return { id, turns: vectors.length, dimensions, vectors: await blobs.put(new Uint8Array(all.buffer)), cost };
  }
}

const FREE = { usd: 0, tokens: 0 };

function hashed(transcript: Transcript, { view, embedTokens, maxTurns }: Embedding): Float32Array[] {
  const { opening, turns } = historyText(transcript, view, promptsFor(view), maxTurns);
  const history = new HashedHistory(embedTokens);
  history.append(opening);
  return turns.map((turn) => {
    history.append(turn);
    return history.vector();
  });
}

function batchesOf(texts: readonly string[], profile: ModelProfile): string[][] {
  const batches: string[][] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = estimateEmbedding([text], profile).tokens;
    const last = batches.at(-1);
    if (last && last.length < TEXTS && tokens + more <= TOKENS) {
      last.push(text);
      tokens += more;
    } else {
      batches.push([text]);
      tokens = more;
    }
  }
  return batches;
}
