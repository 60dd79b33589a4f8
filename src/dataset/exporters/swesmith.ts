import type { DialectName } from '../../contract/names';
import type { LinesExporter } from './exporter';
import { type Fields, messagesIn } from './fields';
import { inDialect } from './in-dialect';
import { MESSAGE_COLUMNS, messagesWith, PROVENANCE_COLUMNS, provenance, toolsText } from './messages';
import { fieldsOf, listOf, readChat, readTools, textOf } from './read';

/**
 * SWE-smith's three styles: the row in the style's own dialect, whatever the data set's view. Its recipes train every
 * assistant message and read no mask: `train` is there for those who filter, and a row with turns of a student is not one to
 * train as it is. `tool` has the tool schemas too, which calls mean nothing without.
 */
function swesmith(style: 'xml' | 'ticks' | 'tool', dialect: DialectName): LinesExporter {
  return {
    format: `swesmith-${style}`,
    layout: 'lines',
    mask: 'ignored',
    loadedBy: `SWE-smith's \`${style}\` style`,
    isOf: (fields) => 'traj_id' in fields && styleOf(messagesIn(fields)) === style,
    export(row, context) {
      const { id, metadata } = row;
      const conversation = inDialect(row, dialect, context);
      if (!conversation) return { records: [], left: [{ reason: 'no_trajectory', detail: id }] };
      const messages = messagesWith(conversation, (turn) => (turn ? { train: turn.trained, ...provenance(turn) } : {}));
      const record = {
        messages,
        instance_id: metadata.instance_id,
        resolved: metadata.resolved,
        model: metadata.expert || metadata.student,
        traj_id: id,
        patch: metadata.patch,
        train: metadata.train,
        ...(style === 'tool' ? { tools: toolsText(conversation.tools) } : {}),
      };
      return { records: [record], left: [] };
    },
    columns: {
      messages: { type: { list: { struct: { ...MESSAGE_COLUMNS, train: { type: 'bool' }, ...PROVENANCE_COLUMNS } } } },
      instance_id: { type: 'string' },
      resolved: { type: 'bool' },
      model: { type: 'string' },
      traj_id: { type: 'string' },
      patch: { type: 'string' },
      train: { type: { list: 'string' } },
      ...(style === 'tool' ? { tools: { type: 'string' } } : {}),
    },
    read(record) {
      const fields = fieldsOf(record);
      const chat = readChat(listOf(fields, 'messages'), ({ train }) => train);
      const id = textOf(fields.traj_id);
      const train = Array.isArray(fields.train) ? fields.train.map(String) : null;
      return { ...chat, id, row: id, tools: readTools(fields.tools), train, endsWithTurn: true };
    },
  };
}

export const swesmithXml = swesmith('xml', 'xml');
export const swesmithTicks = swesmith('ticks', 'backticks');
export const swesmithTool = swesmith('tool', 'tools');

function styleOf(messages: readonly Fields[]): 'xml' | 'ticks' | 'tool' {
  if (messages.some(({ tool_calls }) => Array.isArray(tool_calls) && tool_calls.length > 0)) return 'tool';
  const written = messages.find(({ role }) => role === 'assistant')?.content;
  return typeof written === 'string' && /<function=/.test(written) ? 'xml' : 'ticks';
}
