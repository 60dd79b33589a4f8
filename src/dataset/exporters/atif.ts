import type { SampledTokens, SeenStep, Transcript, Usage } from '../../contract/step';
import { callId } from '../../rollout/dialects/tools';
import type { ConversationTurn } from '../conversation';
import { type TextMark, wellFormed } from '../text-marks';
import type { DataRecord, LinesExporter } from './exporter';
import type { Fields } from './fields';
import { METADATA_COLUMNS } from './messages';
import { fieldsOf, listOf, metadataIn, textOf } from './read';

const ATIF_VERSION = 'ATIF-v1.7';
const AGENT = { name: 'pointsman', version: '1' } as const;

/**
 * Agent Trajectory Interchange Format (Harbor's RFC 0001), one document a line: the trajectory as it was, in no model's
 * format, with the tokens of each turn where they were kept. It knows no mask: who wrote a turn and whether it is trained is
 * in the `extra` of the step. What a fork took over is copied context, which its readers do not train.
 */
export const atif: LinesExporter = {
  format: 'atif',
  layout: 'lines',
  mask: 'ignored',
  loadedBy: 'readers of the agent trajectory interchange format',
  readsTokens: true,
  isOf: (fields) => 'schema_version' in fields && 'steps' in fields,
  export({ id, conversation, metadata, trajectory }) {
    if (!trajectory) return { records: [], left: [{ reason: 'no_trajectory', detail: id }] };
    const { transcript, status, cost } = trajectory;
    const asked = conversation.messages.slice(0, conversation.turns[0]?.message ?? conversation.messages.length);
    const prompts = asked.map(({ role, content }) => ({ source: role, message: content ?? '' }));
    const tokens = new Map(trajectory.calls.map((call) => [call.step, call.tokens]));
    const acted = transcript.steps.map((step, i) => {
      const copied = i < trajectory.copied;
      return agentStep(step, conversation.turns[i]!, { copied, tokens: tokens.get(i) });
    });
    const steps = [...prompts, ...acted].map((step, i) => ({ step_id: i + 1, ...step }));
    const total = (of: (step: SeenStep) => number) => transcript.steps.reduce((sum, step) => sum + of(step), 0);
    const record = {
      schema_version: ATIF_VERSION,
      session_id: id,
      trajectory_id: id,
      agent: { ...AGENT, model_name: metadata.expert || metadata.student },
      steps,
      final_metrics: {
        total_prompt_tokens: total(({ turn }) => turn.usage.promptTokens),
        total_completion_tokens: total(({ turn }) => turn.usage.completionTokens),
        total_cached_tokens: total(({ turn }) => turn.usage.cachedTokens),
        total_cost_usd: cost.usd,
        total_steps: steps.length,
      },
      extra: { metadata, status },
    };
    return { records: [record], left: [] };
  },
  columns: {
    schema_version: { type: 'string' },
    session_id: { type: 'string' },
    trajectory_id: { type: 'string' },
    agent: {
      type: { struct: { name: { type: 'string' }, version: { type: 'string' }, model_name: { type: 'string' } } },
    },
    steps: { type: 'json' },
    final_metrics: { type: 'json' },
    extra: { type: { struct: { metadata: { type: { struct: METADATA_COLUMNS } }, status: { type: 'string' } } } },
  },
  read(record) {
    const fields = fieldsOf(record);
    const steps = listOf(fields, 'steps');
    const problems: string[] = [];
    if (!textOf(fields.schema_version).startsWith('ATIF-v1.')) {
      problems.push(`expected schema_version ${ATIF_VERSION}, found ${textOf(fields.schema_version)}`);
    }
    steps.forEach(({ step_id }, i) => {
      if (step_id !== i + 1) problems.push(`step ${i}: expected step_id ${i + 1}, found ${String(step_id)}`);
    });
    // Trained, if at all, with the trajectory that they were copied from.
    const acted = steps.filter(({ source, is_copied_context }) => source === 'agent' && is_copied_context !== true);
    const turns = acted.map((step) => {
      const extra = (step.extra ?? {}) as Fields;
      const trained = extra.trained === undefined ? true : extra.trained === true;
      const unsaid = extra.trained === undefined ? ({ unsaid: true } as const) : {};
      return { message: -1, trained, ...unsaid, author: stringOr(extra.author), step: stringOr(extra.step) };
    });
    const { train } = metadataIn(fields.extra ?? {});
    const id = textOf(fields.session_id);
    return {
      id,
      row: id,
      turns,
      messages: null,
      tools: null,
      train,
      endsWithTurn: false,
      problems: [...problems, ...acted.flatMap(stepProblems)],
    };
  },
};

