import { PointsmanError } from '../../contract';
import type { Conversation } from '../../dataset/conversation';
import type { DatasetRow } from '../../dataset/row';
import { lookAtTemplate } from '../../dataset/template-look';
import type { DatasetRows } from './rows';

/** Rows that are looked at, and rows that are read for them at most: most are lost to filters. */
const LOOKED_AT = 8;
const MOST_READ = 200;

/**
 * What the tokenizer's chat template does to the first rows that pass their filters, before hours go into the rest. Throws
 * `InvalidInput` where nothing but `tokens` is asked for and none of them can be masked: the files would be empty.
 */
export async function lookAtFirstRows(rows: DatasetRows): Promise<readonly string[]> {
  const { tokenizer, setting } = rows;
  if (!tokenizer) return [];
  const { formats, tokenTurns } = setting.input;
  const conversations: Conversation[] = [];
  let sampled = 0;
  let read = 0;
  for (const page of setting.pages) {
    for (const place of await rows.places(page)) {
      if (conversations.length === LOOKED_AT || read++ === MOST_READ) break;
      const judged = await rows.judge(place);
      if ('reason' in judged) continue;
      const row = await rows.load(place);
      conversations.push(row.conversation);
      if (isSampled(row)) sampled += 1;
    }
    if (conversations.length === LOOKED_AT || read >= MOST_READ) break;
  }
  if (conversations.length === 0) return [];
  const look = lookAtTemplate(conversations, tokenizer, tokenTurns);
  if (look.problem && look.refused === look.rows && sampled === 0 && formats.every((format) => format === 'tokens')) {
    throw new PointsmanError(
      'InvalidInput',
      `tokens: ${look.notes[0]}`,
      'Nothing was built. Give another --tokenizer, --view or --token-turns, or formats that hold messages.',
    );
  }
  return look.notes;
}

/** Whether its trained turns were kept as they were sampled: then no template is needed for it. */
function isSampled({ conversation, trajectory }: DatasetRow): boolean {
  const steps = trajectory?.transcript.steps ?? [];
  return conversation.turns.every(({ trained }, i) => !trained || steps[i]?.turn.sampled?.tokens !== undefined);
}
