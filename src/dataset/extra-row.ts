import { createHash } from 'node:crypto';
import { type Author, type ChatMessage, type ChatTool, DialectName, PointsmanError } from '../contract';
import type { Conversation, ConversationTurn } from './conversation';
import { RecordProblem } from './exporters/exporter';
import type { Fields } from './exporters/fields';
import { fieldsOf, listOf, shown, textOf } from './exporters/read';
import type { DatasetRow, RowMetadata } from './row';
import { type TextMark, wellFormedMessage } from './text-marks';

export interface ExtraSource {
  readonly id: string;
  readonly method: string;
  readonly licence: string;
  /** File and line, for errors. */
  readonly where: string;
}

/**
 * A record of another data set in the `universal` format as a row of ours. What it does not say is not made up: an assistant
 * message without `train` is trained, and one without `author` is an expert's. Throws `InvalidInput` that names `where`.
 */
export function extraRow(record: unknown, source: ExtraSource): DatasetRow {
  try {
    return rowOf(fieldsOf(record), source);
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    throw new PointsmanError(
      'InvalidInput',
      `${source.where}: ${error.message}`,
      'Extra rows are lines of JSON with "messages" in OpenAI’s roles, and "tools" where there are calls.',
    );
  }
}

function rowOf(fields: Fields, source: ExtraSource): DatasetRow {
  const marks = new Set<TextMark>();
  const raw = listOf(fields, 'messages');
  if (raw.length === 0) throw new RecordProblem('expected messages, found none');
  const messages = raw.map((message, i) => wellFormedMessage(messageOf(message, i), marks));
  const turns: ConversationTurn[] = [];
  raw.forEach((message, i) => {
    if (message.role === 'assistant') turns.push(turnOf(message, i, turns.length + 1));
  });
  const tools = toolsOf(fields.tools);
  const conversation: Conversation = { messages, ...(tools.length ? { tools } : {}), turns, marks: [...marks].sort() };
  return { id: source.id, conversation, trajectory: null, metadata: metadataOf(fields, source, conversation) };
}

function turnOf(
  { train, weight, author, turn, step, faithful }: Fields,
  message: number,
  nth: number,
): ConversationTurn {
  const said = train ?? weight;
  return {
    message,
    turn: typeof turn === 'number' ? turn : nth,
    author: author === 'student' ? 'student' : 'expert',
    trained: said === undefined || said === null ? true : Boolean(said),
    faithful: faithful !== false,
    step: textOf(step),
  };
}

function metadataOf(fields: Fields, { id, method, licence }: ExtraSource, { turns, marks }: Conversation): RowMetadata {
  const theirs = (typeof fields.metadata === 'object' && fields.metadata !== null ? fields.metadata : {}) as Fields;
  const number = (value: unknown) => (Number.isInteger(value) ? (value as number) : -1);
  const train = new Set<Author>(turns.filter((turn) => turn.trained).map((turn) => turn.author));
  return {
    instance_id: textOf(theirs.instance_id) || textOf(fields.instance_id),
    rollout_id: id,
    method,
    switch: number(theirs.switch),
    expert_from: number(theirs.expert_from),
    student: textOf(theirs.student),
    expert: textOf(theirs.expert),
    resolved: theirs.resolved === true || fields.resolved === true,
    graded: theirs.graded === true || typeof fields.resolved === 'boolean',
    graded_reward: typeof theirs.graded_reward === 'number' ? theirs.graded_reward : -1,
    valid: theirs.valid !== false,
    reason: textOf(theirs.reason),
    pass: number(theirs.pass),
    status: textOf(theirs.status),
    patch: textOf(theirs.patch) || textOf(fields.patch),
    head: textOf(theirs.head),
    dialect: DialectName.safeParse(theirs.dialect).data ?? '',
    licence: licence || textOf(theirs.licence),
    train: [...train].sort(),
    flags: ['extra', ...marks],
  };
}

function messageOf({ role, content, tool_calls, tool_call_id }: Fields, i: number): ChatMessage {
  if (content !== null && content !== undefined && typeof content !== 'string') {
    throw new RecordProblem(`expected content of message ${i} to be text, found ${shown(content)}`);
  }
  const text = content ?? '';
  if (role === 'system' || role === 'user') return { role, content: text };
  if (role === 'tool') {
    if (typeof tool_call_id === 'string') return { role, content: text, tool_call_id: callIdOf(tool_call_id) };
    throw new RecordProblem(`expected tool_call_id in message ${i}, found none`);
  }
  if (role !== 'assistant') {
    throw new RecordProblem(`expected message ${i} of system, user, assistant or tool, found ${shown(role)}`);
  }
  const calls = (Array.isArray(tool_calls) ? (tool_calls as Fields[]) : []).map((call) => callOf(call, i));
  return { role, content: content ?? null, ...(calls.length ? { tool_calls: calls } : {}) };
}

function callOf(call: Fields | null, i: number) {
  const { name, arguments: args } = (call?.function ?? {}) as Fields;
  if (typeof name !== 'string') throw new RecordProblem(`expected a call of message ${i} to name a function`);
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  if (!isJson(text)) throw new RecordProblem(`expected the arguments of message ${i} to be JSON, found ${shown(text)}`);
  return { id: callIdOf(textOf(call?.id)), type: 'function' as const, function: { name, arguments: text } };
}

/** Nine letters and digits, as in our own rows: the templates of some models refuse all else. */
function callIdOf(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function toolsOf(value: unknown): readonly ChatTool[] {
  if (value === undefined || value === null || value === '') return [];
  const tools: unknown = typeof value !== 'string' ? value : isJson(value) ? JSON.parse(value) : undefined;
  if (Array.isArray(tools)) return tools as ChatTool[];
  throw new RecordProblem(`expected "tools" to be a list or the JSON text of one, found ${shown(value)}`);
}

/** Whether a text is whole JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
