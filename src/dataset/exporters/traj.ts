import type { Action, ChatMessage, ExitStatus, SeenStep } from '../../contract';
import { DIALECTS } from '../../rollout/dialects';
import type { Conversation } from '../conversation';
import { type TextMark, wellFormed } from '../text-marks';
import type { DataRecord, FolderExporter } from './exporter';

/**
 * Folders as SWE-agent's `run-batch` writes them: `<instance>/<instance>.traj`, `.pred`, `.patch`, and `preds.json`. Such a
 * folder holds one trajectory an instance, so the nth of each instance goes to `pass-<n>`, a complete folder of its own.
 *
 * `query`, the whole prompt, stands in the last step only, where SWE-smith's converter reads it: in every step it makes a
 * file grow with the square of its turns.
 */
export const traj: FolderExporter = {
  format: 'traj',
  layout: 'folder',
  mask: 'ignored',
  loadedBy: "SWE-agent's tools: a folder of `.traj` files with `preds.json`",
  files(row, nth) {
    if (!row.trajectory) return { files: [], entry: null };
    const { metadata, conversation, trajectory } = row;
    const marks = new Set<TextMark>();
    const { steps } = trajectory.transcript;
    const document = {
      trajectory: steps.map((step, i) => trajectoryStep(step, conversation, i, i === steps.length - 1, marks)),
      history: history(conversation, steps),
      info: {
        submission: metadata.patch === '' ? null : metadata.patch,
        exit_status: exitStatus(trajectory.status, metadata.patch),
        model_stats: {
          instance_cost: trajectory.cost.usd,
          tokens_sent: sum(steps, ({ turn }) => turn.usage.promptTokens),
          tokens_received: sum(steps, ({ turn }) => turn.usage.completionTokens),
          api_calls: sum(steps, ({ turn }) => 1 + turn.rejected.length),
        },
        metadata,
      },
      environment: 'pointsman',
    };
    const instance = metadata.instance_id;
    const name = fileName(instance);
    const entry = { instance, nth, patch: metadata.patch, model: metadata.expert || metadata.student };
    const path = `${passFolder(nth)}/${name}/${name}`;
    return {
      files: [
        { path: `${path}.traj`, text: `${JSON.stringify(document, null, 2)}\n` },
        { path: `${path}.pred`, text: `${JSON.stringify(prediction(entry), null, 2)}\n` },
        ...(metadata.patch === '' ? [] : [{ path: `${path}.patch`, text: metadata.patch }]),
      ],
      entry,
    };
  },
  index(entries) {
    const passes = [...new Set(entries.map(({ nth }) => nth))].sort((a, b) => a - b);
    return passes.map((nth) => {
      const predictions = entries
        .filter((entry) => entry.nth === nth)
        .sort((a, b) => (a.instance < b.instance ? -1 : 1))
        .map((entry) => [entry.instance, prediction(entry)] as const);
      return {
        path: `${passFolder(nth)}/preds.json`,
        text: `${JSON.stringify(Object.fromEntries(predictions), null, 2)}\n`,
      };
    });
  },
};

function passFolder(nth: number): string {
  return `pass-${nth}`;
}

/** An instance id as a file name: ids of repositories hold slashes. */
function fileName(instance: string): string {
  return encodeURIComponent(instance).replace(/^\.+/, (dots) => '%2E'.repeat(dots.length)) || '_';
}

function prediction({ instance, patch, model }: { instance: string; patch: string; model: string }): DataRecord {
  return { model_name_or_path: model, instance_id: instance, model_patch: patch };
}

function trajectoryStep(
  { turn, observation }: SeenStep,
  { messages, turns }: Conversation,
  i: number,
  last: boolean,
  marks: Set<TextMark>,
): DataRecord {
  const { message, author, trained, step } = turns[i]!;
  const said = messages[message]!;
  return {
    action: wellFormed(actionText(turn.action), marks),
    observation: wellFormed(observation, marks),
    response: said.content ?? '',
    thought: wellFormed(turn.thought, marks),
    execution_time: 0,
    state: {},
    query: last ? messages.slice(0, message) : [],
    extra_info: { author, trained, step },
  };
}

function history({ messages, turns }: Conversation, steps: readonly SeenStep[]): DataRecord[] {
  const byMessage = new Map(turns.map((turn, i) => [turn.message, { turn, step: steps[i]! }]));
  return messages.map((message, i) => {
    const made = byMessage.get(i);
    const entry = {
      role: message.role,
      content: message.content ?? '',
      agent: 'main',
      message_type: typeOf(message, i),
    };
    if (message.role === 'tool') return { ...entry, tool_call_ids: [message.tool_call_id] };
    if (message.role !== 'assistant' || !made) return entry;
    return {
      ...entry,
      thought: made.step.turn.thought,
      action: actionText(made.step.turn.action),
      ...(message.tool_calls ? { tool_calls: message.tool_calls } : {}),
      author: made.turn.author,
      trained: made.turn.trained,
      step: made.turn.step,
    };
  });
}

function typeOf({ role }: ChatMessage, i: number): string {
  if (role === 'system') return 'system_prompt';
  return role === 'assistant' ? 'action' : i < 2 ? 'instance' : 'observation';
}

/** The call as a shell-like line, which is what SWE-agent calls an action. */
function actionText(action: Action): string {
  const { content } = DIALECTS.backticks.renderTurn({ turn: 1, thought: '', action }).message;
  return (content ?? '').split('\n').slice(1, -1).join('\n');
}

/** SWE-agent's name of an ending; one that still left a patch is `submitted (…)` there. */
function exitStatus(status: ExitStatus, patch: string): string {
  if (status === 'submitted') return status;
  const name = EXITS[status] ?? 'exit_error';
  return patch === '' ? name : `submitted (${name})`;
}

const EXITS: Partial<Record<ExitStatus, string>> = {
  limit_steps: 'exit_cost',
  limit_cost: 'exit_cost',
  limit_tokens: 'exit_cost',
  budget_exhausted: 'exit_cost',
  limit_context: 'exit_context',
  limit_wall_clock: 'exit_total_execution_time',
  format_exhausted: 'exit_format',
  timeouts_exhausted: 'exit_command_timeout',
  sandbox_lost: 'exit_environment_error',
  tampered: 'exit_environment_error',
  model_rejected: 'exit_api',
};

function sum(steps: readonly SeenStep[], of: (step: SeenStep) => number): number {
  return steps.reduce((total, step) => total + of(step), 0);
}
