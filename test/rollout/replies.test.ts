import fc from 'fast-check';
import type { DialectName } from '../../src/contract/names';
import type { FormatErrorCode, Lenience, RawReply } from '../../src/contract/step';
import { DIALECTS } from '../../src/rollout/dialects';
import { lenienceNotes, whyUnread } from '../../src/rollout/lenience';
import { splitReasoning } from '../../src/rollout/reasoning';
import { DIALECT_NAMES, reply } from './sample';

const LS: Readonly<Record<DialectName, string>> = {
  tools: '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
  xml: '<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>',
  backticks: '```bash\nls\n```',
};
const TRAP: Readonly<Record<DialectName, string>> = {
  tools: '<tool_call>\n{"name": "bash", "arguments": {"command": "rm x"}}\n</tool_call>',
  xml: '<function=bash>\n<parameter=command>\nrm x\n</parameter>\n</function>',
  backticks: '```bash\nrm x\n```',
};

/** What a reply does: the command of bash, or the name of another tool; or the code of its error. */
function does(dialect: DialectName, raw: RawReply, actions?: 'one' | 'first'): string {
  const read = DIALECTS[dialect].parse(raw, { actions });
  if (!read.ok) return read.error.code;
  return read.action.tool === 'bash' ? `$ ${read.action.args.command}` : read.action.tool;
}

describe.each(DIALECT_NAMES)('reasoning before a reply in %s', (name) => {
  const { parse } = DIALECTS[name];

  test.each([
    ['<think>', '</think>\n\n'],
    ['<thinking>\n', '\n</thinking>\n'],
    ['<reasoning>', '</reasoning>'],
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
    ['<seed:think>', '</seed:think>'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
    ['<|begin_of_thought|>\n', '\n<|end_of_thought|>\n'],
    ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    // The prompt of these models ends with the tag that opens it.
    ['', '</think>\n'],
  ])('between %j and %j is neither done nor said', (open, close) => {
    expect(parse(reply(`${open}maybe ${TRAP[name]} no${close}Let me look.\n\n${LS[name]}`))).toMatchObject({
      ok: true,
      thought: 'Let me look.',
      reasoning: `maybe ${TRAP[name]} no`,
      action: { tool: 'bash', args: { command: 'ls' } },
    });
  });

  test('that the server keeps apart is joined with it', () => {
    const raw = { ...reply(`<think>more</think>\n${LS[name]}`), reasoning: 'first' };
    expect(parse(raw)).toMatchObject({ ok: true, thought: '', reasoning: 'first\n\nmore' });
  });

  test('that is never closed is not done, and says so', () => {
    const read = parse(reply(`<think>I begin\n${TRAP[name]}`));
    expect(read).toMatchObject({
      ok: false,
      error: { code: 'unclosed_reasoning', observation: expect.stringContaining('reasoning was not closed') },
    });
  });

  test.each([
    [{ ...reply(null, [], 'length'), reasoning: 'and so on' }, 'reply_too_long', 'maxOutputTokens'],
    [reply('<think>and so on', [], 'length'), 'reply_too_long', 'maxOutputTokens'],
    [{ ...reply(''), reasoning: 'done' }, 'empty_reply', 'all reasoning'],
  ])('alone: %j', (raw, code, told) => {
    expect(parse(raw)).toMatchObject({ ok: false, error: { code, observation: expect.stringContaining(told) } });
  });

  test('is looked for before a call only: what a call holds is a value', () => {
    const file = name === 'tools' ? 'a <think>b</think>' : 'a <think>b</think>\nc';
    const action = { tool: 'str_replace_editor', args: { command: 'create', path: '/a', file_text: file } };
    const { message } = DIALECTS[name].renderTurn({ turn: 1, thought: 'Write.', action });
    const raw = {
      content: message.content,
      toolCalls: (message.tool_calls ?? []).map(({ id, function: f }) => ({ id, ...f })),
      finishReason: 'stop',
    };
    expect(parse(raw)).toEqual({ ok: true, thought: 'Write.', action });
  });

  test('never changes what is done', () => {
    const marks = fc.constantFrom('<think>', '</think>', '[THINK]', '`<think>`', '\n', 'x', TRAP[name]);
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 6 }), (pieces) => {
        const inside = pieces.join('').replaceAll('</think>', '');
        expect(does(name, reply(`<think>${inside}</think>\n${LS[name]}`))).toBe('$ ls');
      }),
    );
  });
});

test('text without marks is said as it stands', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/think|reason|thought|channel|end\|>|return\|>/i.test(text));
      expect(splitReasoning(text)).toEqual({ reasoning: '', said: text, unended: false, unopened: false });
    }),
  );
});

test('marks in quotation marks are talked about', () => {
  const talk = 'The template puts `<think>` first, "<think>" too.';
  expect(splitReasoning(talk).said).toBe(talk);
});

