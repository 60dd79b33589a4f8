import fc from 'fast-check';
import type { Action } from '../../src/contract/step';
import { DIALECTS } from '../../src/rollout/dialects';
import { rawReply } from '../../src/rollout/dialects/dialect';
import { blockedReason } from '../../src/rollout/tools/bash';
import { examples } from '../support/counts';
import { actionOf, anyText, DIALECT_NAMES, plainText, reply } from './sample';

const file_text = '\tif x:\n\t\treturn "a"\n';

describe.each(DIALECT_NAMES)('%s', (name) => {
  const dialect = DIALECTS[name];
  const readBack = (thought: string, action: Action) => {
    const { message, faithful } = dialect.renderTurn({ turn: 3, thought, action });
    return { faithful, parsed: dialect.parse(rawReply(message)) };
  };
  const runnable = (action: Action) => action.tool !== 'bash' || !blockedReason(String(action.args.command));

  test('what is rendered reads back the same, or is marked', () => {
    let marked = 0;
    fc.assert(
      fc.property(anyText, actionOf(anyText), (thought, action) => {
        const { faithful, parsed } = readBack(thought, action);
        if (!faithful) {
          marked += 1;
          expect(parsed.ok && parsed.unfaithful === undefined && same(parsed, thought, action)).toBe(false);
        } else if (runnable(action)) {
          expect(parsed).toEqual({ ok: true, thought, action });
        }
      }),
      { numRuns: examples(700, 7_000) },
    );
    expect(marked).toBeLessThan(examples(700, 7_000) * (name === 'tools' ? 0.36 : 0.72));
  });

  test('text that the format gives no meaning to is never marked', () => {
    fc.assert(
      fc.property(plainText, actionOf(plainText), (thought, action) => {
        fc.pre(runnable(action) && !(name === 'backticks' && meansATool(action)));
        const { faithful, parsed } = readBack(thought, action);
        expect(parsed).toEqual({ ok: true, thought, action });
        expect(faithful).toBe(true);
      }),
      { numRuns: examples(400, 3_000) },
    );
  });

  test('any reply gives a call or a short typed error', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }), (content, calls) => {
        const parsed = dialect.parse(reply(content, calls));
        if (!parsed.ok) expect(parsed.error.observation.length).toBeLessThan(1_000);
      }),
      { numRuns: examples(400, 2_000) },
    );
  });

  test('mutilated replies never throw', () => {
    const insertions = ['', '\0', '\ud800', '</parameter>', '```', '<function=x>', "'", '{', '\n```\n'];
    fc.assert(
      fc.property(actionOf(plainText), fc.nat(), fc.nat(), fc.constantFrom(...insertions), (action, a, b, added) => {
        const { message } = dialect.renderTurn({ turn: 1, thought: 'Let me look.', action });
        const raw = rawReply(message);
        const damage = (text: string) => {
          const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [number, number];
          return text.slice(0, from) + added + text.slice(to);
        };
        const damaged = {
          ...raw,
          content: raw.content === null ? null : damage(raw.content),
          toolCalls: raw.toolCalls.map((call) => ({ ...call, arguments: damage(call.arguments) })),
        };
        const parsed = dialect.parse(damaged);
        if (!parsed.ok) expect(parsed.error.observation.length).toBeLessThan(1_000);
      }),
      { numRuns: examples(400, 2_000) },
    );
  });

  test.each([
    ['empty', reply(''), 'empty_reply'],
    ['nothing', reply(null), 'empty_reply'],
    ['blank', reply(' \n'), 'empty_reply'],
    ['only prose', reply('I am done.'), 'missing_action'],
    ['an error page', reply('<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>'), 'missing_action'],
    ['colours', reply('\u001b[31mred\u001b[0m \0 \ud800'), 'missing_action'],
    ['5 MB', reply('x '.repeat(2_500_000)), 'reply_too_long'],
    ['5 MB of arguments', reply(null, [['bash', 'x'.repeat(5_000_000)]]), 'reply_too_long'],
    ['cut by the output limit', reply('Let me think about', [], 'length'), 'reply_too_long'],
  ] as const)('%s', (_, raw, code) => {
    const parsed = dialect.parse(raw);
    expect(parsed).toMatchObject({ ok: false, error: { code } });
    expect(!parsed.ok && parsed.error.observation.length).toBeLessThan(1_000);
  });

  test('a large call is read', () => {
    const action = {
      tool: 'str_replace_editor',
      args: { command: 'create', path: '/a', file_text: "x'\n".repeat(50_000) },
    };
    expect(readBack('t', action)).toMatchObject({ parsed: { ok: true }, faithful: true });
  });

  // Anything worse than linear would outlast the test's own time limit by far.
  test('hostile repetition is read', () => {
    for (const piece of [
      '<function=',
      '<function=bash>',
      '</parameter>',
      '<parameter=a>',
      '```\n',
      '`',
      "'",
      '\\',
      '\n',
      ' ',
    ]) {
      for (const head of ['', '<function=bash>\n<parameter=command>', '```\nstr_replace_editor ']) {
        dialect.parse(reply(head + piece.repeat(900_000 / piece.length)));
        dialect.parse(reply(null, [['bash', piece.repeat(900_000 / piece.length)]]));
      }
    }
  });

  test('blocked commands are refused with a reason', () => {
    const { message } = dialect.renderTurn({
      turn: 1,
      thought: 't',
      action: { tool: 'bash', args: { command: 'vim a.py' } },
    });
    expect(dialect.parse(rawReply(message))).toMatchObject({
      ok: false,
      error: { code: 'blocked_command', observation: expect.stringContaining('str_replace_editor') },
    });
  });
});

