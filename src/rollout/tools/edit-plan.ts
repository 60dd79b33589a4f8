import { cutEnd, preview } from '../clip';
import type { EditorArgs } from './editor';

/** What is at the path now. A directory's `listing` is made by the sandbox: two levels, hidden entries left out. */
export type FileState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory'; readonly listing: string }
  | { readonly kind: 'file'; readonly bytes: Uint8Array };

export interface EditContext {
  /** The shell's working directory, for the hint after a relative path. */
  readonly cwd: string;
  readonly parentExists: boolean;
  /** What `undo_edit` puts back: the bytes before the edit of `lastUndoable`, null where the file did not exist. */
  readonly undo?: { readonly bytes: Uint8Array | null };
}

interface EditPlan {
  /** What the model sees. Texts and exit codes are SWE-agent 1.1's, which models were trained on. */
  readonly observation: string;
  readonly exitCode: number;
  /** What to do to the file; absent when nothing changes. */
  readonly write?: { readonly bytes: Uint8Array } | { readonly delete: true };
}

const SNIPPET_LINES = 4;
const VIEW_CHARS = 16_000;
const CLIPPED =
  '<response clipped><NOTE>To save on context only part of this file has been shown to you. You should retry this tool after you have searched inside the file with `grep -n` in order to find the line numbers of what you are looking for.</NOTE>';

/**
 * Decides what one `str_replace_editor` call does, from the exact bytes of the file. Never throws. Bytes outside of the
 * edited part are kept as they are: tabs, encodings, line endings. In a file whose lines all end in CRLF the model,
 * which is shown plain line ends, may write them as plain `\n`.
 */
export function planEdit(args: EditorArgs, file: FileState, context: EditContext): EditPlan {
  const { command, path } = args;
  if (!path.startsWith('/')) {
    const meant = `${context.cwd.replace(/\/$/, '')}/${path}`;
    return fail(6, `The path ${path} is not an absolute path, it should start with \`/\`. Maybe you meant ${meant}?`);
  }
  if (command === 'create') return create(args, file, context);
  if (file.kind === 'missing' && !(command === 'undo_edit' && context.undo)) {
    return fail(7, `The path ${path} does not exist. Please provide a valid path.`);
  }
  if (file.kind === 'directory') {
    return command === 'view'
      ? viewDirectory(args, file.listing)
      : fail(9, `The path ${path} is a directory and only the \`view\` command can be used on directories`);
  }
  if (command === 'undo_edit') return undo(path, context);
  if (file.kind === 'missing') return fail(7, `The path ${path} does not exist. Please provide a valid path.`);
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
  switch (command) {
    case 'view':
      return viewFile(args, bytes);
    case 'str_replace':
      return replace(args, bytes);
    case 'insert':
      return insert(args, bytes);
    default:
      return command satisfies never;
  }
}

