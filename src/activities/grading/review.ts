import { Context } from '@temporalio/activity';
import { profileNamed } from '../../config';
import { PointsmanError, type RawReply, type Ref, type Review, type RolloutReviewInput } from '../../contract';
import type { Deps } from '../../deps';
import { REVIEW_PROMPTS, readReview, reviewRequest } from '../../grading/review';
import { rowOfRun } from '../../store/history';
import { createAsker } from '../ask';
import { withHeartbeat } from '../heartbeat';
import { promptFiles } from '../prompts';

/** Answers that cannot be read before the reviewer is given up. */
const UNREAD = 3;
/** A token takes three characters at least, in nearly all text. */
const CHARACTERS_PER_TOKEN = 3;

export function createReviewActivities(deps: Deps) {
  const { blobs, transcripts, config, reviews } = deps;
  const ask = createAsker(deps);
  const text = async ({ sha256 }: Ref) => (await blobs.get(sha256)).toString('utf8');

  return {
    /**
     * Asks a model whether a rollout whose verdict is in doubt is to be trained on. Retry-safe: an answered call is in the
     * ledger and not paid for twice. Throws `ModelRejected` when it says neither yes nor no, however often it is asked.
     */
    async askReviewer({ rollout, reviewer }: RolloutReviewInput): Promise<Pick<Review, 'accepted' | 'why'>> {
      return withHeartbeat(async (signal) => {
        const { client, info } = Context.current();
        const profile = profileNamed(config, reviewer);
        const { result } = await rowOfRun(client, rollout, '');
        if (!result?.grade || !result.patch) {
          throw new PointsmanError(
            'InvalidInput',
            `${rollout} has no verdict`,
            'Only a rollout that was graded can be reviewed.',
          );
        }
        const { grade, head, patch } = result;
        const { opening } = await transcripts.load(head);
        const reviewed = { statement: opening.statement, patch: await text(patch), grade };
        const room = Math.max(1_000, profile.contextTokens - profile.maxOutputTokens) * CHARACTERS_PER_TOKEN;
        const prompts = promptFiles('review', REVIEW_PROMPTS, profile.view);
        const unread: RawReply[] = [];
        while (unread.length < UNREAD) {
          const request = reviewRequest(reviewed, prompts, room, unread);
          const call = { run: info.workflowExecution!.runId, turn: 1, attempt: unread.length };
          const { reply } = await ask({ ...call, name: reviewer, profile, request, signal });
          const said = readReview(reply.content ?? '');
          if (said) return said;
          unread.push(reply);
        }
        throw new PointsmanError(
          'ModelRejected',
          `${reviewer} said neither accept nor refuse: ${(unread.at(-1)?.content ?? '').slice(-300)}`,
          'Ask another model, or say it yourself with --accept or --refuse.',
        );
      });
    },

    /** Keeps a word on a rollout. Retry-safe: the last word counts, and this is the same. */
    async keepReview({ rollout, review }: { rollout: string; review: Review }): Promise<void> {
      await reviews.keep(rollout, review);
    },
  };
}
