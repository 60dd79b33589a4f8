import { z } from 'zod';
import type { Action, Edit } from '../../contract/step';
import type { Tool } from './tool';

const EditorCommand = z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']);

export const EditorArgs = z.strictObject({
  command: EditorCommand,
  /** Absolute path inside of the sandbox. */
  path: z.string().refine((path) => !path.includes('\0'), 'a path cannot hold a NUL byte'),
  file_text: z.string().optional(),
  old_str: z.string().optional(),
  new_str: z.string().optional(),
  insert_line: z.int().optional(),
  view_range: z.array(z.int()).optional(),
});
export type EditorArgs = z.infer<typeof EditorArgs>;

/** The text models were trained on (SWE-agent took it from OpenHands), in paragraphs of lines. */
const PARAGRAPHS = [
  [
    'Custom editing tool for viewing, creating and editing files',
    '* State is persistent across command calls and discussions with the user',
    '* If `path` is a file, `view` displays the result of applying `cat -n`. If `path` is a directory, `view` lists non-hidden files and directories up to 2 levels deep',
    '* The `create` command cannot be used if the specified `path` already exists as a file',
    '* If a `command` generates a long output, it will be truncated and marked with `<response clipped>`',
    '* The `undo_edit` command will revert the last edit made to the file at `path`',
  ],
  [
    'Notes for using the `str_replace` command:',
    '* The `old_str` parameter should match EXACTLY one or more consecutive lines from the original file. Be mindful of whitespaces!',
    '* If the `old_str` parameter is not unique in the file, the replacement will not be performed. Make sure to include enough context in `old_str` to make it unique',
    '* The `new_str` parameter should contain the edited lines that should replace the `old_str`',
  ],
];
const RETURNS =
  'Returns: File contents with line numbers for `view`, confirmation message for successful edits, or error message if operation fails.';

export const editor: Tool = {
  name: 'str_replace_editor',
  aliases: [],
  // SWE-agent's YAML folds the lines of a paragraph into one, and that is what is sent.
  description: `${[...PARAGRAPHS, [RETURNS]].map((lines) => lines.join(' ')).join('\n')}\n`,
  manual: PARAGRAPHS.map((lines) => lines.join('\n')).join('\n\n'),
  params: [
    {
      name: 'command',
      type: 'string',
      required: true,
      description: 'The commands to run. Allowed options are: `view`, `create`, `str_replace`, `insert`, `undo_edit`.',
      values: EditorCommand.options,
    },
    {
      name: 'path',
      type: 'string',
      required: true,
      description: 'Absolute path to file or directory, e.g. `/testbed/file.py` or `/testbed`.',
    },
    {
      name: 'file_text',
      type: 'string',
      required: false,
      ownLines: true,
      description: 'Required parameter of `create` command, with the content of the file to be created.',
    },
    {
      name: 'old_str',
      type: 'string',
      required: false,
      ownLines: true,
      description: 'Required parameter of `str_replace` command containing the string in `path` to replace.',
    },
    {
      name: 'new_str',
      type: 'string',
      required: false,
      ownLines: true,
      description:
        'Optional parameter of `str_replace` command containing the new string (if not given, no string will be added). Required parameter of `insert` command containing the string to insert.',
    },
    {
      name: 'insert_line',
      type: 'integer',
      required: false,
      description:
        'Required parameter of `insert` command. The `new_str` will be inserted AFTER the line `insert_line` of `path`.',
    },
    {
      name: 'view_range',
      type: 'integers',
      required: false,
      description:
        'Optional parameter of `view` command when `path` points to a file. If none is given, the full file is shown. If provided, the file will be shown in the indicated line number range, e.g. [11, 12] will show lines 11 and 12. Indexing at 1 to start. Setting `[start_line, -1]` shows all lines from `start_line` to the end of the file.',
    },
  ],
  args: EditorArgs,
  does: { kind: 'edit' },
  line: { positional: ['command', 'path'], options: ['file_text', 'view_range', 'old_str', 'new_str', 'insert_line'] },
};

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
