import { functionSchema } from '../tools';
import { defineDialect } from './dialect';
import { findNativeCall } from './found-call';

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
  unit: 'tool call',
  howTo: [
    'Reply with your reasoning and exactly one tool call, whose arguments are one JSON object. For example, to list files call bash with these arguments:',
    '{"command": "ls"}',
  ].join('\n'),
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
  find: findNativeCall,
});
