import fc from 'fast-check';
import { JudgeMove, ProsecutorMove, type RawReply, SetupAction, VerifierMove } from '../../../src/contract';
import { formsOf, type Moves, readMove, toolsOf } from '../../../src/setup/roles/read-move';

const said = (content: string | null, finishReason = 'stop'): RawReply => ({ content, toolCalls: [], finishReason });
const read = (content: string | null) => readMove(SetupAction as unknown as Moves, said(content));
const SHELL = '{"action": "shell", "command": "ls"}';

test.each([
  ['alone', SHELL],
  ['with blanks', `\n\n  ${SHELL}\n`],
  ['in a fence', `\`\`\`json\n${SHELL}\n\`\`\``],
  ['in a fence without a language', `\`\`\`\n${SHELL}\n\`\`\``],
  ['after a sentence with braces', `I think {this} is right:\n${SHELL}`],
  ['before a sentence', `${SHELL}\nThat lists the files.`],
  ['after reasoning that has an object of its own', `<think>maybe {"action": "finish"}</think>${SHELL}`],
  ['beside an object that is no move', `The config is {"a": 1}. ${SHELL}`],
])('a move %s is read', (_, content) => {
  expect(read(content)).toMatchObject({ ok: true, move: { action: 'shell', command: 'ls' } });
});

test('what is said around a move is its thought, unless it has one', () => {
  expect(read(`Look first.\n${SHELL}`)).toMatchObject({ move: { thought: 'Look first.' } });
  const own = '{"action": "shell", "thought": "own", "command": "ls"}';
  expect(read(`Look first.\n${own}`)).toMatchObject({ move: { thought: 'own' } });
});

test('braces and quotes inside of strings end nothing', () => {
  const command = 'awk \'{print "}"}\' f \\ "{"';
  expect(read(JSON.stringify({ action: 'shell', command }))).toMatchObject({ move: { command } });
});

test('a native tool call is a move, with the same checks', () => {
  const call = (name: string, args: string) => ({ content: null, toolCalls: [{ id: 'c', name, arguments: args }] });
  const moves = SetupAction as unknown as Moves;
  expect(readMove(moves, call('shell', '{"command": "ls"}'))).toMatchObject({ ok: true, move: { action: 'shell' } });
  expect(readMove(moves, call('verify', ''))).toMatchObject({ ok: true, move: { action: 'verify' } });
  expect(readMove(moves, call('bash', '{"command": "ls"}'))).toMatchObject({
    ok: false,
    error: { code: 'unknown_tool' },
  });
  const two = { content: '', toolCalls: [...call('shell', '{}').toolCalls, ...call('verify', '{}').toolCalls] };
  expect(readMove(moves, two)).toMatchObject({ ok: false, error: { code: 'multiple_actions' } });
});

