import { type EmbeddedHistory, type ShiftOptions, shiftAtTurn } from '../../analysis/shift/turn';
import type { ShiftPoint } from '../../contract';
import { answering } from '../threads';

/** One turn of a student and the expert, with all vectors in one buffer: the student's, then the expert's. */
export interface TurnTask {
  readonly student: string;
  readonly turn: number;
  readonly dimensions: number;
  readonly studentInstances: readonly string[];
  readonly expertInstances: readonly string[];
  readonly vectors: Float32Array;
  readonly options: ShiftOptions;
}

function measured({ studentInstances, expertInstances, vectors, options, ...at }: TurnTask): ShiftPoint {
  const history = (instance: string, row: number): EmbeddedHistory => ({
    instance,
    vector: vectors.subarray(row * at.dimensions, (row + 1) * at.dimensions),
  });
  const students = studentInstances.length;
  return shiftAtTurn(
    {
      ...at,
      studentHistories: studentInstances.map(history),
      expertHistories: expertInstances.map((instance, row) => history(instance, students + row)),
    },
    options,
  );
}

export default answering(measured);
