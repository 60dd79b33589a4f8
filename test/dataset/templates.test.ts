import { type ChatTokenizer, createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import type { Conversation } from '../../src/dataset/conversation';
import { tokens } from '../../src/dataset/exporters/tokens';
import { MaskProblem, renderWithMask } from '../../src/dataset/mask';
import { lookAtTemplate } from '../../src/dataset/template-look';
import { tokenize } from '../../src/dataset/tokens';
import { CONTEXT, runOf } from './any-row';
import { byteTokenizer, CHATML, CHATML_TOOLS } from './byte-tokenizer';

const SPECIAL = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|user|>',
  '<|assistant|>',
  '<|observation|>',
  '</call>',
];

function tokenizerOf(template: string, config: object = {}): Promise<ChatTokenizer> {
  const files = byteTokenizer('I look at part 1 of run.\n\n'.repeat(9), 40, SPECIAL, template);
  return createChatTokenizer({ ...files, config: { ...files.config, ...config } });
}

const run = (dialect: 'tools' | 'xml' = 'tools') => runOf(['expert', 'student', 'expert', 'expert'], { dialect });

/** What is trained, as text. */
function trainedTexts(conversation: Conversation, tokenizer: ChatTokenizer): string[] {
  const { ids, spans } = tokenize(conversation, tokenizer);
  return spans.map(({ start, end }) => tokenizer.decode(ids.slice(start, end)));
}

function problemOf(conversation: Conversation, tokenizer: ChatTokenizer): MaskProblem {
  try {
    renderWithMask(conversation, tokenizer);
  } catch (error) {
    if (error instanceof MaskProblem) return error;
    throw error;
  }
  throw new Error('it was masked');
}

test('thought, call and the end of the turn are trained, and nothing else', async () => {
  const texts = trainedTexts(run().conversation, await tokenizerOf(CHATML_TOOLS));
  expect(texts).toEqual([
    '[E1] I look at part 0 of run-1.\n[call] bash {"command": "echo 0 run-1"}<|im_end|>',
    '[E3] I look at part 2 of run-1.\n[call] bash {"command": "echo 2 run-1"}<|im_end|>',
    '[E4] I look at part 3 of run-1.\n[call] submit {}<|im_end|>',
  ]);
});

describe('templates that swallow', () => {
  /** A change to the template that shows everything, and what must be named. */
  const kinds: [string, string, string, string[]][] = [
    [
      'calls and tools',
      CHATML_TOOLS,
      CHATML,
      ['the list of tools', 'the name of the call (bash)', 'the argument "command"'],
    ],
    ['tools', '{%- if tools %}', '{%- if false %}', ['the list of tools']],
    ['the names of calls', "call.function.name + ' '", "' '", ['the name of the call (bash)']],
    ['arguments', '(call.function.arguments | tojson)', "'{}'", ['the argument "command"']],
    [
      'words beside a call',
      '+ message.content }}',
      "+ ('' if message.tool_calls else message.content) }}",
      ['the words ([E1] I look'],
    ],
    [
      'what tools answer',
      '+ message.content }}',
      "+ ('' if message.role == 'tool' else message.content) }}",
      ['what the tool says in message 3'],
    ],
    [
      'the system message',
      '+ message.content }}',
      "+ ('' if message.role == 'system' else message.content) }}",
      ['what the system says in message 0'],
    ],
    [
      'the second argument',
      '+ (call.function.arguments | tojson) }}',
      '}}{%- for name, value in call.function.arguments.items() %}{%- if loop.first %}{{- name ~ value }}{%- endif %}{%- endfor %}',
      ['the arguments of calls'],
    ],
  ];
  test.each(kinds)('%s are refused, and the reason says what is lost', async (_, from, to, named) => {
    const problem = problemOf(run().conversation, await tokenizerOf(CHATML_TOOLS.replace(from, to)));
    expect(problem.reason).toBe('template_swallows');
    for (const name of named) expect(problem.message).toContain(name);
    expect(problem.message).toMatch(/xml or backticks/);
  });

  test('a thought that quotes the call is not the call', async () => {
    const { conversation } = run();
    const messages = conversation.messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, content: `I run bash with the command ${message.tool_calls![0]!.function.arguments}` }
        : message,
    );
    const tokenizer = await tokenizerOf(
      CHATML_TOOLS.replace(
        "'\\n[call] ' + call.function.name + ' ' + (call.function.arguments | tojson)",
        "'\\n[call]'",
      ),
    );
    expect(problemOf({ ...conversation, messages }, tokenizer).message).toContain('the name of the call (bash)');
  });

  test('a template that leaves out what was said before an answer without a call takes rows that end with a call', async () => {
    const template = CHATML_TOOLS.replace(
      '+ message.content }}',
      "+ ('' if message.tool_calls and messages[-1].role == 'assistant' and not messages[-1].tool_calls else message.content) }}",
    );
    const { conversation } = run();
    const tokenizer = await tokenizerOf(template);
    expect(trainedTexts(conversation, tokenizer).length).toBe(3);
    const answered: Conversation = {
      ...conversation,
      messages: [...conversation.messages.slice(0, -1), { role: 'assistant', content: 'Done.' }],
    };
    expect(problemOf(answered, tokenizer).reason).toBe('template_rewrites_turns');
  });

  test('line ends of another system are those of Jinja', async () => {
    const tokenizer = await tokenizerOf(CHATML_TOOLS.replaceAll('\n', '\r\n'));
    expect(trainedTexts(run().conversation, tokenizer)).toEqual(
      trainedTexts(run().conversation, await tokenizerOf(CHATML_TOOLS)),
    );
  });

  test('a template of others’ words is no business of calls: plain text dialects are masked under it', async () => {
    expect(trainedTexts(run('xml').conversation, await tokenizerOf(CHATML)).length).toBe(3);
  });
});

