import { createHash } from 'node:crypto';
import { type DataRecord, type LinesExporter, RecordProblem } from './exporter';
import { METADATA_COLUMNS } from './messages';
import { fieldsOf, metadataIn, textOf } from './read';
import { numbersIn } from './read-tokens';
import { callName, rewardOf, sampledOf, withFigures, withoutTokens } from './sampled-calls';

const VERSION = 1;

/**
 * NeMo Gym's `TokenEntry` (version 1), a line a call. A call whose prompt does not go on from the one before is the root of
 * a chain of its own, as its `prefix_merging` would have it. Its model takes fields that it does not know: reward, whether it
 * is one, and where the call stands in the chain are beside its own.
 */
export const nemoGym: LinesExporter = {
  format: 'nemo-gym',
  layout: 'lines',
  mask: 'labels',
  loadedBy: "NeMo Gym's `TokenEntry` and what builds trajectories of them",
  readsTokens: true,
  isOf: (fields) => 'generation_token_ids' in fields,
  export(row) {
    const sampled = sampledOf(row);
    if (!sampled) return withoutTokens(row);
    const reward = rewardOf(row);
    const { id, metadata, conversation } = row;
    const records = sampled.samples.flatMap(({ answers, ids }) =>
      answers.map(({ call, end }, i): DataRecord => {
        const { tokens, reply, model, turn, author, step } = call;
        const parent = answers[i - 1]?.call;
        return {
          schema_version: VERSION,
          rollout_id: id,
          model_call_id: callName(row, call),
          model,
          prompt_token_ids: tokens.prompt,
          generation_token_ids: tokens.answer,
          generation_log_probs: tokens.logprobs,
          routed_experts: tokens.routedExperts ?? null,
          output_items: [
            {
              type: 'message',
              role: 'assistant',
              content: reply.content,
              ...(reply.reasoning ? { reasoning_content: reply.reasoning } : {}),
              tool_calls: reply.toolCalls.map(({ id: name, ...called }) => ({
                id: name,
                type: 'function',
                function: { name: called.name, arguments: called.arguments },
              })),
            },
          ],
          token_item_index: 0,
          // Its readers order by it and by nothing else of it.
          created_at: sampled.calls.indexOf(call),
          parent_call_id: parent ? callName(row, parent) : null,
          parent_resolution: parent ? 'resolved' : 'root',
          cum_len: end,
          digest: digestOf(ids.slice(0, end)),
          reward,
          valid: metadata.valid,
          reason: metadata.reason,
          author,
          turn,
          step: step === null ? '' : (conversation.turns[step]?.step ?? ''),
          metadata,
        };
      }),
    );
    return withFigures(row, sampled, records);
  },
  columns: {
    schema_version: { type: 'int' },
    rollout_id: { type: 'string' },
    model_call_id: { type: 'string' },
    model: { type: 'string' },
    prompt_token_ids: { type: { list: 'int' } },
    generation_token_ids: { type: { list: 'int' } },
    generation_log_probs: { type: { list: 'double' } },
    routed_experts: { type: 'json' },
    output_items: { type: 'json' },
    token_item_index: { type: 'int' },
    created_at: { type: 'double' },
    parent_call_id: { type: 'string' },
    parent_resolution: { type: 'string' },
    cum_len: { type: 'int' },
    digest: { type: 'string' },
    reward: { type: 'double' },
    valid: { type: 'bool' },
    reason: { type: 'string' },
    author: { type: 'string' },
    turn: { type: 'int' },
    step: { type: 'string' },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = fieldsOf(record);
    if (Number(fields.schema_version) > VERSION)
      throw new RecordProblem(`expected schema_version ${VERSION}, found ${String(fields.schema_version)}`);
    const prompt = numbersIn(fields, 'prompt_token_ids');
    const answer = numbersIn(fields, 'generation_token_ids');
    const logprobs = numbersIn(fields, 'generation_log_probs', 'number');
    const ids = [...prompt, ...answer];
    const problems: string[] = [];
    if (logprobs.length !== answer.length)
      problems.push(`expected ${answer.length} log-probabilities, found ${logprobs.length}`);
    if (textOf(fields.digest) !== '' && fields.digest !== digestOf(ids))
      problems.push('expected the digest to be that of prompt and generation, found another');
    if (fields.valid === false && typeof fields.reward === 'number')
      problems.push(`expected no reward of a rollout that is not valid, found ${fields.reward}`);
    const step = textOf(fields.step);
    return {
      id: textOf(fields.model_call_id),
      row: textOf(fields.rollout_id),
      turns: [{ message: -1, trained: true, author: typeof fields.author === 'string' ? fields.author : null, step }],
      messages: null,
      tools: null,
      train: metadataIn(record).train,
      tokens: { ids, labels: [...prompt.map(() => -100), ...answer] },
      endsWithTurn: false,
      problems,
    };
  },
};

/** As its `compute_digest`: SHA-256 over a domain, a version, the count and each id in eight bytes, the largest first. */
function digestOf(ids: readonly number[]): string {
  const hash = createHash('sha256').update('nemo-gym-tokens');
  if (ids.length === 0) return hash.digest('hex');
  const bytes = Buffer.alloc(9 + 8 * ids.length);
  bytes.writeUInt8(1, 0);
  bytes.writeBigUInt64BE(BigInt(ids.length), 1);
  ids.forEach((id, i) => {
    bytes.writeUInt32BE(Math.floor(id / 2 ** 32), 9 + 8 * i);
    bytes.writeUInt32BE(id % 2 ** 32, 13 + 8 * i);
  });
  return hash.update(bytes).digest('hex');
}
