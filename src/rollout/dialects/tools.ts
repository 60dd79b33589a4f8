import { preview } from '../clip';
import { functionSchema } from '../tools';
import { defineDialect, toolNamed } from './dialect';

/**
 * Ids are made from the turn, so that re-rendering a history gives the same request and provider caches hit. Nine letters
 * and digits, because the chat templates and servers of some models refuse all else.
 */
export function callId(turn: number): string {
  return `call${turn.toString(36).padStart(5, '0')}`;
}

/** OpenAI function calling: the content is the thought, exactly one tool call is the action. */
export const tools = defineDialect({
  name: 'tools',
  howTo: 'Reply with your reasoning and exactly one tool call, whose arguments are one JSON object.',
  misleads: () => false,
  documentation: () => '',
  toolParameter: (table) => [...table.values()].map(functionSchema),
  write: ({ turn, thought, action }) => ({
    role: 'assistant',
    content: thought === '' ? null : thought,
    tool_calls: [
      { id: callId(turn), type: 'function', function: { name: action.tool, arguments: JSON.stringify(action.args) } },
    ],
  }),
  renderObservation: (turn, content) => ({ role: 'tool', content, tool_call_id: callId(turn) }),
  read(reply, table) {
    const [call, ...more] = reply.toolCalls;
    if (!call) return { code: 'missing_action', problem: 'Your reply has no tool call.' };
    if (more.length > 0) {
      const names = preview(reply.toolCalls.map((c) => c.name).join(', '), 200);
      return {
        code: 'multiple_actions',
        problem: `Your reply has ${reply.toolCalls.length} tool calls (${names}); none was run. Make one call at a time.`,
      };
    }
    const tool = toolNamed(table, call.name);
    if ('code' in tool) return tool;
    const args = readJsonObject(call.arguments.trim() === '' && tool.params.length === 0 ? '{}' : call.arguments);
    if (typeof args === 'string') {
      const shown = preview(call.arguments, 200);
      return {
        code: 'invalid_arguments',
        problem: `The arguments of ${tool.name} are ${args}: ${shown || '(nothing)'}`,
      };
    }
    return { thought: reply.content ?? '', tool, args };
  },
});

function readJsonObject(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
    return value as Record<string, unknown>;
  } catch {
    return 'not valid JSON';
  }
}