test.each([
  ['refuses', "{{ raise_exception('only user and assistant speak here') }}"],
  ['passes over', ''],
])('a template that %s the role of tools is refused in a sentence that says what to do', async (_, otherwise) => {
  const template = [
    "{%- for m in messages %}{%- if m.role in ['system', 'user', 'assistant'] %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}",
    `{%- else %}${otherwise}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,
  ].join('');
  const problem = problemOf(run().conversation, await tokenizerOf(template));
  expect(problem.reason).toBe(otherwise === '' ? 'template_swallows' : 'template_has_no_tool_role');
  expect(problem.message).toMatch(/train in a view of the dialect xml or backticks/);
  if (otherwise !== '') expect(problem.message).toMatch(/^this template has no tool role/);
});

describe('a template that renders the last turn otherwise', () => {
  /** Reasoning is shown of the last turn alone. */
  const template = CHATML_TOOLS.replace(
    '+ message.content }}',
    "+ ('[thinking][/thinking]' if loop.last and message.role == 'assistant' else '') + message.content }}",
  );

  test('is refused whole, and its rows are trained turn by turn or by their last', async () => {
    const tokenizer = await tokenizerOf(template);
    const row = run();
    const of = (tokenTurns: 'all' | 'last' | 'each') => tokens.export(row, { ...CONTEXT, tokenizer, tokenTurns });
    expect(of('all')).toMatchObject({ records: [], left: [{ reason: 'template_rewrites_turns' }] });
    const each = of('each').records as { id: string; input_ids: number[]; labels: number[] }[];
    expect(each.map(({ id }) => id)).toEqual([`${row.id}#1`, `${row.id}#3`, `${row.id}#4`]);
    const trained = each.map(({ labels }) => tokenizer.decode(labels.filter((label) => label !== -100)));
    expect(trained[1]).toBe(
      '[thinking][/thinking][E3] I look at part 2 of run-1.\n[call] bash {"command": "echo 2 run-1"}<|im_end|>',
    );
    // The prompt is what the model is given at that turn.
    const at = row.conversation.turns[2]!.message;
    const prompt = tokenizer.render(row.conversation.messages.slice(0, at), row.conversation.tools, true);
    const { input_ids, labels } = each[1]!;
    expect(
      tokenizer.decode(
        input_ids.slice(
          0,
          labels.findIndex((label) => label !== -100),
        ),
      ),
    ).toBe(prompt);
    const last = of('last').records as { id: string; turns: unknown[] }[];
    expect(last.map(({ id, turns }) => [id, turns.length])).toEqual([[`${row.id}#4`, 1]]);
  });

  test('is named by a look at the first rows, with what to do', async () => {
    const tokenizer = await tokenizerOf(template);
    const { conversation } = run();
    const whole = lookAtTemplate([conversation, conversation], tokenizer, 'all');
    expect(whole).toMatchObject({ rows: 2, refused: 2, problem: { reason: 'template_rewrites_turns' } });
    expect(whole.notes.join()).toMatch(/2 of the first 2 rows .*--token-turns each/);
    const each = lookAtTemplate([conversation], tokenizer, 'each');
    expect(each).toMatchObject({ refused: 0 });
    expect(each.notes.join()).toMatch(/each trained turn is a row of its own/);
  });
});

test('a template that does not list the tools is refused, or named in a warning to who chose the turns', async () => {
  const tokenizer = await tokenizerOf(CHATML_TOOLS.replace('{%- if tools %}', '{%- if false %}'));
  expect(tokens.export(run(), { ...CONTEXT, tokenizer }).left).toMatchObject([{ reason: 'template_swallows' }]);
  expect(tokens.export(run(), { ...CONTEXT, tokenizer, tokenTurns: 'each' }).records.length).toBe(3);
  expect(lookAtTemplate([run().conversation], tokenizer, 'each').notes.join()).toMatch(/does not list the tools/);
});

