import type { Action, Edit } from '../../contract/step';
import { editor } from './editor';

/** The parts of a step that say what was edited; both `Step` and `SeenStep` have them. */
export interface EditingStep {
  readonly turn: { readonly action: Action };
  readonly edit?: Edit;
}

/**
 * The edit that `undo_edit` on `path` takes back, or undefined. Each edit pushes on its path's stack and each recorded
 * undo pops it, so that calling `undo_edit` again walks further back. Which edits were undos is read from their step's
 * action: by bytes alone an undo and an edit that happens to restore the old text look the same.
 */
export function lastUndoable(steps: readonly EditingStep[], path: string): Edit | undefined {
  const stack: Edit[] = [];
  for (const { turn, edit } of steps) {
    if (edit?.path !== path) continue;
    if (isUndo(turn.action)) stack.pop();
    else stack.push(edit);
  }
  return stack.at(-1);
}

function isUndo(action: Action): boolean {
  return action.tool === editor.name && action.args.command === 'undo_edit';
}
