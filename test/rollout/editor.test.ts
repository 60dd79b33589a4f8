import fc from 'fast-check';
import { type EditContext, type FileState, planEdit } from '../../src/rollout/tools/edit-plan';
import type { EditorArgs } from '../../src/rollout/tools/editor';
import { type EditingStep, lastUndoable } from '../../src/rollout/tools/editor';

const context: EditContext = { cwd: '/repo', parentExists: true };
const file = (content: string | Uint8Array): FileState => ({ kind: 'file', bytes: Buffer.from(content) });
const missing: FileState = { kind: 'missing' };
const directory: FileState = { kind: 'directory', listing: '/repo\n/repo/a.py\n' };
const path = '/repo/a.py';
const edit = (args: Partial<EditorArgs>, state: FileState, more: Partial<EditContext> = {}) => {
  const plan = planEdit({ command: 'view', path, ...args }, state, { ...context, ...more });
  const written = plan.write && 'bytes' in plan.write ? Buffer.from(plan.write.bytes) : undefined;
  return { ...plan, written };
};
const cat = (title: string) => `Here's the result of running \`cat -n\` on ${title}:\n`;

describe('view', () => {
  test('numbers lines and keeps tabs', () => {
    expect(edit({}, file('\ta\nb\n')).observation).toBe(`${cat(path)}     1\t\ta\n     2\tb\n     3\t\n`);
    expect(edit({ view_range: [2, -1] }, file('a\nb\nc')).observation).toBe(`${cat(path)}     2\tb\n     3\tc\n`);
    expect(edit({ view_range: [2, 2] }, file('a\r\nb\r\nc')).observation).toBe(`${cat(path)}     2\tb\n`);
    expect(edit({}, directory).observation).toBe(
      `Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n/repo\n/repo/a.py\n`,
    );
  });

  test('a long file is clipped before it is numbered', () => {
    const { observation } = edit({}, file('12345678\n'.repeat(5_000)));
    expect(observation.split('\n')).toHaveLength(1 + 1_778 + 1);
    expect(observation).toContain('<response clipped><NOTE>');
  });

  test.each([
    [{ view_range: [1] }, file('a'), 11],
    [{ view_range: [0, 1] }, file('a'), 12],
    [{ view_range: [3, 4] }, file('a\nb'), 12],
    [{ view_range: [1, 3] }, file('a\nb'), 13],
    [{ view_range: [2, 1] }, file('a\nb'), 14],
    [{ view_range: [2, -7] }, file('a\nb'), 14],
    [{ view_range: [1, 2] }, directory, 10],
    [{ path: 'a.py' }, file('a'), 6],
    [{}, missing, 7],
    [{ command: 'insert' }, directory, 9],
    [{ command: 'create' }, missing, 1],
    [{ command: 'create', file_text: '' }, file('a'), 8],
    [{ command: 'create', file_text: '' }, directory, 8],
    [{ command: 'str_replace' }, file('a'), 2],
    [{ command: 'str_replace', old_str: '' }, file('a'), 2],
    [{ command: 'str_replace', old_str: 'b' }, file('a'), 15],
    [{ command: 'str_replace', old_str: 'a' }, file('a a'), 16],
    [{ command: 'str_replace', old_str: 'a', new_str: 'a' }, file('a'), 161],
    [{ command: 'insert', new_str: '' }, file('a'), 3],
    [{ command: 'insert', insert_line: 0 }, file('a'), 4],
    [{ command: 'insert', insert_line: 2, new_str: 'b' }, file('a'), 17],
    [{ command: 'undo_edit' }, file('a'), 18],
    [{ command: 'undo_edit' }, missing, 7],
  ] as [Partial<EditorArgs>, FileState, number][])('%j is refused without a write', (args, state, exitCode) => {
    const plan = edit(args, state);
    expect(plan.exitCode).toBe(exitCode);
    expect(plan.write).toBeUndefined();
  });

  test('refusals say what to do', () => {
    expect(edit({ path: 'a.py' }, missing).observation).toContain('Maybe you meant /repo/a.py?');
    expect(edit({ command: 'create', file_text: '' }, missing, { parentExists: false })).toMatchObject({
      exitCode: 21,
      observation: 'The parent directory /repo does not exist. Please create it first.',
    });
    expect(edit({ command: 'str_replace', old_str: 'a\nb' }, file('a\nb\nx\na\nb')).observation).toContain(
      'in lines [1, 4]',
    );
  });
});