/** A trajectory as one document, all of it context: what an agent is told has been done before it begins. */
export function priorContext(id: string, { opening, steps }: Transcript): DataRecord {
  const asked = { source: 'user', message: opening.statement };
  const acted = steps.map((step) =>
    agentStep(step, { author: step.turn.author, trained: false, step: '' }, { copied: false, tokens: undefined }),
  );
  return {
    schema_version: ATIF_VERSION,
    session_id: id,
    trajectory_id: id,
    agent: { ...AGENT, model_name: steps.at(-1)?.turn.model ?? '' },
    steps: [asked, ...acted].map((step, i) => ({ step_id: i + 1, ...step })),
  };
}

function agentStep(
  { turn, observation }: SeenStep,
  { author, trained, step }: Pick<ConversationTurn, 'author' | 'trained' | 'step'>,
  { copied, tokens }: { readonly copied: boolean; readonly tokens: SampledTokens | undefined },
): DataRecord {
  const marks = new Set<TextMark>();
  const { usage, reasoning, rejected } = turn;
  const called = { tool_call_id: callId(turn.turn), function_name: turn.action.tool, arguments: turn.action.args };
  const malformed = rejected.length > 0 ? { malformed_replies: rejected.length } : {};
  return {
    source: 'agent',
    model_name: turn.model,
    message: wellFormed(turn.thought, marks),
    ...(reasoning && turn.person === undefined ? { reasoning_content: wellFormed(reasoning, marks) } : {}),
    tool_calls: [called],
    observation: { results: [{ source_call_id: callId(turn.turn), content: wellFormed(observation, marks) }] },
    // What a person did no model sampled.
    ...(turn.person === undefined ? { metrics: metricsOf(usage, tokens), llm_call_count: 1 } : { llm_call_count: 0 }),
    ...(copied ? { is_copied_context: true } : {}),
    extra: { author, trained: trained && !copied, step, turn: turn.turn, profile: turn.profile, ...malformed },
  };
}

function metricsOf(usage: Usage, tokens: SampledTokens | undefined): DataRecord {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens,
    cost_usd: usage.costUsd,
    ...(tokens?.prompt ? { prompt_token_ids: tokens.prompt } : {}),
    ...(tokens ? { completion_token_ids: tokens.answer } : {}),
    ...(tokens?.logprobs ? { logprobs: tokens.logprobs } : {}),
  };
}

function stepProblems({ step_id, tool_calls, message, observation }: Fields): string[] {
  const calls = (Array.isArray(tool_calls) ? tool_calls : []) as Fields[];
  const results = ((observation as Fields | undefined)?.results ?? []) as Fields[];
  const made = new Set(calls.map((call) => call.tool_call_id));
  const problems = results
    .filter(({ source_call_id: id }) => id !== undefined && id !== null && !made.has(id))
    .map(
      ({ source_call_id: id }) => `step ${step_id}: expected an observation of a call of the step, found ${String(id)}`,
    );
  // Since 1.6 a message may be parts.
  const empty = Array.isArray(message) ? message.length === 0 : textOf(message).trim() === '';
  if (calls.length === 0 && empty) {
    problems.push(`step ${step_id}: expected a message or a call, found neither`);
  }
  return problems;
}

function stringOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
