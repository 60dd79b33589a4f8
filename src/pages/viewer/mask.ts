import type { DialectName, Turn } from '../../contract';
import { DIALECTS } from '../../rollout/dialects';

/** What is trained of a rollout: turns, from 1, and the dialect that they are written in. */
export interface Training {
  readonly dialect: DialectName;
  readonly turns: readonly number[];
}

export interface TurnMask {
  readonly trained: boolean;
  readonly faithful: boolean;
}

/**
 * What a data set takes loss on, turn by turn, as `renderConversation` decides it, without rendering the messages: a
 * trajectory of thousands of turns is opened in a moment.
 */
export function maskOf(turns: readonly Turn[], { dialect, turns: numbers }: Training): TurnMask[] {
  const trained = new Set(numbers);
  return turns.map((turn) => ({
    trained: trained.has(turn.turn),
    faithful: DIALECTS[dialect].renderTurn(turn).faithful,
  }));
}

/**
 * What is trained where no data set says otherwise: the expert's turns, in the dialect of the student, for it is the student
 * that is trained (OEC, "Masking").
 */
export function usualTraining(turns: readonly Turn[]): Training {
  const student = turns.find(({ author }) => author === 'student');
  return {
    dialect: (student ?? turns[0])?.dialect ?? 'tools',
    turns: turns.filter(({ author }) => author === 'expert').map(({ turn }) => turn),
  };
}