/** What servers let through when they have no parser for the model's calls: dialect, reply, what is done, why it is lenient. */
const AS_TEXT: readonly (readonly [string, string])[] = [
  ['Hermes, Qwen', LS.tools],
  ['Hermes without its end', '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}'],
  ['Qwen Coder', LS.xml],
  ['Qwen Coder, wrapped', `<tool_call>\n${LS.xml}\n</tool_call>`],
  ['Llama 3.1', '<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}}'],
  ['Llama 3.1 with tags', '<function=bash>{"command": "ls"}</function>'],
  ['Mistral', '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}]'],
  ['Mistral, newer', '[TOOL_CALLS]bash[ARGS]{"command": "ls"}'],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    'DeepSeek R1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n```json\n{"command": "ls"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  ['DeepSeek V3.1', '<｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜>'],
  ['gpt-oss', '<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command": "ls"}<|call|>'],
  ['GLM', '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>'],
  [
    'MiniMax',
    '<minimax:tool_call>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    'Claude',
    '<function_calls>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>',
  ],
  [
    'Kimi K3',
    `<|open|>tools<|sep|><|open|>call tool="bash" index="1"<|sep|><|open|>argument key="command" type="string"<|sep|>ls<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
  ],
  [
    'DeepSeek V4',
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="bash">\n<｜DSML｜parameter name="command" string="true">ls</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  ],
  [
    'Step 3',
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="bash"><steptml:parameter name="command">ls</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  ],
  [
    'gpt-oss, name first',
    '<|start|>assistant to=functions.bash<|channel|>commentary json<|message|>{"command": "ls"}<|call|>',
  ],
  ['Hunyuan', '<tool_calls>\n<tool_call>bash\n```json\n{"command": "ls"}\n```\n</tool_call>\n</tool_calls>'],
  [
    'MiniMax M3',
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="bash">\n]<]minimax[>[<command>ls]<]minimax[>[</command>\n]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  ],
  ['Seed-OSS', `<seed:tool_call>\n${LS.xml}\n</seed:tool_call>`],
  ['Phi 4', '<|tool_call|>[{"name": "bash", "arguments": {"command": "ls"}}]<|/tool_call|>'],
  [
    'Command A',
    '<|START_ACTION|>[\n  {"tool_call_id": "0", "tool_name": "bash", "parameters": {"command": "ls"}}\n]<|END_ACTION|>',
  ],
  ['Nemotron', '<TOOLCALL>[{"name": "bash", "arguments": {"command": "ls"}}]</TOOLCALL>'],
  ['InternLM', '<|action_start|><|plugin|>\n{"name": "bash", "parameters": {"command": "ls"}}<|action_end|>'],
  ['Apertus', '<|tools_prefix|>[{"bash": {"command": "ls"}}]<|tools_suffix|>'],
  ['Functionary', '<|from|>assistant\n<|recipient|>bash\n<|content|>{"command": "ls"}<|stop|>'],
  ['Functionary, its marks', '>>>bash\n{"command": "ls"}'],
  ['Cline', '<bash>\n<command>ls</command>\n</bash>'],
  ['a tag of the tool alone', '<bash>\nls\n</bash>'],
  ['a tag with JSON', '<bash>{"command": "ls"}</bash>'],
  ['ReAct', 'Action: bash\nAction Input: {"command": "ls"}'],
  ['Llama 4', '<|python_start|>[bash(command="ls")]<|python_end|>'],
  ['LFM 2', "<|tool_call_start|>[bash(command='ls')]<|tool_call_end|>"],
  ['OLMo 3', '<function_calls>\nbash(command="ls")\n</function_calls>'],
  ['Gemma 3', '```tool_code\nprint(default_api.bash(command="ls"))\n```'],
  ['Gemma 3, by place', '```tool_code\nbash("""ls""")\n```'],
  ['FunctionGemma', '<start_function_call>call:bash{command:<escape>ls<escape>}<end_function_call>'],
  ['Gemma 4', '<|tool_call>call:bash{command:<|"|>ls<|"|>}<tool_call|>'],
  ['a list of calls in an object', '{"tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]}'],
  ['bare JSON', '{"name": "bash", "arguments": {"command": "ls"}}'],
  ['fenced JSON', '```json\n{"tool": "bash", "args": {"command": "ls"}}\n```'],
  ['the OpenAI shape', '{"type": "function", "function": {"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}}'],
];

describe.each(['tools', 'xml', 'backticks'] as const)('calls as text in %s', (dialect) => {
  test.each(AS_TEXT)('%s', (_, text) => {
    const read = DIALECTS[dialect].parse(reply(`I look.\n${text}`));
    expect(read).toMatchObject({ ok: true, action: { tool: 'bash', args: { command: 'ls' } } });
    expect(read.ok && read.thought).toBe('I look.');
  });

  test('half a call is no call', () => {
    for (const [, text] of AS_TEXT) {
      const at = text.indexOf('"ls') + 2;
      if (at < 2) continue;
      expect(DIALECTS[dialect].parse(reply(text.slice(0, at), [], 'length')).ok).toBe(false);
    }
  });

  test('two are none, or the first where the profile says so', () => {
    const two = reply(`${AS_TEXT[0]![1]}\nand\n${AS_TEXT[0]![1].replace('ls', 'rm x')}`);
    expect(does(dialect, two)).toBe('multiple_actions');
    expect(does(dialect, two, 'first')).toBe('$ ls');
  });
});

test.each<[string, unknown]>([
  ['bash(command="a \\"b\\" \\d\\n")', { command: 'a "b" \\d\n' }],
  ["bash(command=r'\\d\\n')", { command: '\\d\\n' }],
  ['bash(command="""\nls\n""", description="x")', { command: '\nls\n' }],
  [
    'call:str_replace_editor{command:<|"|>view<|"|>,path:<|"|>/a "b"<|"|>,view_range:[1, 5]}',
    { command: 'view', path: '/a "b"', view_range: [1, 5] },
  ],
])('%s: literals are read as Python and Gemma write them', (text, args) => {
  expect(DIALECTS.tools.parse(reply(`I look.\n${text}`))).toMatchObject({ ok: true, action: { args } });
});

test.each([
  'bash(command="ls") lists the files.',
  'I would call bash(command="ls").',
  'bash(command=path)',
  'bash(command="ls" + "x")',
  'bash(command=f"ls {path}")',
  'run(command="ls")',
  '[bash(command="ls"',
])('%s is no call', (text) => {
  expect(DIALECTS.tools.parse(reply(text))).toMatchObject({ ok: false, error: { code: 'missing_action' } });
});

test('tags of a tool hold what its values hold, and other tags are text', () => {
  const edit =
    'First <b>this</b>.\n<str_replace_editor>\n<command>create</command>\n<path>/a.html</path>\n<file_text>\n<p>\n<bash>x</p>\n</file_text>\n</str_replace_editor>';
  expect(DIALECTS.tools.parse(reply(edit))).toMatchObject({
    thought: 'First <b>this</b>.',
    action: { args: { command: 'create', path: '/a.html', file_text: '<p>\n<bash>x</p>' } },
  });
  expect(does('tools', reply('<bash>cat <<E\n<p>\nE</bash>'))).toBe('$ cat <<E\n<p>\nE');
  expect(does('tools', reply('<bash>{ ls; } > a</bash>'))).toBe('$ { ls; } > a');
  expect(does('tools', reply('I submit.\n<submit></submit>'))).toBe('submit');
  expect(does('tools', reply('The tag <bash>ls</bash> is not read within a line.'))).toBe('missing_action');
});

test('Gemma thinks in a channel and calls two at once', () => {
  const call = (command: string) => `<|tool_call>call:bash{command:<|"|>${command}<|"|>}<tool_call|>`;
  expect(DIALECTS.tools.parse(reply(`<|channel>thought\nHm.<channel|>I look.\n${call('ls')}<turn|>`))).toMatchObject({
    thought: 'I look.',
    reasoning: 'Hm.',
    action: { args: { command: 'ls' } },
  });
  expect(does('tools', reply(call('ls') + call('rm x')))).toBe('multiple_actions');
});

test('a call that the server read is read in dialects of text', () => {
  for (const dialect of ['xml', 'backticks'] as const) {
    expect(DIALECTS[dialect].parse(reply('I look.', [['bash', '{"command":"ls"}']]))).toMatchObject({
      thought: 'I look.',
      action: { args: { command: 'ls' } },
      lenient: ['native_call'],
    });
  }
});

test.each<[string, string, Lenience[]]>([
  ['bash<|channel|>commentary', '{"command":"ls"}', ['name']],
  ['functions.bash:0', '{"command":"ls"}', ['name']],
  ['default_api.bash', '{"command":"ls"}', ['name']],
  ['"Bash"', '{"command":"ls"}', ['name']],
  ['bash()', '{"command":"ls"}', ['name']],
  ['bash', '{"command":"ls"}\n</tool_call>', ['arguments']],
  ['bash', '```json\n{"command":"ls"}\n```', ['arguments']],
  ['bash', '{"command":"ls"}<|im_end|>', ['arguments']],
  ['bash', JSON.stringify('{"command":"ls"}'), ['arguments']],
  ['bash', '{"command":"ls","description":"List files","timeout":10}', ['extra_arguments']],
])('%s %s is bash', (name, args, lenient) => {
  expect(DIALECTS.tools.parse(reply('t', [[name, args]]))).toMatchObject({
    ok: true,
    action: { tool: 'bash', args: { command: 'ls' } },
    lenient,
  });
});

test('a script with bare line ends is read as it was meant', () => {
  const read = DIALECTS.tools.parse(reply('t', [['bash', '{"command": "cat <<E\n\tx \\"y\\"\nE"}']]));
  expect(read).toMatchObject({
    ok: true,
    action: { args: { command: 'cat <<E\n\tx "y"\nE' } },
    lenient: ['arguments'],
  });
});

test.each<[string, string, FormatErrorCode]>([
  ['bash', '{"command":"ls","cwd":"/"}', 'unexpected_argument'],
  ['bash', '{"command":"ls"} and then some', 'invalid_arguments'],
  ['bash', '{"command":"ls"', 'invalid_arguments'],
  ['bashful', '{"command":"ls"}', 'unknown_tool'],
  ['str_replace_editor', '{"command":"str_replace","path":"/a","old_str":"x","new_string":"y"}', 'unexpected_argument'],
])('%s %s is not guessed at', (name, args, code) => {
  expect(DIALECTS.tools.parse(reply('t', [[name, args]]))).toMatchObject({ ok: false, error: { code } });
});

test.each([
  [
    'a fence in a here-document',
    "```bash\ncat > A.md <<'E'\n# Use\n```python\nprint(1)\n```\nE\n```",
    "$ cat > A.md <<'E'\n# Use\n```python\nprint(1)\n```\nE",
  ],
  ['one with tabs', '```\ncat <<-END\n```\nx\n```\n\tEND\nls\n```', '$ cat <<-END\n```\nx\n```\n\tEND\nls'],
  ['one that never ends', '```bash\ncat <<E\nx\n```\nThat is all.', '$ cat <<E\nx'],
  ['a shift, which is none', '```bash\necho $((1 << 2))\n```\nthen\n```python\nx\n```', '$ echo $((1 << 2))'],
  ['quoted code before', 'Bug:\n```\nreturn a - b\n```\nFix:\n```bash\nls\n```', '$ ls'],
  ['quoted code after', '```sh\nls\n```\nIt prints\n```\na.py\n```', '$ ls'],
  ['two commands', '```bash\nls\n```\n```bash\nrm x\n```', 'multiple_actions'],
  ['two blocks without a word', '```\nls\n```\n```\nrm x\n```', 'multiple_actions'],
  ['another language', '```python\nprint(1)\n```', 'missing_action'],
])('backticks: %s', (_, content, done) => {
  expect(does('backticks', reply(content))).toBe(done);
});

