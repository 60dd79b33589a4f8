import type { SeenStep } from '../../contract/step';
import { callId } from '../../rollout/dialects/tools';
import type { ConversationTurn } from '../conversation';
import { type TextMark, wellFormed } from '../text-marks';
import type { DataRecord, LinesExporter } from './exporter';
import type { Fields } from './fields';
import { METADATA_COLUMNS } from './messages';
import { fieldsOf, listOf, metadataIn, textOf } from './read';

const ATIF_VERSION = 'ATIF-v1.4';

/**
 * Agent Trajectory Interchange Format (Harbor's RFC 0001), one document a line: the trajectory as it was, in no model's
 * format. It knows no mask: who wrote a turn and whether it is trained is in the `extra` of the step.
 */
export const atif: LinesExporter = {
  format: 'atif',
  layout: 'lines',
  mask: 'ignored',
  loadedBy: 'readers of the agent trajectory interchange format',
  isOf: (fields) => 'schema_version' in fields && 'steps' in fields,
  export({ id, conversation, metadata, trajectory }) {
    if (!trajectory) return { records: [], left: [{ reason: 'no_trajectory', detail: id }] };
    const { transcript, status, cost } = trajectory;
    const asked = conversation.messages.slice(0, conversation.turns[0]?.message ?? conversation.messages.length);
    const prompts = asked.map(({ role, content }) => ({ source: role, message: content ?? '' }));
    const acted = transcript.steps.map((step, i) => agentStep(step, conversation.turns[i]!));
    const steps = [...prompts, ...acted].map((step, i) => ({ step_id: i + 1, ...step }));
    const total = (of: (step: SeenStep) => number) => transcript.steps.reduce((sum, step) => sum + of(step), 0);
    const record = {
      schema_version: ATIF_VERSION,
      session_id: id,
      agent: { name: 'pointsman', version: '1', model_name: metadata.expert || metadata.student },
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
    const acted = steps.filter(({ source }) => source === 'agent');
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

function agentStep({ turn, observation }: SeenStep, { author, trained, step }: ConversationTurn): DataRecord {
  const marks = new Set<TextMark>();
  return {
    source: 'agent',
    model_name: turn.model,
    message: wellFormed(turn.thought, marks),
    tool_calls: [{ tool_call_id: callId(turn.turn), function_name: turn.action.tool, arguments: turn.action.args }],
    observation: { results: [{ source_call_id: callId(turn.turn), content: wellFormed(observation, marks) }] },
    metrics: {
      prompt_tokens: turn.usage.promptTokens,
      completion_tokens: turn.usage.completionTokens,
      cached_tokens: turn.usage.cachedTokens,
      cost_usd: turn.usage.costUsd,
    },
    extra: { author, trained, step, turn: turn.turn, profile: turn.profile },
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
  if (calls.length === 0 && textOf(message).trim() === '') {
    problems.push(`step ${step_id}: expected a message or a call, found neither`);
  }
  return problems;
}

function stringOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
