import type { DataRecord, LinesExporter } from './exporter';
import { messagesIn, someSays } from './fields';
import { MESSAGE_COLUMNS } from './messages';
import { fieldsOf, listOf, nothingTrained, readChat, readTools } from './read';

/**
 * OpenAI's fine-tuning format and nothing else in it, because unknown fields are refused there: `weight` on assistant
 * messages alone; tools, and that calls come one at a time, only where there are tools.
 */
export const openai: LinesExporter = {
  format: 'openai',
  layout: 'lines',
  mask: 'message',
  loadedBy: "OpenAI's fine-tuning API; upload the file as it is",
  isOf: (fields) => {
    const messages = messagesIn(fields);
    return !someSays(messages, 'train') && ('parallel_tool_calls' in fields || someSays(messages, 'weight'));
  },
  export({ id, conversation }) {
    if (nothingTrained(conversation)) return { records: [], left: [{ reason: 'nothing_trained', detail: id }] };
    const trained = new Map(conversation.turns.map((turn) => [turn.message, turn.trained]));
    const messages = conversation.messages.map(
      (message, i): DataRecord => (trained.has(i) ? { ...message, weight: trained.get(i) ? 1 : 0 } : { ...message }),
    );
    const { tools } = conversation;
    return { records: [{ messages, ...(tools ? { tools, parallel_tool_calls: false } : {}) }], left: [] };
  },
  columns: {
    messages: { type: { list: { struct: { ...MESSAGE_COLUMNS, weight: { type: 'int' } } } } },
    tools: { type: 'json' },
    parallel_tool_calls: { type: 'bool' },
  },
  read(record) {
    const fields = fieldsOf(record);
    const raw = listOf(fields, 'messages');
    const chat = readChat(raw, ({ weight }) => weight);
    const unknown = [
      ...Object.keys(fields).filter((key) => !ROW_FIELDS.has(key)),
      ...raw.flatMap((message, i) =>
        Object.entries(message)
          .filter(([key, value]) => value !== null && value !== undefined && !isAllowed(message.role, key, value))
          .map(([key]) => `message ${i}.${key}`),
      ),
    ].map((name) => `expected no field but those of OpenAI's format, found "${name}"`);
    const tools = readTools(fields.tools);
    const problems = [...chat.problems, ...unknown];
    return { ...chat, id: '', row: '', tools, train: null, endsWithTurn: true, problems };
  },
};

const ROW_FIELDS = new Set(['messages', 'tools', 'parallel_tool_calls']);

function isAllowed(role: unknown, key: string, value: unknown): boolean {
  if (key === 'role' || key === 'content' || key === 'name') return true;
  if (key === 'tool_call_id') return role === 'tool';
  if (role !== 'assistant') return false;
  return key === 'weight' ? value === 0 || value === 1 : key === 'tool_calls';
}