/** What models really send. Each is told what was wrong: the code, and a part of what it is told. */
const MALFORMED: readonly (readonly [reply: string | null, code: string, told: string])[] = [
  [null, 'empty_reply', 'empty'],
  ['', 'empty_reply', 'empty'],
  [' \n\t', 'empty_reply', 'empty'],
  ['I will list the files first.', 'missing_action', 'no complete JSON object'],
  ['```bash\nls\n```', 'missing_action', 'no complete JSON object'],
  ['ls -la', 'missing_action', 'no complete JSON object'],
  ['{}', 'missing_action', 'no "action"'],
  ['[]', 'missing_action', 'no complete JSON object'],
  ['null', 'missing_action', 'no complete JSON object'],
  ['42', 'missing_action', 'no complete JSON object'],
  ['"shell"', 'missing_action', 'no complete JSON object'],
  ['{"command": "ls"}', 'missing_action', 'no "action"'],
  ['{"tool": "shell", "command": "ls"}', 'missing_action', 'no "action"'],
  ['{"action": "shell", "command": "ls"', 'missing_action', 'no complete JSON object'],
  ['{"action": "shell", "command": "ls}', 'missing_action', 'no complete JSON object'],
  ["{'action': 'shell', 'command': 'ls'}", 'missing_action', 'no complete JSON object'],
  ['{action: "shell", command: "ls"}', 'missing_action', 'no complete JSON object'],
  ['{"action": "shell", "command": "ls",}', 'missing_action', 'no complete JSON object'],
  ['<think>{"action": "shell", "command": "ls"}', 'missing_action', 'no complete JSON object'],
  ['<action>shell</action>', 'missing_action', 'no complete JSON object'],
  [`${SHELL}${SHELL}`, 'multiple_actions', '2 JSON objects'],
  [`${SHELL}\nthen\n{"action": "verify"}`, 'multiple_actions', 'one move at a time'],
  [`[${SHELL}, {"action": "verify"}]`, 'multiple_actions', 'one move at a time'],
  ['{"action": "SHELL", "command": "ls"}', 'unknown_tool', 'did you mean "shell"'],
  ['{"action": "SHELL_COMMAND", "command": "ls"}', 'unknown_tool', 'There is no action'],
  ['{"action": "bash", "command": "ls"}', 'unknown_tool', 'There is no action'],
  ['{"action": "rolback"}', 'unknown_tool', 'did you mean "rollback"'],
  ['{"action": "", "command": "ls"}', 'unknown_tool', 'There is no action'],
  ['{"action": null, "command": "ls"}', 'unknown_tool', 'There is no action'],
  ['{"action": ["shell"], "command": "ls"}', 'unknown_tool', 'There is no action'],
  ['{"action": {"name": "shell"}, "command": "ls"}', 'unknown_tool', 'There is no action'],
  ['{"action": "shell"}', 'missing_argument', '"command" of "shell" is missing'],
  ['{"action": "shell", "thought": "x"}', 'missing_argument', '"command" of "shell" is missing'],
  ['{"action": "try_experience"}', 'missing_argument', '"unit" of "try_experience" is missing'],
  ['{"action": "set_env", "key": "A"}', 'missing_argument', '"value" of "set_env" is missing'],
  ['{"action": "start_service", "service": {}}', 'missing_argument', '"service.name" of "start_service" is missing'],
  ['{"action": "shell", "cmd": "ls", "command": "ls"}', 'unexpected_argument', '"cmd" is no field of "shell"'],
  ['{"action": "shell", "comand": "ls", "command": "ls"}', 'unexpected_argument', 'did you mean "command"'],
  ['{"action": "verify", "content": {}}', 'unexpected_argument', '"content" is no field of "verify"'],
  ['{"action": "start_service", "service": {"name": "redis", "ports": [1]}}', 'unexpected_argument', '"service.ports"'],
  ['{"action": "shell", "command": ""}', 'invalid_arguments', '"command"'],
  ['{"action": "shell", "command": ["ls"]}', 'invalid_arguments', 'found ["ls"]'],
  ['{"action": "rollback", "frames": "two"}', 'invalid_arguments', 'found "two"'],
  ['{"action": "rollback", "frames": 0}', 'invalid_arguments', 'found 0'],
  ['{"action": "set_env", "key": "A B", "value": "x"}', 'invalid_arguments', 'a variable name'],
  ['{"action": "finish", "success": "yes"}', 'invalid_arguments', 'found "yes"'],
  [`x${'y'.repeat(400_001)}`, 'reply_too_long', 'was not read'],
];

test.each(MALFORMED)('%j', (reply, code, told) => {
  const answer = read(reply);
  expect(answer).toMatchObject({ ok: false, error: { code } });
  if (answer.ok) return;
  expect(answer.error.observation).toContain(told);
  // The form is shown, so that the next reply can follow it.
  expect(answer.error.observation).toContain('{"action": "shell", "thought"?: string, "command": string}');
});

test('a reply that the output limit cut has to be shorter, not another form', () => {
  const cut = readMove(SetupAction as unknown as Moves, said('{"action": "shell", "command": "cat <<', 'length'));
  expect(cut).toMatchObject({ ok: false, error: { code: 'reply_too_long' } });
});

const SCHEMAS = { SetupAction, VerifierMove, ProsecutorMove, JudgeMove };

test.each(Object.entries(SCHEMAS))('%s: whatever a model writes, reading it never throws', (_, schema) => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '"',
    '\\',
    '```json\n',
    '"action"',
    '"move"',
    ':',
    ',',
    '"shell"',
    '<think>',
    '[',
    'null',
    '\u0000',
    '\ud800',
  );
  const text = fc.array(fc.oneof(pieces, fc.string(), fc.json()), { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.option(text), (content, args) => {
      const toolCalls = args === null ? [] : [{ id: 'c', name: content.slice(0, 20), arguments: args }];
      const answer = readMove(schema as unknown as Moves, { content, toolCalls });
      if (!answer.ok) expect(answer.error.observation).toContain('Answer with one JSON object');
    }),
  );
});

test.each(Object.entries(SCHEMAS))('%s: forms and tools name every field', (_, schema) => {
  const moves = schema as unknown as Moves;
  for (const [at, option] of moves.options.entries()) {
    for (const field of Object.keys(option.shape)) expect(formsOf(moves)[at]).toContain(`"${field}"`);
    const { function: tool } = toolsOf(moves)[at]!;
    const fields = Object.keys(option.shape).filter((field) => field !== moves.def.discriminator);
    expect(Object.keys((tool.parameters as { properties: object }).properties)).toEqual(fields);
  }
});
