import type { LinesExporter } from './exporter';
import { messagesIn, someSays } from './fields';
import { MESSAGE_COLUMNS, METADATA_COLUMNS, messagesWith, PROVENANCE_COLUMNS, provenance, toolsText } from './messages';
import { fieldsOf, listOf, metadataIn, nothingTrained, readChat, readTools } from './read';

/** axolotl's `type: chat_template` with `message_field_training: train`. Every message has the field, whatever its role. */
export const axolotl: LinesExporter = {
  format: 'axolotl',
  layout: 'lines',
  mask: 'message',
  loadedBy: 'axolotl, `type: chat_template` with `message_field_training: train`: see `recipes/axolotl.yaml`',
  isOf: (fields) => {
    const messages = messagesIn(fields);
    return (
      someSays(messages, 'train') &&
      !['weight', 'loss'].some((name) => someSays(messages, name)) &&
      !('traj_id' in fields)
    );
  },
  namesSteps: true,
  export({ id, conversation, metadata }) {
    if (nothingTrained(conversation)) return { records: [], left: [{ reason: 'nothing_trained', detail: id }] };
    const messages = messagesWith(conversation, (turn) => ({
      train: turn?.trained ?? false,
      ...(turn ? provenance(turn) : {}),
    }));
    return { records: [{ messages, tools: toolsText(conversation.tools), metadata }], left: [] };
  },
  columns: {
    messages: { type: { list: { struct: { ...MESSAGE_COLUMNS, train: { type: 'bool' }, ...PROVENANCE_COLUMNS } } } },
    tools: { type: 'string' },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = fieldsOf(record);
    const chat = readChat(listOf(fields, 'messages'), ({ train }) => train);
    const { row, train } = metadataIn(record);
    return { ...chat, id: row, row, tools: readTools(fields.tools), train, endsWithTurn: true };
  },
};
