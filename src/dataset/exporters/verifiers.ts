import { createHash } from 'node:crypto';
import type { ChatMessage, ChatTool, ExitStatus, RawReply } from '../../contract';
import { renderRequest } from '../../rollout/render';
import type { DatasetRow } from '../row';
import { type TextMark, wellFormedMessage } from '../text-marks';
import { type DataRecord, type LinesExporter, RecordProblem } from './exporter';
import type { Fields } from './fields';
import { METADATA_COLUMNS } from './messages';
import { fieldsOf, listOf, metadataIn, textOf } from './read';
import { numbersIn } from './read-tokens';
import { rewardOf, type ScoredCall, sampledOf, withFigures, withoutTokens } from './sampled-calls';

const VERSION = 1;

/**
 * The trace of `verifiers` (version 1), one a line: a graph of messages, of which each holds the tokens that it adds. What a
 * prompt adds to the call before it stands, as the package has it where nobody knows which token is of which message, with
 * the answer that follows. A prompt that does not go on from the one before begins a branch of its own.
 */
export const verifiers: LinesExporter = {
  format: 'verifiers',
  layout: 'lines',
  mask: 'labels',
  loadedBy: '`WireTrace` of `verifiers.v1`, and trainers that read its branches',
  readsTokens: true,
  isOf: (fields) => 'nodes' in fields && 'rewards' in fields,
  export(row) {
    const sampled = sampledOf(row);
    if (!sampled) return withoutTokens(row);
    const { id, metadata, trajectory } = row;
    const { transcript, status } = trajectory!;
    const tools = toolsOf(asked(row, sampled.calls[0]!).tools);
    const nodes: DataRecord[] = [];
    const calls: DataRecord[] = [];
    for (const { answers, ids } of sampled.samples) {
      let seen = 0;
      let parent: number | null = null;
      let from = 0;
      for (const { call, start, end } of answers) {
        const { messages } = asked(row, call);
        for (const message of messages.slice(seen)) {
          const bare: DataRecord = {
            message: messageOf(message),
            sampled: false,
            token_ids: [],
            mask: [],
            logprobs: [],
          };
          nodes.push({ parent, ...(parent === null ? { tools } : {}), ...bare, timestamp: 0 });
          parent = nodes.length - 1;
        }
        nodes.push({
          parent,
          message: replyOf(call.reply),
          sampled: true,
          token_ids: ids.slice(from, end),
          mask: ids.slice(from, end).map((_, i) => from + i >= start),
          logprobs: call.tokens.logprobs,
          timestamp: 0,
          // Its model leaves out what it does not know.
          author: call.author,
          step: call.step === null ? '' : (row.conversation.turns[call.step]?.step ?? ''),
        });
        parent = nodes.length - 1;
        calls.push(callOf(call, parent));
        from = end;
        seen = messages.length + 1;
      }
    }
    const reward = rewardOf(row);
    const record = {
      version: VERSION,
      id: createHash('sha256').update(id).digest('hex').slice(0, 32),
      verifiers: { version: 'pointsman' },
      task: {
        type: 'PointsmanTask',
        data: { id: metadata.instance_id, prompt: transcript.opening.statement, workdir: transcript.opening.workdir },
        key: metadata.instance_id,
      },
      agent: { config: { model: sampled.calls[0]!.model }, name: 'agent', trainable: metadata.valid },
      tools,
      nodes,
      calls,
      rewards: { resolved: reward === null ? null : { score: reward, weight: 1 } },
      metrics: {},
      info: { id, valid: metadata.valid, reason: metadata.reason, metadata },
      is_completed: true,
      ok: metadata.valid,
      stop_condition: STOPS[status] ?? status,
      is_timeout: status === 'limit_wall_clock',
      errors: metadata.valid ? [] : [{ type: ERRORS[metadata.reason] ?? 'TaskError', message: metadata.reason }],
      timing: { start: 0 },
      valid: metadata.valid,
      reason: metadata.reason,
    };
    return withFigures(row, sampled, [record]);
  },
  columns: {
    version: { type: 'int' },
    id: { type: 'string' },
    verifiers: { type: { struct: { version: { type: 'string' } } } },
    task: { type: 'json' },
    agent: { type: 'json' },
    tools: { type: 'json' },
    nodes: { type: 'json' },
    calls: { type: 'json' },
    rewards: { type: 'json' },
    metrics: { type: 'json' },
    info: {
      type: {
        struct: {
          id: { type: 'string' },
          valid: { type: 'bool' },
          reason: { type: 'string' },
          metadata: { type: { struct: METADATA_COLUMNS } },
        },
      },
    },
    is_completed: { type: 'bool' },
    ok: { type: 'bool' },
    stop_condition: { type: 'string' },
    is_timeout: { type: 'bool' },
    errors: { type: 'json' },
    timing: { type: 'json' },
    valid: { type: 'bool' },
    reason: { type: 'string' },
  },
  read(record) {
    const fields = fieldsOf(record);
    if (Number(fields.version ?? VERSION) > VERSION)
      throw new RecordProblem(`expected version ${VERSION} of a trace, found ${String(fields.version)}`);
    const nodes = listOf(fields, 'nodes');
    const problems = nodes.flatMap((node, i) => nodeProblems(node, i));
    const rewards = Object.values((fields.rewards ?? {}) as Fields);
    if (fields.ok === false && rewards.some((reward) => reward !== null))
      problems.push('expected no reward of a trace that is not ok, found one');
    const info = (fields.info ?? {}) as Fields;
    const { row, train } = metadataIn(info);
    const id = textOf(info.id) || textOf(fields.id);
    const turns = nodes.filter(({ sampled, step }) => sampled === true && step !== '');
    return {
      id,
      row: row || id,
      turns: turns.map(({ author, step }) => ({
        message: -1,
        trained: true,
        author: typeof author === 'string' ? author : null,
        step: typeof step === 'string' ? step : null,
      })),
      messages: null,
      tools: null,
      train,
      endsWithTurn: false,
      problems,
    };
  },
};