/** A bash command that is spelled like another tool's line has no way to be written in a fenced block. */
function meansATool({ tool, args }: Action): boolean {
  return tool === 'bash' && /^\s*(submit|str_replace_editor)\b/.test(String(args.command));
}

function same(parsed: { thought: string; action: Action }, thought: string, action: Action): boolean {
  return parsed.thought === thought && JSON.stringify(parsed.action) === JSON.stringify(action);
}

describe('tools', () => {
  const { parse, renderTurn } = DIALECTS.tools;
  test.each([
    [
      'two calls',
      [
        ['bash', '{"command":"ls"}'],
        ['submit', '{}'],
      ],
      'multiple_actions',
    ],
    ['an unknown tool', [['edit', '{}']], 'unknown_tool'],
    ['a prototype name', [['__proto__', '{}']], 'unknown_tool'],
    ['cut JSON', [['bash', '{"command": "ls']], 'invalid_arguments'],
    ['no arguments', [['bash', '']], 'invalid_arguments'],
    ['a list', [['bash', '["ls"]']], 'invalid_arguments'],
    ['a wrong type', [['bash', '{"command": 3}']], 'invalid_arguments'],
    ['half a pair', [['bash', '{"command": "a\\ud800"}']], 'invalid_arguments'],
    ['a NUL', [['bash', '{"command": "a\\u0000"}']], 'invalid_arguments'],
    ['a missing one', [['str_replace_editor', '{"command":"view"}']], 'missing_argument'],
    ['null for a required one', [['bash', '{"command":null}']], 'missing_argument'],
    ['an unknown one', [['bash', '{"command":"ls","cwd":"/"}']], 'unexpected_argument'],
    ['an unknown command', [['str_replace_editor', '{"command":"open","path":"/a"}']], 'invalid_arguments'],
  ] as [string, [string, string][], string][])('%s is refused', (_, calls, code) => {
    expect(parse(reply('t', calls))).toMatchObject({ ok: false, error: { code } });
  });

  test('what weak models write is read', () => {
    const view = { ok: true, action: { args: { view_range: [10, -1] } } };
    expect(
      parse(
        reply(null, [['str_replace_editor', '{"command":"view","path":"/a","view_range":"[10, -1]","old_str":null}']]),
      ),
    ).toMatchObject(view);
    expect(parse(reply(null, [['execute_bash', '{"command":"ls"}']]))).toMatchObject({ action: { tool: 'bash' } });
    expect(parse(reply(null, [['finish', '']]))).toMatchObject({ action: { tool: 'submit', args: {} } });
  });

  test('shape', () => {
    expect(renderTurn({ turn: 7, thought: '', action: { tool: 'submit', args: {} } }).message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call00007', type: 'function', function: { name: 'submit', arguments: '{}' } }],
    });
  });
});

describe('xml', () => {
  const { parse, renderTurn } = DIALECTS.xml;
  test('shape is that of SWE-agent-LM', () => {
    const args = { command: 'create', path: '/a.py', file_text };
    const { content } = renderTurn({ turn: 1, thought: 'Now.', action: { tool: 'str_replace_editor', args } }).message;
    expect(content).toBe(
      `Now.\n\n<function=str_replace_editor>\n<parameter=command>create</parameter>\n<parameter=path>/a.py</parameter>\n<parameter=file_text>\n${file_text}\n</parameter>\n</function>`,
    );
    expect(renderTurn({ turn: 1, thought: 'Done.', action: { tool: 'submit', args: {} } }).message.content).toBe(
      'Done.\n\n<function=submit>\n</function>',
    );
    const view = { command: 'view', path: '/a', view_range: [10, -1] };
    expect(
      renderTurn({ turn: 1, thought: '', action: { tool: 'str_replace_editor', args: view } }).message.content,
    ).toContain('<parameter=view_range>[10, -1]</parameter>');
  });

  test.each([
    ['<function=submit></function>', { tool: 'submit', args: {} }],
    ['<function=finish>\n</function>', { tool: 'submit', args: {} }],
    ['<function=submit>', { tool: 'submit', args: {} }],
    ['<function=execute_bash><parameter=command>ls</parameter></function>', { tool: 'bash', args: { command: 'ls' } }],
    ['<function=bash>\n<parameter=command>ls</parameter>\n', { tool: 'bash', args: { command: 'ls' } }],
  ])('%j is read', (content, action) => {
    expect(parse(reply(`Hm.\n${content}`))).toEqual({ ok: true, thought: 'Hm.', action });
  });

  test('a value with a closing tag is kept whole and marked', () => {
    const action = { tool: 'bash', args: { command: 'echo "</function></parameter> x" > a.xml' } };
    const { message, faithful } = renderTurn({ turn: 1, thought: 't', action });
    expect(faithful).toBe(false);
    expect(parse(reply(message.content))).toEqual({ ok: true, thought: 't', action, unfaithful: true });
  });

  test('a value that ends early is refused rather than cut', () => {
    const content =
      '<function=bash>\n<parameter=command>cat <<E\n</parameter>\n</function>\nE</parameter>\n</function>';
    expect(parse(reply(content))).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  });

  test.each([
    [
      'two calls',
      '<function=submit>\n</function>\n<function=bash>\n<parameter=command>ls</parameter>\n</function>',
      'multiple_actions',
    ],
    [
      'a parameter twice',
      '<function=bash><parameter=command>a</parameter><parameter=command>b</parameter></function>',
      'invalid_arguments',
    ],
    ['text between', '<function=bash>\nls\n</function>', 'invalid_arguments'],
    ['not closed', '<function=bash>\n<parameter=command>ls', 'invalid_arguments'],
    ['an unknown function', '<function=open>\n</function>', 'unknown_tool'],
  ])('%s is refused', (_, content, code) => {
    expect(parse(reply(content))).toMatchObject({ ok: false, error: { code } });
  });

  test('text after the call joins the thought', () => {
    expect(parse(reply('A.\n\n<function=submit>\n</function>\nB.'))).toMatchObject({ ok: true, thought: 'A.\n\nB.' });
  });
});