describe('writing', () => {
  const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  const word = fc.stringMatching(/^[a-z\t é]{1,6}$/);

  test('str_replace changes the matched bytes and no other', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, word, (before, after, added) => {
        const whole = Buffer.concat([before, Buffer.from('<<needle>>'), after]);
        const { written, exitCode } = edit(
          { command: 'str_replace', old_str: '<<needle>>', new_str: added },
          file(whole),
        );
        expect(exitCode).toBe(0);
        expect(written?.equals(Buffer.concat([before, Buffer.from(added), after]))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('insert adds lines and changes no other byte', () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), word, (bytes, n, added) => {
        const lines = bytes.toString('latin1').split('\n');
        const at = n % (lines.length + 1);
        const crlf = lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith('\r'));
        fc.pre(!crlf);
        const { written } = edit({ command: 'insert', insert_line: at, new_str: added }, file(bytes));
        lines.splice(at, 0, Buffer.from(added).toString('latin1'));
        expect(written?.toString('latin1')).toBe(lines.join('\n'));
      }),
      { numRuns: 1_000 },
    );
  });

  test('a CRLF file stays one, and matches what the model was shown', () => {
    const state = file('a\r\nb\r\nc\r\n');
    expect(edit({ command: 'str_replace', old_str: 'a\nb', new_str: 'x\ny' }, state).written?.toString()).toBe(
      'x\r\ny\r\nc\r\n',
    );
    expect(edit({ command: 'insert', insert_line: 1, new_str: 'n' }, state).written?.toString()).toBe(
      'a\r\nn\r\nb\r\nc\r\n',
    );
    expect(edit({ command: 'str_replace', old_str: 'b', new_str: 'B' }, file('a\r\nb\n\tc')).written?.toString()).toBe(
      'a\r\nB\n\tc',
    );
  });

  test('create writes the text as it is', () => {
    expect(edit({ command: 'create', file_text: '\tx\r\né\0' }, missing)).toMatchObject({
      observation: `File created successfully at: ${path}`,
      written: Buffer.from('\tx\r\né\0'),
    });
  });

  test('edits show a numbered snippet', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `l${i + 1}`).join('\n');
    expect(edit({ command: 'str_replace', old_str: 'l10', new_str: 'x\ny' }, file(lines)).observation).toBe(
      `The file ${path} has been edited. ${cat(`a snippet of ${path}`)}     6\tl6\n     7\tl7\n     8\tl8\n     9\tl9\n    10\tx\n    11\ty\n    12\tl11\n    13\tl12\n    14\tl13\n    15\tl14\nReview the changes and make sure they are as expected. Edit the file again if necessary.`,
    );
    expect(edit({ command: 'insert', insert_line: 0, new_str: 'x' }, file('a\nb')).observation).toBe(
      `The file ${path} has been edited. ${cat('a snippet of the edited file')}     1\tx\n     2\ta\n     3\tb\nReview the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    );
  });
});

describe('undo_edit', () => {
  test('puts bytes back and removes what create made', () => {
    const undone = edit({ command: 'undo_edit' }, file('new'), { undo: { bytes: Buffer.from('old\xff', 'latin1') } });
    expect(undone.written).toEqual(Buffer.from('old\xff', 'latin1'));
    expect(undone.observation).toContain(`Last edit to ${path} undone successfully.`);
    expect(edit({ command: 'undo_edit' }, file('new'), { undo: { bytes: null } }).write).toEqual({ delete: true });
    expect(edit({ command: 'undo_edit' }, missing, { undo: { bytes: Buffer.from('a') } }).written?.toString()).toBe(
      'a',
    );
  });

  test('repeated, it walks back through any mix of edits, files and undos', () => {
    const ref = (text: string | undefined) =>
      text === undefined ? null : { sha256: Buffer.from(text).toString('hex').padStart(64, '0'), bytes: text.length };
    const textOf = (sha: string | undefined) =>
      sha === undefined ? undefined : Buffer.from(sha.replace(/^(00)+/, ''), 'hex').toString();
    const move = fc.record({
      path: fc.constantFrom('/a', '/b'),
      undo: fc.boolean(),
      text: fc.constantFrom('1', '2', '3'),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const steps: EditingStep[] = [];
        const files = new Map<string, string | undefined>();
        const stacks = new Map<string, (string | undefined)[]>();
        for (const { path: at, undo, text } of moves) {
          const stack = stacks.get(at) ?? [];
          stacks.set(at, stack);
          const before = files.get(at);
          if (undo) {
            const found = lastUndoable(steps, at);
            expect(found === undefined).toBe(stack.length === 0);
            if (!found) continue;
            const back = stack.pop();
            expect(textOf(found.before?.sha256)).toBe(back);
            files.set(at, back);
          } else {
            stack.push(before);
            files.set(at, text);
          }
          const args = { command: undo ? 'undo_edit' : 'str_replace', path: at };
          const action = { tool: 'str_replace_editor', args };
          steps.push({ turn: { action }, edit: { path: at, before: ref(before), after: ref(files.get(at)) } });
        }
      }),
      { numRuns: 500 },
    );
  });
});
