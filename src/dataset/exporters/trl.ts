import type { ChatMessage } from '../../contract/step';
import type { Conversation, ConversationTurn } from '../conversation';
import type { DataRecord, LinesExporter } from './exporter';
import { CALL_COLUMNS, MESSAGE_COLUMNS, METADATA_COLUMNS, plainMessage, toolsText } from './messages';
import { fieldsOf, listOf, metadataIn, readChat, readTools, textOf } from './read';

/**
 * TRL's prompt and completion. Its trainer has no mask by message: with `completion_only_loss` and `assistant_only_loss` it
 * trains the assistant messages of the completion, every one of them. So a row becomes one record for each run of trained
 * turns, and what comes before the run, other runs included, is its prompt: each trained turn is trained once, others never.
 */
export const trl: LinesExporter = {
  format: 'trl',
  layout: 'lines',
  mask: 'completion',
  loadedBy: 'TRL `SFTTrainer` with `assistant_only_loss=True`: see `recipes/sft_trl.py`',
  isOf: (fields) => 'prompt' in fields && 'completion' in fields,
  namesSteps: true,
  export({ id, conversation, metadata }) {
    const runs = trainedRuns(conversation);
    if (runs.length === 0) return { records: [], left: [{ reason: 'nothing_trained', detail: id }] };
    const { messages, tools, turns } = conversation;
    const records = runs.map(({ first, last }) => {
      const until = turns.filter((turn) => turn.message <= last.message);
      return {
        id: runs.length === 1 ? id : `${id}#${first.turn}`,
        prompt: messages.slice(0, first.message).map(trlMessage),
        completion: messages.slice(first.message, last.message + 1).map(trlMessage),
        tools: toolsText(tools),
        turn_authors: until.map((turn) => turn.author),
        turn_steps: until.map((turn) => turn.step),
        metadata,
      };
    });
    return { records, left: [] };
  },
  columns: {
    id: { type: 'string' },
    prompt: { type: { list: { struct: messageColumns() } } },
    completion: { type: { list: { struct: messageColumns() } } },
    tools: { type: 'string' },
    turn_authors: { type: { list: 'string' } },
    turn_steps: { type: { list: 'string' } },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = fieldsOf(record);
    const prompt = listOf(fields, 'prompt');
    const completion = listOf(fields, 'completion');
    const authors = Array.isArray(fields.turn_authors) ? fields.turn_authors : [];
    const steps = Array.isArray(fields.turn_steps) ? fields.turn_steps : [];
    const chat = readChat([...prompt, ...completion], (_, i) => i >= prompt.length);
    const turns = chat.turns.map((turn, i) => ({ ...turn, author: authors[i] ?? null, step: steps[i] ?? null }));
    const { row, train } = metadataIn(record);
    const problems = [...chat.problems];
    if (prompt.length === 0) problems.push('expected messages in the prompt, found none');
    if (prompt.at(-1)?.role === 'assistant') problems.push('expected the prompt to end before the model’s turn');
    if (completion[0]?.role !== 'assistant') problems.push('expected the completion to begin with a turn of the model');
    const tools = readTools(fields.tools);
    return { ...chat, turns, id: textOf(fields.id), row, tools, train, endsWithTurn: true, problems };
  },
};

/** Runs of trained turns without another author's turn between them. */
function trainedRuns({ turns }: Conversation): { first: ConversationTurn; last: ConversationTurn }[] {
  const runs: { first: ConversationTurn; last: ConversationTurn }[] = [];
  turns.forEach((turn, i) => {
    if (!turn.trained) return;
    if (turns[i - 1]?.trained) runs[runs.length - 1] = { first: runs.at(-1)!.first, last: turn };
    else runs.push({ first: turn, last: turn });
  });
  return runs;
}

/** TRL hands calls to the chat template as they are, and templates write the arguments with `tojson`: they are an object. */
function trlMessage(message: ChatMessage): DataRecord {
  if (message.role !== 'assistant' || !message.tool_calls) return plainMessage(message);
  const tool_calls = message.tool_calls.map(({ function: called, ...call }) => ({
    ...call,
    function: { name: called.name, arguments: JSON.parse(called.arguments) as unknown },
  }));
  return { ...plainMessage(message), tool_calls };
}

function messageColumns() {
  const called = { struct: { name: { type: 'string' }, arguments: { type: 'json' } } } as const;
  return {
    ...MESSAGE_COLUMNS,
    tool_calls: { type: { list: { struct: { ...CALL_COLUMNS, function: { type: called } } } } },
  } as const;
}
