import type { Ref } from '../../contract';
import type { TurnView } from './payload';

/** A file that edits changed: its state before the first of them and after the last. */
export interface FileSoFar {
  readonly path: string;
  readonly before: Ref | null;
  readonly after: Ref | null;
  readonly lastTurn: number;
  /** Between two edits something else changed it: its difference holds that as well. */
  readonly touchedBetween: boolean;
}

export interface DiffSoFar {
  readonly files: readonly FileSoFar[];
  /** Turns after which the work directory was another, without an edit that shows how. */
  readonly unseen: readonly number[];
  /** The work directory is no git work tree: nobody knows what commands did to it. */
  readonly unknown: boolean;
}

/** What the editor's recorded bytes say about the work after `until`, and where they cannot tell all. */
export function diffSoFar(turns: readonly TurnView[], until: number): DiffSoFar {
  const files = new Map<string, { -readonly [name in keyof FileSoFar]: FileSoFar[name] }>();
  const seen = turns.filter(({ turn }) => turn <= until);
  for (const { turn, edit } of seen) {
    if (!edit) continue;
    const known = files.get(edit.path);
    if (!known) files.set(edit.path, { ...edit, lastTurn: turn, touchedBetween: false });
    else {
      known.touchedBetween ||= !same(known.after, edit.before);
      [known.after, known.lastTurn] = [edit.after, turn];
    }
  }
  return {
    files: [...files.values()].filter(({ before, after }) => !same(before, after)),
    unseen: seen.filter(({ unseen }) => unseen === true).map(({ turn }) => turn),
    unknown: seen.some(({ unseen, action }) => unseen === null && action.kind === 'command'),
  };
}

function same(a: Ref | null, b: Ref | null): boolean {
  return a?.sha256 === b?.sha256;
}
