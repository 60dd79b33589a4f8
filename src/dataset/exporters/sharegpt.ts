import type { ChatMessage } from '../../contract/step';
import { type Conversation, type ConversationTurn, promptBefore } from '../conversation';
import type { DatasetRow } from '../row';
import type { Columns } from './columns';
import type { DataRecord, ExportContext, Exported, LinesExporter, ReadRecord } from './exporter';
import type { Fields } from './fields';
import { inDialect } from './in-dialect';
import { METADATA_COLUMNS, PROVENANCE_COLUMNS, provenance } from './messages';
import { fieldsOf, listOf, metadataIn, nothingTrained, readChat, readTools, shown, textOf, unwrapList } from './read';

/**
 * ShareGPT as LLaMA-Factory reads it. It has no mask by message and would train every turn of `gpt`; `train` says which ones
 * are meant. Where it matters take `sharegpt-turns`.
 */
export const sharegpt: LinesExporter = {
  format: 'sharegpt',
  layout: 'lines',
  mask: 'ignored',
  loadedBy: 'LLaMA-Factory, `formatting: sharegpt`',
  isOf: (fields) => 'conversations' in fields && !marksOne(fields),
  export: (row, context) =>
    exported(row, context, ({ messages, turns }) => {
      const byMessage = new Map(turns.map((turn) => [turn.message, turn]));
      const conversations = messages.map((message, i) => said(message, byMessage.get(i)));
      return [{ id: row.id, conversations, metadata: row.metadata }];
    }),
  columns: columns(),
  read: (record) => read(record, ({ train }) => train),
};

/**
 * One record for each trained turn, which is its last message: with `mask_history: true` LLaMA-Factory trains that one alone.
 * The prompt is what the model is shown at that turn, older observations left out where the view's history processor does.
 */
export const sharegptTurns: LinesExporter = {
  format: 'sharegpt-turns',
  layout: 'lines',
  mask: 'last-turn',
  loadedBy: 'LLaMA-Factory with `mask_history: true`: a record a trained turn',
  isOf: (fields) => 'conversations' in fields && marksOne(fields),
  export: (row, context) =>
    exported(row, context, (conversation) => {
      const byMessage = new Map(conversation.turns.map((turn) => [turn.message, turn]));
      return conversation.turns
        .filter((turn) => turn.trained)
        .map((turn) => ({
          id: `${row.id}#${turn.turn}`,
          conversations: [...promptBefore(conversation, turn), conversation.messages[turn.message]!].map(
            (message, i) => {
              const of = byMessage.get(i);
              return said(message, of && { ...of, trained: of === turn });
            },
          ),
          metadata: row.metadata,
        }));
    }),
  columns: columns(),
  read: (record) => {
    const last = listOf(fieldsOf(record), 'conversations').length - 1;
    return read(record, (_, i) => i === last);
  },
};

/** Calls of tools would lose the thought before them (`function_call` holds the call alone), so they are written as text. */
function exported(
  row: DatasetRow,
  context: ExportContext,
  records: (conversation: Conversation) => DataRecord[],
): Exported {
  const left = (reason: Exported['left'][number]['reason']) => ({ records: [], left: [{ reason, detail: row.id }] });
  const text = row.conversation.messages.every((message) => message.role !== 'tool' && !('tool_calls' in message));
  const conversation = text ? row.conversation : inDialect(row, 'xml', context);
  if (!conversation) return left('no_trajectory');
  if (nothingTrained(conversation)) return left('nothing_trained');
  if (!alternates(conversation.messages)) return left('roles_do_not_alternate');
  return { records: records(conversation), left: [] };
}

const FROM = { system: 'system', user: 'human', assistant: 'gpt', tool: 'observation' } as const;

function said(message: ChatMessage, turn: ConversationTurn | undefined): DataRecord {
  return {
    from: FROM[message.role],
    value: message.content ?? '',
    ...(turn ? { train: turn.trained, ...provenance(turn) } : {}),
  };
}

/** After one system message at most: a person's turn, the model's, and so on, the model's last. */
function alternates(messages: readonly { readonly role: string }[]): boolean {
  const turns = messages[0]?.role === 'system' ? messages.slice(1) : messages;
  return turns.length % 2 === 0 && turns.every(({ role }, i) => role === (i % 2 === 0 ? 'user' : 'assistant'));
}

function columns(): Columns {
  const message = {
    from: { type: 'string' },
    value: { type: 'string' },
    train: { type: 'bool' },
    ...PROVENANCE_COLUMNS,
  } as const;
  return {
    id: { type: 'string' },
    conversations: { type: { list: { struct: message } } },
    metadata: { type: { struct: METADATA_COLUMNS } },
  };
}

/** What LLaMA-Factory calls them besides: a call is a turn of the model, and what it printed is a turn of whoever asks. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(FROM).map(([role, from]) => [from, role] as const),
  ['function_call', 'assistant'],
  ['observation', 'user'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'user'],
]);

function read(record: unknown, trained: Parameters<typeof readChat>[1]): ReadRecord {
  const fields = unwrapList(fieldsOf(record), 'conversations');
  const problems: string[] = [];
  const said = listOf(fields, 'conversations').map(({ from, role, value, content, ...rest }, i) => {
    const who = textOf(from ?? role);
    if (who === 'function_call' && !isCall(value ?? content))
      problems.push(`message ${i}: expected a function_call to be JSON with a name, found ${shown(value ?? content)}`);
    return { ...rest, role: ROLES.get(who) ?? who, content: value ?? content };
  });
  // A system message may stand beside the conversation.
  const system = textOf(fields.system);
  const raw = system === '' ? said : [{ role: 'system', content: system }, ...said];
  const offset = raw.length - said.length;
  const chat = readChat(raw, (message, i) => trained(message, i - offset));
  if (!alternates(raw as readonly { role: string }[]))
    problems.push('expected human and gpt to take turns, gpt last; LLaMA-Factory skips the row');
  readTools(fields.tools);
  return {
    ...chat,
    id: textOf(fields.id),
    ...metadataIn(record),
    tools: null,
    endsWithTurn: true,
    problems: [...chat.problems, ...problems],
  };
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const call: unknown = JSON.parse(value);
    return [call].flat().every((each) => typeof (each as Fields | null)?.name === 'string');
  } catch {
    return false;
  }
}

/** A record for one turn marks that turn alone, the last; whole conversations with one trained turn look the same. */
function marksOne({ conversations }: Fields): boolean {
  const messages = Array.isArray(conversations) ? (conversations as Fields[]) : [];
  const marked = messages.flatMap(({ train }, i) => (train === true ? [i] : []));
  return marked.length === 1 && marked[0] === messages.length - 1 && messages.some(({ train }) => train === false);
}