function create(args: EditorArgs, file: FileState, context: EditContext): EditPlan {
  const { path, file_text } = args;
  if (file.kind !== 'missing') {
    return fail(8, `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`);
  }
  if (file_text === undefined) return required(1, 'file_text', 'create');
  if (!context.parentExists) {
    const parent = path.replace(/\/+[^/]*\/*$/, '') || '/';
    return fail(21, `The parent directory ${parent} does not exist. Please create it first.`);
  }
  return {
    observation: `File created successfully at: ${path}`,
    exitCode: 0,
    write: { bytes: Buffer.from(file_text) },
  };
}

function undo(path: string, context: EditContext): EditPlan {
  if (!context.undo) return fail(18, `No edit history found for ${path}.`);
  const undone = `Last edit to ${path} undone successfully.`;
  const { bytes } = context.undo;
  if (bytes === null) {
    return {
      observation: `${undone} The file did not exist before it and was removed.`,
      exitCode: 0,
      write: { delete: true },
    };
  }
  const text = Buffer.from(bytes).toString('utf8');
  return { observation: `${undone} ${numbered(linesOf(text), path, 1)}`, exitCode: 0, write: { bytes } };
}

function viewDirectory(args: EditorArgs, listing: string): EditPlan {
  if (args.view_range) {
    return fail(10, 'The `view_range` parameter is not allowed when `path` points to a directory.');
  }
  const title = `Here's the files and directories up to 2 levels deep in ${args.path}, excluding hidden items:`;
  return { observation: `${title}\n${listing.replace(/\n$/, '')}\n`, exitCode: 0 };
}

function viewFile({ path, view_range }: EditorArgs, bytes: Buffer): EditPlan {
  const lines = linesOf(bytes.toString('utf8'));
  if (!view_range) return { observation: numbered(lines, path, 1), exitCode: 0 };
  const [first, last] = view_range;
  if (view_range.length !== 2 || first === undefined || last === undefined) {
    return fail(11, 'Invalid `view_range`. It should be a list of two integers.');
  }
  const invalid = `Invalid \`view_range\`: [${first}, ${last}].`;
  if (first < 1 || first > lines.length) {
    return fail(
      12,
      `${invalid} Its first element \`${first}\` should be within the range of lines of the file: [1, ${lines.length}]`,
    );
  }
  if (last > lines.length) {
    return fail(
      13,
      `${invalid} Its second element \`${last}\` should be smaller than the number of lines in the file: \`${lines.length}\``,
    );
  }
  if (last !== -1 && last < first) {
    return fail(14, `${invalid} Its second element \`${last}\` should be larger or equal than its first \`${first}\``);
  }
  return { observation: numbered(lines.slice(first - 1, last === -1 ? undefined : last), path, first), exitCode: 0 };
}

function replace({ path, old_str, new_str = '' }: EditorArgs, bytes: Buffer): EditPlan {
  if (old_str === undefined || old_str === '') return required(2, 'old_str', 'str_replace');
  const crlf = endsLinesWithCrlf(bytes);
  const before = Buffer.from(crlf ? toCrlf(old_str) : old_str);
  const after = Buffer.from(crlf ? toCrlf(new_str) : new_str);
  const shown = `\`${preview(old_str, 4_000)}\``;
  const found = occurrences(bytes, before);
  const [at] = found;
  if (at === undefined) {
    return fail(15, `No replacement was performed, old_str ${shown} did not appear verbatim in ${path}.`);
  }
  if (found.length > 1) {
    const lines = found.slice(0, 100).map((offset) => lineAt(bytes, offset) + 1);
    return fail(
      16,
      `No replacement was performed. Multiple occurrences of old_str ${shown} in lines [${lines.join(', ')}]. Please ensure it is unique`,
    );
  }
  if (before.equals(after)) {
    const same = `\`${preview(new_str, 4_000)}\``;
    return fail(161, `No replacement was performed, old_str ${shown} is the same as new_str ${same}.`);
  }
  const written = splice(bytes, at, before.length, after);
  const line = lineAt(bytes, at);
  const start = Math.max(0, line - SNIPPET_LINES);
  const end = line + SNIPPET_LINES + linesOf(new_str).length;
  const snippet = numbered(linesOf(written.toString('utf8')).slice(start, end), `a snippet of ${path}`, start + 1);
  return {
    observation: `The file ${path} has been edited. ${snippet}Review the changes and make sure they are as expected. Edit the file again if necessary.`,
    exitCode: 0,
    write: { bytes: written },
  };
}

function insert({ path, insert_line, new_str }: EditorArgs, bytes: Buffer): EditPlan {
  if (insert_line === undefined) return required(3, 'insert_line', 'insert');
  if (new_str === undefined) return required(4, 'new_str', 'insert');
  const count = lineAt(bytes, bytes.length) + 1;
  if (insert_line < 0 || insert_line > count) {
    return fail(
      17,
      `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${count}]`,
    );
  }
  const written = insertAfterLine(bytes, insert_line, new_str);
  const start = Math.max(0, insert_line - SNIPPET_LINES);
  const end = insert_line + linesOf(new_str).length + SNIPPET_LINES;
  const lines = linesOf(written.toString('utf8')).slice(start, end);
  return {
    observation: `The file ${path} has been edited. ${numbered(lines, 'a snippet of the edited file', start + 1)}Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    exitCode: 0,
    write: { bytes: written },
  };
}

/** `cat -n` as SWE-agent writes it; the content is cut before it is numbered. */
function numbered(lines: readonly string[], title: string, first: number): string {
  const content = lines.join('\n');
  const shown = content.length > VIEW_CHARS ? cutEnd(content, VIEW_CHARS) + CLIPPED : content;
  const body = shown.split('\n').map((line, i) => `${String(first + i).padStart(6)}\t${line}`);
  return `Here's the result of running \`cat -n\` on ${title}:\n${body.join('\n')}\n`;
}

function required(exitCode: number, parameter: string, command: string): EditPlan {
  return fail(exitCode, `Parameter \`${parameter}\` is required for command: ${command}`);
}

function fail(exitCode: number, observation: string): EditPlan {
  return { observation, exitCode };
}

/** Edits of a file as bytes. Nothing here decodes what it does not change. */

const LF = 0x0a;
const CR = 0x0d;

/** The lines of a text as the editor shows them: a last newline leaves an empty last line, CRLF reads as a line end. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

/** Whether the file has line ends and each of them is CRLF. */
function endsLinesWithCrlf(bytes: Buffer): boolean {
  let any = false;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return false;
    any = true;
  }
  return any;
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Offsets of `needle` (not empty) in `bytes`, not overlapping. */
function occurrences(bytes: Buffer, needle: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) found.push(at);
  return found;
}

/** Line ends before `offset`, which is the 0-based number of the line that `offset` is in. */
function lineAt(bytes: Buffer, offset: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0 && at < offset; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** `bytes` with `removed` bytes at `at` replaced by `added`. */
function splice(bytes: Buffer, at: number, removed: number, added: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
}

/** Puts `text` on lines of its own after the first `line` lines; 0 is before the first one. */
function insertAfterLine(bytes: Buffer, line: number, text: string): Buffer {
  const crlf = endsLinesWithCrlf(bytes);
  const end = crlf ? '\r\n' : '\n';
  const added = crlf ? toCrlf(text) : text;
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const next = bytes.indexOf(LF, at);
    if (next < 0) return Buffer.concat([bytes, Buffer.from(end + added)]);
    at = next + 1;
  }
  return splice(bytes, at, 0, Buffer.from(added + end));
}