test.each(['<|im_end|>', '</s>', '\n<|eot_id|>\n', '<end_of_turn>', '<｜end▁of▁sentence｜>'])(
  '%j after a turn is none of its text',
  (token) => {
    expect(DIALECTS.xml.parse(reply(`I look.\n\n${LS.xml}${token}`))).toMatchObject({ ok: true, thought: 'I look.' });
    expect(DIALECTS.tools.parse(reply(`I look.${token}`, [['bash', '{"command":"ls"}']]))).toMatchObject({
      thought: 'I look.',
    });
  },
);

test('an object that names no tool is no call', () => {
  for (const dialect of DIALECT_NAMES) {
    const read = DIALECTS[dialect].parse(reply('package.json has {"name": "left-pad", "args": {"a": 1}} in it.'));
    expect(read).toMatchObject({ ok: false, error: { code: 'missing_action' } });
  }
  const called = reply('<tool_call>{"name": "left_pad", "arguments": {"a": 1}}</tool_call>');
  expect(DIALECTS.tools.parse(called)).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
});

test('what follows the first action is left out with it', () => {
  const raw = reply(`I look.\n${LS.xml}\nOBSERVATION:\na.py\n\n<function=submit>\n</function>`);
  expect(does('xml', raw)).toBe('multiple_actions');
  expect(DIALECTS.xml.parse(raw, { actions: 'first' })).toEqual({
    ok: true,
    thought: 'I look.',
    action: { tool: 'bash', args: { command: 'ls' } },
    lenient: ['first_of_several'],
  });
});

test('a person is told what to do about it, once', () => {
  expect(lenienceNotes({ call_as_text: 12, name: 1 })).toEqual([
    'calls came as text: start the server with its tool parser, or use dialect xml (12 turns)',
    expect.stringContaining('(1 turn)'),
  ]);
  expect(whyUnread(['missing_action', 'multiple_actions', 'multiple_actions'])).toBe(
    '3 replies in a row could not be read (multiple_actions ×2, missing_action ×1); set view.actions of the profile to first, or extraBody.parallel_tool_calls to false',
  );
});
