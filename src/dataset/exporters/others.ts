import type { ReadRecord, RecordReader } from './exporter';
import { type Fields, messagesIn } from './fields';
import { fieldsOf, listOf, metadataIn, readChat, readTools, shown, textOf } from './read';

/**
 * Formats that agents and trainers write and we do not, or not as one document; asked in this order where no format of ours
 * is recognised.
 */
export const OTHERS: readonly RecordReader[] = [
  {
    format: 'traj (SWE-agent)',
    mask: 'ignored',
    isOf: (fields) => Array.isArray(fields.history) && ('trajectory' in fields || 'info' in fields),
    read: (record) => trajectoryOf(record, 'history', ({ trained }) => trained),
  },
  {
    format: 'traj (mini-swe-agent)',
    mask: 'ignored',
    isOf: (fields) => messagesIn(fields).length > 0 && ('trajectory_format' in fields || isRun(fields.info)),
    read: (record) => trajectoryOf(record, 'messages', () => undefined),
  },
  {
    format: 'trajectory (lists of messages)',
    mask: 'ignored',
    isOf: ({ trajectory }) => Array.isArray(trajectory) && trajectory.every((step) => isFields(step) && 'role' in step),
    read: (record) => trajectoryOf(record, 'trajectory', ({ mask }) => (typeof mask === 'boolean' ? !mask : undefined)),
  },
  {
    format: 'alpaca',
    mask: 'completion',
    isOf: (fields) => 'instruction' in fields && 'output' in fields,
    read: readAlpaca,
  },
];

function isRun(info: unknown): boolean {
  return isFields(info) && ('exit_status' in info || 'model_stats' in info);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Roles that some write for those of OpenAI’s protocol. */
const ROLES: Readonly<Record<string, string>> = { ai: 'assistant', human: 'user', exit: 'user' };

/** A run as its agent wrote it down: it may end anywhere, and its calls name tools that are told nowhere. */
function trajectoryOf(record: unknown, field: string, trained: Parameters<typeof readChat>[1]): ReadRecord {
  const fields = fieldsOf(record);
  const raw = listOf(fields, field).map((message): Fields => {
    const ids = Array.isArray(message.tool_call_ids) ? (message.tool_call_ids as unknown[]) : [];
    return {
      ...message,
      role: ROLES[textOf(message.role)] ?? message.role,
      content: message.content ?? message.text,
      tool_call_id: message.tool_call_id ?? ids[0],
    };
  });
  const info = isFields(fields.info) ? fields.info : {};
  const { row, train } = metadataIn(isFields(info.metadata) ? info : fields);
  const id = [textOf(fields.trajectory_id), textOf(fields.traj_id)].find((each) => each !== '') ?? row;
  return { ...readChat(raw, trained), id, row: id, tools: null, train, endsWithTurn: false };
}

function readAlpaca(record: unknown): ReadRecord {
  const fields = fieldsOf(record);
  const asked = [textOf(fields.instruction), textOf(fields.input)].filter((text) => text !== '').join('\n');
  const before = (Array.isArray(fields.history) ? fields.history : []).flatMap((pair: unknown): Fields[] =>
    Array.isArray(pair)
      ? [
          { role: 'user', content: textOf(pair[0]) },
          { role: 'assistant', content: textOf(pair[1]) },
        ]
      : [],
  );
  const system = textOf(fields.system);
  const raw: Fields[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...before,
    { role: 'user', content: asked },
    { role: 'assistant', content: fields.output },
  ];
  const problems = asked === '' ? [`expected an instruction, found ${shown(fields.instruction)}`] : [];
  const chat = readChat(raw, () => undefined);
  return {
    ...chat,
    problems: [...chat.problems, ...problems],
    id: '',
    row: '',
    tools: readTools(undefined),
    train: null,
    endsWithTurn: true,
  };
}
