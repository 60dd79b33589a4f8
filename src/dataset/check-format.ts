import type { DatasetFormat } from '../contract/dataset';
import { type Fields, fieldsOf } from './exporters/read';

/** The format of a file by its first record: by the fields that only that format has. */
export function formatOf(record: unknown): DatasetFormat {
  const fields = fieldsOf(record);
  if ('input_ids' in fields) return 'tokens';
  if ('prompt' in fields && 'completion' in fields) return 'trl';
  if ('schema_version' in fields && 'steps' in fields) return 'atif';
  const messages = (Array.isArray(fields.messages) ? fields.messages : []) as Fields[];
  if (Array.isArray(fields.conversations)) return sharegptOf(fields.conversations as Fields[]);
  if ('traj_id' in fields) return styleOf(messages);
  const said = (name: string) => messages.some((message) => message?.[name] !== undefined && message[name] !== null);
  if (said('train')) return said('weight') || said('loss') ? 'universal' : 'axolotl';
  return 'parallel_tool_calls' in fields || said('weight') ? 'openai' : 'universal';
}

/** A record for one turn marks that turn alone, the last; whole conversations with one trained turn look the same. */
function sharegptOf(messages: readonly Fields[]): DatasetFormat {
  const marked = messages.flatMap(({ train }, i) => (train === true ? [i] : []));
  return marked.length === 1 && marked[0] === messages.length - 1 && messages.some(({ train }) => train === false)
    ? 'sharegpt-turns'
    : 'sharegpt';
}

function styleOf(messages: readonly Fields[]): DatasetFormat {
  if (messages.some(({ tool_calls }) => Array.isArray(tool_calls) && tool_calls.length > 0)) return 'swesmith-tool';
  const written = messages.find(({ role }) => role === 'assistant')?.content;
  return typeof written === 'string' && /<function=/.test(written) ? 'swesmith-xml' : 'swesmith-ticks';
}