describe('templates by name', () => {
  const named = [
    { name: 'default', template: CHATML },
    { name: 'tool_use', template: CHATML_TOOLS },
  ];

  test('with tools the one for tools is taken, without them the default', async () => {
    const tokenizer = await tokenizerOf('', { chat_template: named });
    expect(trainedTexts(run().conversation, tokenizer)[0]).toContain('[call] bash');
    const plain = await tokenizerOf(CHATML);
    const { messages } = run('xml').conversation;
    expect(tokenizer.render(messages)).toBe(plain.render(messages));
  });

  test('files beside stand over the configuration', async () => {
    const files = byteTokenizer('a', 0, SPECIAL, 'of the configuration');
    const templates = { default: CHATML, tool_use: CHATML_TOOLS };
    const tokenizer = await createChatTokenizer({ ...files, templates });
    expect(trainedTexts(run().conversation, tokenizer).length).toBe(3);
  });
});

test('a template that refuses ids of other than nine letters and digits takes ours', async () => {
  const strict = CHATML_TOOLS.replace(
    "{{- '\\n[call] '",
    "{%- if call.id | length != 9 or '_' in call.id %}{{ raise_exception('nine letters and digits') }}{%- endif %}{{- '\\n[call] '",
  );
  expect(trainedTexts(run().conversation, await tokenizerOf(strict)).length).toBe(3);
});

test('a template that puts arguments between texts is given them as text', async () => {
  const template = CHATML_TOOLS.replace('(call.function.arguments | tojson)', 'call.function.arguments');
  const tokenizer = await tokenizerOf(template);
  expect(tokenizer.argumentsAs).toBe('text');
  expect(trainedTexts(run().conversation, tokenizer)[0]).toContain('bash {"command":"echo 0 run-1"}<|im_end|>');
  expect(lookAtTemplate([run().conversation], tokenizer, 'all').notes.join()).toMatch(
    /arguments of calls as JSON text/,
  );
});

describe('what ends a turn', () => {
  const look = async (template: string, config?: object) => {
    const tokenizer = await tokenizerOf(template, config);
    const { conversation } = run();
    return {
      texts: trainedTexts(conversation, tokenizer),
      notes: lookAtTemplate([conversation], tokenizer, 'all').notes.join(),
    };
  };

  test('is trained where it is another token than the end of a sequence, and said', async () => {
    const { texts, notes } = await look(CHATML_TOOLS, { eos_token: '<|endoftext|>' });
    expect(texts.every((text) => text.endsWith('}<|im_end|>'))).toBe(true);
    expect(notes).toMatch(/turns end with <\|im_end\|>, and the files call <\|endoftext\|>/);
    expect((await look(CHATML_TOOLS)).notes).toBe('');
  });

  test('is trained without the end of the sequence behind it', async () => {
    const closed = `${CHATML_TOOLS}{%- if not add_generation_prompt %}{{- '<|endoftext|>' }}{%- endif %}`;
    const { texts } = await look(closed, { eos_token: '<|endoftext|>' });
    expect(texts.length).toBe(3);
    expect(texts.every((text) => text.endsWith('}<|im_end|>'))).toBe(true);
  });

  test('is the token of whoever speaks next where turns have none', async () => {
    const template = [
      "{%- if tools %}{{- 'Tools:' }}{%- for tool in tools %}{{- ' ' + (tool | tojson) }}{%- endfor %}{%- endif %}",
      "{%- for m in messages %}{{- ('<|observation|>' if m.role == 'tool' else '<|assistant|>' if m.role == 'assistant' else '<|user|>') + '\\n' + m.content }}",
      "{%- for call in m.tool_calls or [] %}{{- '\\n' + call.function.name + (call.function.arguments | tojson) + '</call>' }}{%- endfor %}{%- endfor %}",
      "{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}",
    ].join('');
    const { texts, notes } = await look(template);
    expect(texts[0]).toMatch(/\}<\/call><\|observation\|>$/);
    expect(notes).toMatch(/<\|observation\|>, which begins what follows, is trained as their end/);
    expect(notes).toMatch(/warning: nothing ends a turn that nobody answers/);
  });

  test('is named in a warning where it is no token', async () => {
    const template = CHATML_TOOLS.replaceAll('<|im_start|>', '### ')
      .replaceAll("'<|im_end|>' + '\\\\n'", "'\\n\\n'")
      .replaceAll("'<|im_end|>' + '\\n'", "'\\n\\n'");
    const { texts, notes } = await look(template);
    expect(texts.every((text) => text.endsWith('}\n\n'))).toBe(true);
    expect(notes).toMatch(/warning: turns end with "\\n\\n"/);
  });
});

test('a template that asks what day it is is named, and gives the same text every day', async () => {
  const template = `{{- 'Today: ' + strftime_now('%d %b %Y') + '\\n' }}${CHATML_TOOLS}`;
  const tokenizer = await tokenizerOf(template);
  expect(tokenizer.render(run().conversation.messages)).toMatch(/^Today: 01 Jan 2025\n/);
  expect(lookAtTemplate([run().conversation], tokenizer, 'all').notes.join()).toMatch(
    /is told 2025-01-01 in every row/,
  );
});
