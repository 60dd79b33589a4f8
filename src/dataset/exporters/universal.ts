import type { LinesExporter } from './exporter';
import { type Fields, messagesIn, someSays } from './fields';
import { MESSAGE_COLUMNS, METADATA_COLUMNS, messagesWith, PROVENANCE_COLUMNS, provenance, toolsText } from './messages';
import { fieldsOf, listOf, metadataIn, nothingTrained, readChat, readTools, unwrapList } from './read';

/**
 * Every trainer's mask field on every assistant message: `train` (axolotl), `weight` (OpenAI), `loss` (ms-swift) and
 * `loss_weight` (LLaMA-Factory's new pipeline), with who wrote it and where it comes from.
 */
export const universal: LinesExporter = {
  format: 'universal',
  layout: 'lines',
  mask: 'message',
  loadedBy: 'anything that reads a field of a message: `train`, `weight`, `loss` and `loss_weight` say the same',
  isOf: (fields) => {
    const messages = messagesIn(fields);
    return someSays(messages, 'train') && ['weight', 'loss'].some((name) => someSays(messages, name));
  },
  namesSteps: true,
  export(row) {
    const { conversation, metadata } = row;
    if (nothingTrained(conversation)) return { records: [], left: [{ reason: 'nothing_trained', detail: row.id }] };
    const messages = messagesWith(conversation, (turn) => {
      if (!turn) return {};
      const weight = turn.trained ? 1 : 0;
      return {
        train: turn.trained,
        weight,
        loss: turn.trained,
        loss_weight: weight,
        ...provenance(turn),
        faithful: turn.faithful,
      };
    });
    return { records: [{ messages, tools: toolsText(conversation.tools), metadata }], left: [] };
  },
  columns: {
    messages: {
      type: {
        list: {
          struct: {
            ...MESSAGE_COLUMNS,
            train: { type: 'bool' },
            weight: { type: 'int' },
            loss: { type: 'bool' },
            loss_weight: { type: 'double' },
            ...PROVENANCE_COLUMNS,
            faithful: { type: 'bool' },
          },
        },
      },
    },
    tools: { type: 'string' },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = unwrapList(fieldsOf(record), 'messages');
    const raw = listOf(fields, 'messages');
    const chat = readChat(raw, ({ train, weight }) => train ?? weight);
    const { row, train } = metadataIn(record);
    const problems = [...chat.problems, ...raw.flatMap(disagreement)];
    return { ...chat, id: row, row, tools: readTools(fields.tools), train, endsWithTurn: true, problems };
  },
};

/** Trainers read different fields of the four: they must not learn different things. */
function disagreement({ role, train, weight, loss, loss_weight }: Fields, i: number): string[] {
  const given = [train, weight, loss, loss_weight].filter((value) => value !== undefined && value !== null);
  if (role !== 'assistant' || new Set(given.map(Boolean)).size < 2) return [];
  return [`message ${i}: expected train, weight, loss and loss_weight to agree, found ${given.join(', ')}`];
}