describe('backticks', () => {
  const { parse, renderTurn } = DIALECTS.backticks;
  const view = { tool: 'str_replace_editor', args: { command: 'view', path: '/a', view_range: [1, -1] } };
  test('shape is that of SWE-agent', () => {
    expect(renderTurn({ turn: 1, thought: 'See.', action: view }).message.content).toBe(
      'See.\n\n```\nstr_replace_editor view /a --view_range 1 -1\n```',
    );
    const args = { command: 'str_replace', path: '/a', old_str: "it's", new_str: 'a\nb' };
    expect(renderTurn({ turn: 1, thought: '', action: { tool: 'str_replace_editor', args } }).message.content).toBe(
      `\`\`\`\nstr_replace_editor str_replace /a --old_str 'it'"'"'s' --new_str 'a\nb'\n\`\`\``,
    );
  });

  test.each([
    ['```\nstr_replace_editor view /a --view_range 1 -1\n```', view],
    ["```bash\nstr_replace_editor view '/a' --view_range '[1, -1]'\n```\n", view],
    ['```\nstr_replace_editor view /a \\\n  --view_range 1 -1\n```', view],
    ['```\r\nls\r\ncd\r\n```', { tool: 'bash', args: { command: 'ls\ncd' } }],
    ['```\nfinish line\n```', { tool: 'bash', args: { command: 'finish line' } }],
    ['```\nbash a.sh && ls\n```', { tool: 'bash', args: { command: 'bash a.sh && ls' } }],
    ['```\nsubmit\n```', { tool: 'submit', args: {} }],
  ])('%j is read', (content, action) => {
    expect(parse(reply(`T\n\n${content}`))).toMatchObject({ ok: true, thought: 'T', action });
  });

  test('a block in another language belongs to the thought', () => {
    const thought = 'Like so:\n```python\nx = 1\n```\nGood.';
    expect(parse(reply(`${thought}\n\n\`\`\`\nls\n\`\`\``))).toEqual({
      ok: true,
      thought,
      action: { tool: 'bash', args: { command: 'ls' } },
    });
  });

  test('a fence inside of a command is kept and marked', () => {
    const action = { tool: 'bash', args: { command: 'cat > a.md <<E\n```\nx\n```\nE' } };
    const { message, faithful } = renderTurn({ turn: 1, thought: 't', action });
    expect(faithful).toBe(false);
    expect(parse(reply(message.content))).toEqual({ ok: true, thought: 't', action, unfaithful: true });
  });

  test.each([
    ['two blocks', '```\nls\n```\n```\npwd\n```', 'multiple_actions'],
    ['an empty block', '```\n\n```', 'missing_action'],
    ['an open block', '```\nls', 'missing_action'],
    ['an open quote', "```\nstr_replace_editor view '/a\n```", 'invalid_arguments'],
    ['a pipe', '```\nstr_replace_editor view /a | head\n```', 'invalid_arguments'],
    ['two lines', '```\nstr_replace_editor view /a\nls\n```', 'invalid_arguments'],
    ['an unknown option', '```\nstr_replace_editor view /a --lines 3\n```', 'unexpected_argument'],
    ['an option without value', '```\nstr_replace_editor create /a --file_text\n```', 'missing_argument'],
    ['too many words', '```\nsubmit now\n```', 'unexpected_argument'],
    ['too few words', '```\nstr_replace_editor view\n```', 'missing_argument'],
  ])('%s is refused', (_, content, code) => {
    expect(parse(reply(content))).toMatchObject({ ok: false, error: { code } });
  });
});
