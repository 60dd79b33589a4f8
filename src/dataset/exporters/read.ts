import type { ChatTool } from '../../contract/step';
import type { Conversation } from '../conversation';
import { type ReadMessage, type ReadTurn, RecordProblem } from './exporter';
import type { Fields } from './fields';

export function nothingTrained({ turns }: Conversation): boolean {
  return !turns.some((turn) => turn.trained);
}

/** A record's fields. Parquet has null for what is absent. */
export function fieldsOf(record: unknown): Fields {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new RecordProblem(`expected an object, found ${shown(record)}`);
  }
  return record as Fields;
}

export function listOf(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new RecordProblem(`expected a list "${name}", found ${shown(value)}`);
  return value.map((item, i) => {
    if (typeof item === 'object' && item !== null) return item as Fields;
    throw new RecordProblem(`expected objects in "${name}", found ${shown(item)} at ${i}`);
  });
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Row and training policy where the record has our metadata. */
export function metadataIn(record: unknown): { readonly row: string; readonly train: readonly string[] | null } {
  const metadata = fieldsOf(record).metadata;
  if (typeof metadata !== 'object' || metadata === null) return { row: '', train: null };
  const { rollout_id, train } = metadata as Fields;
  return { row: textOf(rollout_id), train: Array.isArray(train) ? train.map(String) : null };
}

/** A list, or the JSON text of one: some columns hold nothing else than text. */
export function unwrapList(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return fields;
  try {
    return { ...fields, [name]: JSON.parse(value) as unknown };
  } catch {
    throw new RecordProblem(`expected "${name}" to be JSON, found ${shown(value)}`);
  }
}

/** A `tools` field: a list, or the JSON text of one. */
export function readTools(value: unknown): readonly ChatTool[] {
  if (value === undefined || value === null || value === '') return [];
  let tools = value;
  if (typeof value === 'string') {
    try {
      tools = JSON.parse(value);
    } catch {
      throw new RecordProblem(`expected "tools" to be JSON, found ${shown(value)}`);
    }
  }
  if (!Array.isArray(tools)) throw new RecordProblem(`expected "tools" to be a list, found ${shown(value)}`);
  return tools.map((tool: unknown): ChatTool => {
    // Some write the function without what says that it is one.
    const { type, function: called = tool } = (tool ?? {}) as Fields;
    const { name } = (called ?? {}) as Fields;
    if (typeof name !== 'string')
      throw new RecordProblem(`expected each tool to have function.name, found ${shown(tool)}`);
    return type === 'function' ? (tool as ChatTool) : { type: 'function', function: called as ChatTool['function'] };
  });
}

export interface ReadChat {
  readonly messages: readonly ReadMessage[];
  readonly turns: readonly ReadTurn[];
  readonly problems: readonly string[];
}

/** `trained` decides on an assistant message; undefined or null means that nothing is said, so that it is trained. */
export function readChat(raw: readonly Fields[], trained: (message: Fields, index: number) => unknown): ReadChat {
  const problems: string[] = [];
  const messages = raw.map((message, i) => readMessage(message, i, problems));
  const turns = raw.flatMap((message, i): ReadTurn[] => {
    if (message.role !== 'assistant') {
      if (message.train === true || message.weight === 1) {
        problems.push(`message ${i}: expected only assistant messages to be trained, found a trained ${message.role}`);
      }
      return [];
    }
    const said = trained(message, i) ?? undefined;
    return [
      {
        message: i,
        trained: said === undefined ? true : Boolean(said),
        ...(said === undefined ? { unsaid: true } : {}),
        author: typeof message.author === 'string' ? message.author : null,
        step: typeof message.step === 'string' ? message.step : null,
      },
    ];
  });
  return { messages, turns, problems };
}

function readMessage(
  { role, content: given, tool_calls, tool_call_id }: Fields,
  i: number,
  problems: string[],
): ReadMessage {
  const content = partsAsText(given);
  if (content !== null && content !== undefined && typeof content !== 'string') {
    problems.push(`message ${i}: expected content to be text, found ${shown(content)}`);
  }
  const calls = (Array.isArray(tool_calls) ? tool_calls : []) as { id?: unknown; function?: Fields }[];
  return {
    role: textOf(role),
    content: textOf(content),
    calls: calls.map((call) => ({
      id: textOf(call.id),
      name: textOf(call.function?.name),
      arguments: readArguments(call.function?.arguments, i, problems),
    })),
    answers: typeof tool_call_id === 'string' ? tool_call_id : null,
  };
}

/** Content may be a list of parts: of texts alone it is their text. */
function partsAsText(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part: unknown) => (part as Fields | null)?.text);
  return texts.every((text) => typeof text === 'string') ? texts.join('') : content;
}

function readArguments(value: unknown, i: number, problems: string[]): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    problems.push(`message ${i}: expected arguments to be JSON, found ${shown(value)}`);
    return null;
  }
}

/** A value as messages name it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