/** What the call's model was asked, in the view of the row. */
function asked({ trajectory }: DatasetRow, { before, rejected }: ScoredCall) {
  const { transcript, view, prompts } = trajectory!;
  const { opening, steps } = transcript;
  const marks = new Set<TextMark>();
  const { messages, tools } = renderRequest({ opening, steps: steps.slice(0, before) }, view, prompts, rejected);
  return { messages: messages.map((message) => wellFormedMessage(message, marks)), tools };
}

function messageOf(message: ChatMessage): DataRecord {
  if (message.role !== 'assistant') return { ...message };
  const calls = message.tool_calls?.map(({ id, function: called }) => ({ id, ...called }));
  return { role: 'assistant', content: message.content, ...(calls ? { tool_calls: calls } : {}) };
}

function replyOf({ content, reasoning, toolCalls }: RawReply): DataRecord {
  return {
    role: 'assistant',
    content,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
}

function callOf({ model, reply, tokens }: ScoredCall, node: number): DataRecord {
  const known = ['stop', 'length', 'tool_calls'].includes(reply.finishReason ?? '');
  return {
    node,
    model,
    finish_reason: known ? reply.finishReason : null,
    usage: { prompt_tokens: tokens.prompt.length, completion_tokens: tokens.answer.length },
  };
}

function toolsOf(tools: readonly ChatTool[] | undefined): DataRecord[] {
  return (tools ?? []).map(({ type, function: called }) => ({ type, ...called }));
}

/** The package's own names of endings, which it tells a truncated trace by. */
const STOPS: Partial<Record<ExitStatus, string>> = {
  submitted: 'agent_completed',
  limit_steps: 'max_turns',
  limit_tokens: 'max_total_tokens',
  limit_context: 'max_input_tokens',
  limit_wall_clock: 'agent_timeout',
  sandbox_lost: 'sandbox_error',
  model_rejected: 'provider_error',
};

const ERRORS: Readonly<Record<string, string>> = {
  environment_lost: 'SandboxError',
  provider_refused: 'ProviderError',
};

function nodeProblems(node: Fields, i: number): string[] {
  const ids = numbersIn(node, 'token_ids');
  const mask = Array.isArray(node.mask) ? node.mask : [];
  const logprobs = numbersIn(node, 'logprobs', 'number');
  const sampled = mask.filter((is) => is === true).length;
  const problems: string[] = [];
  if (mask.length !== ids.length) problems.push(`node ${i}: expected a mask of ${ids.length}, found ${mask.length}`);
  if (logprobs.length > 0 && logprobs.length !== sampled)
    problems.push(`node ${i}: expected ${sampled} log-probabilities, found ${logprobs.length}`);
  if (node.parent !== null && node.parent !== undefined && !(Number(node.parent) < i))
    problems.push(`node ${i}: expected a parent before it, found ${String(node.parent)}`);
  return problems;
}
