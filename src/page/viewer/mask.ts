import { DIALECTS } from '../../agent/dialects';
import type { Author, DialectName, Turn } from '../../contract';

export interface TurnMask {
  readonly trained: boolean;
  readonly faithful: boolean;
}

/**
 * What a data set takes loss on, turn by turn, as `renderConversation` decides it, without rendering the messages: a
 * trajectory of thousands of turns is opened in a moment.
 */
export function maskOf(
  turns: readonly Turn[],
  dialect: DialectName,
  train: readonly Author[] = ['expert'],
): TurnMask[] {
  return turns.map((turn) => ({
    trained: train.includes(turn.author),
    faithful: DIALECTS[dialect].renderTurn(turn).faithful,
  }));
}

/** The dialect that the data is written in: the student's, for it is the student that is trained (OEC, "Masking"). */
export function trainingDialect(turns: readonly Turn[]): DialectName {
  const student = turns.find(({ author }) => author === 'student');
  return (student ?? turns[0])?.dialect ?? 'tools';
}
