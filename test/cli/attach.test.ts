import { readTyped } from '../../src/cli/rollout/attach';

test.each([
  ['', { kind: 'nothing' }],
  ['  quit ', { kind: 'quit' }],
  ['help', { kind: 'help' }],
  ['submit', { kind: 'call', tool: 'submit', args: {} }],
  ['# It subtracts.', { kind: 'thought', words: 'It subtracts.' }],
  ['  ls -l', { kind: 'call', tool: 'bash', args: { command: '  ls -l' } }],
  ['submit --now', { kind: 'call', tool: 'bash', args: { command: 'submit --now' } }],
  ['#!x', { kind: 'call', tool: 'bash', args: { command: '#!x' } }],
  ['cat <<X \\\na\\\nX', { kind: 'call', tool: 'bash', args: { command: 'cat <<X \\\na\\\nX' } }],
  [':submit', { kind: 'call', tool: 'submit', args: {} }],
  [':edit {"path": "/a b"}', { kind: 'call', tool: 'edit', args: { path: '/a b' } }],
  // The shell's own command of that name.
  [': > made.txt', { kind: 'call', tool: 'bash', args: { command: ': > made.txt' } }],
])('%j is read', (line, typed) => {
  expect(readTyped(line)).toEqual(typed);
});

test.each([':edit {', ':edit [1]', ':edit null', ':edit "text"'])('%j is refused in words', (line) => {
  expect(() => readTyped(line)).toThrow(/^:edit: /);
});
