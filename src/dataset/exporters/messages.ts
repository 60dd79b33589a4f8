import type { ChatMessage, ChatTool } from '../../contract/step';
import type { Conversation, ConversationTurn } from '../conversation';
import type { Columns } from './columns';
import type { DataRecord } from './exporter';

/**
 * A message with content in every case: chat templates write a missing one out as `None`. Arguments stay the JSON text that
 * the protocol has.
 */
export function plainMessage(message: ChatMessage): DataRecord {
  return { ...message, content: message.content ?? '' };
}

/** The messages of a conversation, each with what `add` gives for it; `turn` for those of assistants. */
export function messagesWith(
  conversation: Conversation,
  add: (turn: ConversationTurn | undefined) => DataRecord,
): DataRecord[] {
  const turns = new Map(conversation.turns.map((turn) => [turn.message, turn]));
  return conversation.messages.map((message, i) => ({ ...plainMessage(message), ...add(turns.get(i)) }));
}

/** Who wrote an assistant message and which step of the chain it is: what checks and audits go by. */
export function provenance({ author, turn, step }: ConversationTurn): DataRecord {
  return { author, turn, step };
}

/**
 * Tool schemas as JSON text, `[]` where there are none: each tool has other keys, and a loader that wants one type for all
 * of them would fill them up with nulls. TRL, axolotl, ms-swift and LLaMA-Factory read the text.
 */
export function toolsText(tools: readonly ChatTool[] | undefined): string {
  return JSON.stringify(tools ?? []);
}

export const CALL_COLUMNS: Columns = {
  id: { type: 'string' },
  type: { type: 'string' },
  function: { type: { struct: { name: { type: 'string' }, arguments: { type: 'string' } } } },
};

/** `role`, `content` and what calls need; formats add their own. */
export const MESSAGE_COLUMNS: Columns = {
  role: { type: 'string' },
  content: { type: 'string' },
  tool_calls: { type: { list: { struct: CALL_COLUMNS } } },
  tool_call_id: { type: 'string' },
};

export const PROVENANCE_COLUMNS: Columns = {
  author: { type: 'string' },
  turn: { type: 'int' },
  step: { type: 'string' },
};

export const METADATA_COLUMNS: Columns = {
  instance_id: { type: 'string' },
  rollout_id: { type: 'string' },
  method: { type: 'string' },
  switch: { type: 'int' },
  expert_from: { type: 'int' },
  student: { type: 'string' },
  expert: { type: 'string' },
  resolved: { type: 'bool' },
  graded: { type: 'bool' },
  graded_reward: { type: 'double' },
  valid: { type: 'bool' },
  reason: { type: 'string' },
  pass: { type: 'int' },
  status: { type: 'string' },
  patch: { type: 'string' },
  head: { type: 'string' },
  dialect: { type: 'string' },
  licence: { type: 'string' },
  train: { type: { list: 'string' } },
  flags: { type: { list: 'string' } },
};
