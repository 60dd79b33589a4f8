import type { DatasetInput } from '../contract';
import type { ChatTokenizer } from './chat-tokenizer';
import { type Conversation, conversationsByTurn } from './conversation';
import { FIXED_DAY, strftime } from './fixed-day';
import { type Ending, MaskProblem, type MaskReason, renderWithMask } from './mask';

export interface TemplateLook {
  /** Rows that were looked at, and those of them of which nothing could be masked. */
  readonly rows: number;
  readonly refused: number;
  /** What whoever trains with the template should know, a sentence each. */
  readonly notes: readonly string[];
  /** Of the first row that was refused. */
  readonly problem?: { readonly reason: MaskReason; readonly message: string };
}

/** What becomes of the first rows under a tokenizer's chat template: hours of building do not change it. */
export function lookAtTemplate(
  conversations: readonly Conversation[],
  tokenizer: ChatTokenizer,
  tokenTurns: DatasetInput['tokenTurns'] = 'all',
): TemplateLook {
  const notes: string[] = [];
  const endings = new Map<string, Ending>();
  const problems = new Map<MaskReason, { count: number; message: string }>();
  let refused = 0;
  let hidden = false;
  for (const conversation of conversations) {
    const parts = tokenTurns === 'all' ? [conversation] : conversationsByTurn(conversation, tokenTurns);
    let masked = 0;
    for (const part of parts) {
      try {
        const { spans, unlisted } = renderWithMask(part, tokenizer, { withoutTools: tokenTurns !== 'all' });
        for (const { ending } of spans) endings.set(JSON.stringify(ending), ending);
        if (unlisted) hidden = true;
        masked += 1;
      } catch (error) {
        if (!(error instanceof MaskProblem)) throw error;
        const known = problems.get(error.reason);
        problems.set(error.reason, { count: (known?.count ?? 0) + 1, message: known?.message ?? error.message });
        break;
      }
    }
    if (masked < parts.length) refused += 1;
  }
  const rows = conversations.length;
  for (const [reason, { count, message }] of problems) {
    notes.push(`${count} of the first ${rows} rows cannot be masked: ${message}${REMEDIES[reason] ?? ''}`);
  }
  if (tokenTurns !== 'all' && rows > refused) {
    notes.push(
      tokenTurns === 'each'
        ? 'each trained turn is a row of its own, as a model that is asked turn by turn sees it'
        : 'of each row the last trained turn alone is trained',
    );
  }
  if (hidden) notes.push('warning: the template does not list the tools');
  notes.push(...[...endings.values()].flatMap((ending) => noteOfEnding(ending, tokenizer)));
  if (tokenizer.argumentsAs === 'text') notes.push('the template is given the arguments of calls as JSON text');
  if (tokenizer.asksForDay) {
    notes.push(`the template asks what day it is, and is told ${strftime(FIXED_DAY, '%F')} in every row`);
  }
  const [first] = problems;
  return { rows, refused, notes, ...(first ? { problem: { reason: first[0], message: first[1].message } } : {}) };
}

const REMEDIES: Partial<Record<MaskReason, string>> = {
  template_rewrites_turns:
    '; train with the template’s form for training, which keeps earlier turns as they were said, or build with --token-turns each (a row a turn) or last',
};

function noteOfEnding(ending: Ending, { endOfSequence }: ChatTokenizer): string[] {
  switch (ending.by) {
    case 'token':
      return endOfSequence === undefined || ending.token === endOfSequence
        ? []
        : [
            `turns end with ${ending.token}, and the files call ${endOfSequence} the end of a sequence: stop generation at ${ending.token}`,
          ];
    case 'next':
      return [
        `turns have no end of their own: ${ending.token}, which begins what follows, is trained as their end; stop generation at it`,
      ];
    case 'text':
      return [
        `warning: turns end with ${JSON.stringify(ending.text)}, which is no token of its own: a model learns to stop only by what follows it`,
      ];
    case 'nothing':
      return ['warning: nothing ends a turn that nobody answers: a model does not learn there to stop'];
  }
}
