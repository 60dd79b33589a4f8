import { responseOf } from '../model-calls';
import type { LinesExporter } from './exporter';
import { METADATA_COLUMNS } from './messages';
import { fieldsOf, metadataIn, textOf } from './read';
import { numbersLists } from './read-tokens';
import { rewardOf, sampledOf, withFigures, withoutTokens } from './sampled-calls';

/**
 * SkyRL's `GeneratorOutput`, a line a trajectory; its `concatenate_generator_outputs` makes a batch of lines. A trajectory
 * whose prompts go on from one another is one sample; another is several in a row, as its step-wise training has them: the
 * reward is that of the last. A rollout that is not valid has no reward and no loss, so that a reader that does not look at
 * `valid` learns nothing from it.
 */
export const skyrl: LinesExporter = {
  format: 'skyrl',
  layout: 'lines',
  mask: 'labels',
  loadedBy: "SkyRL's trainers, as the `GeneratorOutput` of a generator",
  readsTokens: true,
  isOf: (fields) => 'response_ids' in fields && 'loss_masks' in fields,
  export(row) {
    const sampled = sampledOf(row);
    if (!sampled) return withoutTokens(row);
    const { id, metadata, conversation } = row;
    const { samples } = sampled;
    const reward = rewardOf(row);
    const responses = samples.map(responseOf);
    const record = {
      prompt_token_ids: samples.map(({ ids, prompt }) => ids.slice(0, prompt)),
      response_ids: responses.map(({ ids }) => ids),
      rewards: samples.map((_, i) => (reward === null ? null : i === samples.length - 1 ? reward : 0)),
      loss_masks: responses.map(({ mask }) => (metadata.valid ? mask : mask.map(() => 0))),
      stop_reasons: samples.map(({ answers }) => answers.at(-1)!.call.reply.finishReason ?? 'stop'),
      rollout_logprobs: responses.map(({ logprobs }) => logprobs),
      trajectory_ids: samples.map(() => ({
        instance_id: metadata.instance_id,
        repetition_id: Math.max(0, metadata.pass),
      })),
      is_last_step: samples.map((_, i) => i === samples.length - 1),
      valid: samples.map(() => metadata.valid),
      reason: samples.map(() => metadata.reason),
      steps: samples.map(({ answers }) =>
        answers.map(({ call }) => ({
          author: call.author,
          turn: call.turn,
          step: call.step === null ? '' : (conversation.turns[call.step]?.step ?? ''),
        })),
      ),
      id,
      metadata,
    };
    return withFigures(row, sampled, [record]);
  },
  columns: {
    prompt_token_ids: { type: { list: { list: 'int' } } },
    response_ids: { type: { list: { list: 'int' } } },
    rewards: { type: { list: 'double' } },
    loss_masks: { type: { list: { list: 'int' } } },
    stop_reasons: { type: { list: 'string' } },
    rollout_logprobs: { type: { list: { list: 'double' } } },
    trajectory_ids: { type: { list: { struct: { instance_id: { type: 'string' }, repetition_id: { type: 'int' } } } } },
    is_last_step: { type: { list: 'bool' } },
    valid: { type: { list: 'bool' } },
    reason: { type: { list: 'string' } },
    steps: { type: 'json' },
    id: { type: 'string' },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = fieldsOf(record);
    const prompts = numbersLists(fields, 'prompt_token_ids');
    const responses = numbersLists(fields, 'response_ids');
    const masks = numbersLists(fields, 'loss_masks');
    const logprobs = fields.rollout_logprobs ? numbersLists(fields, 'rollout_logprobs', 'number') : responses;
    const problems: string[] = [];
    for (const [name, lists] of Object.entries({
      response_ids: responses,
      loss_masks: masks,
      rollout_logprobs: logprobs,
    })) {
      if (lists.length !== prompts.length) problems.push(`expected ${prompts.length} ${name}, found ${lists.length}`);
      lists.forEach((list, i) => {
        const ids = responses[i]?.length ?? 0;
        if (list.length !== ids) problems.push(`${name}[${i}]: expected ${ids} items, found ${list.length}`);
      });
    }
    const valid = Array.isArray(fields.valid) ? fields.valid : [];
    const rewards = Array.isArray(fields.rewards) ? fields.rewards : [];
    if (valid.some((is, i) => is === false && rewards[i] !== null))
      problems.push('expected no reward of a rollout that is not valid, found one');
    const steps = (Array.isArray(fields.steps) ? fields.steps.flat() : []) as { author?: unknown; step?: unknown }[];
    const { row, train } = metadataIn(record);
    return {
      id: textOf(fields.id) || row,
      row: row || textOf(fields.id),
      turns: steps
        .filter(({ step }) => step !== '')
        .map(({ author, step }) => ({
          message: -1,
          trained: true,
          author: typeof author === 'string' ? author : null,
          step: textOf(step),
        })),
      messages: null,
      tools: null,
      train,
      endsWithTurn: false,
      problems,
    };
  },
};
