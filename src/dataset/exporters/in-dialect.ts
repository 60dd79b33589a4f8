import type { DialectName } from '../../contract/names';
import { type Conversation, renderConversation } from '../conversation';
import type { DatasetRow } from '../row';
import type { ExportContext } from './exporter';

/** The row's conversation in a dialect that the format prescribes; null for an extra row, which has messages only. */
export function inDialect(row: DatasetRow, dialect: DialectName, { prompts }: ExportContext): Conversation | null {
  if (row.metadata.dialect === dialect) return row.conversation;
  if (!row.trajectory) return null;
  const { transcript, view, hashes } = row.trajectory;
  return renderConversation(transcript, {
    view: { ...view, dialect },
    prompts: prompts[dialect],
    train: row.metadata.train,
    hashes,
  });
}
