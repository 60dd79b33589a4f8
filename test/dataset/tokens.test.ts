import { createChatTokenizer, TemplateFailed } from '../../src/dataset/chat-tokenizer';
import type { Conversation } from '../../src/dataset/conversation';
import { MaskProblem, renderWithMask } from '../../src/dataset/mask';
import { countOf, tokenize } from '../../src/dataset/tokens';
import { runOf } from './any-row';
import { byteTokenizer, CHATML } from './byte-tokenizer';

const TEXT = 'I look at part 1 of run.\n\n\n<function=bash>\n\n<parameter=command>echo 1\n\n\n'.repeat(3);

/** Templates of the kinds in use, written here. `starts` and `ends` are what stands around a trained turn. */
const TEMPLATES = {
  chatml: { template: CHATML, special: ['<|im_start|>', '<|im_end|>'], end: '<|im_end|>' },
  headers: {
    template: [
      '{{- bos_token }}',
      "{%- for m in messages %}{{- '<|start|>' + m['role'] + '<|sep|>\\n\\n' + m['content'] | trim + '<|eot|>' }}{%- endfor %}",
      "{%- if add_generation_prompt %}{{- '<|start|>assistant<|sep|>\\n\\n' }}{%- endif %}",
    ].join('\n'),
    special: ['<|begin|>', '<|start|>', '<|sep|>', '<|eot|>'],
    end: '<|eot|>',
  },
  instructions: {
    template: [
      "{%- for m in messages %}{%- if m.role == 'assistant' %}{{- ' ' + m.content + eos_token }}",
      "{%- else %}{{- '[INST] ' + m.content + ' [/INST]' }}{%- endif %}{%- endfor %}",
    ].join('\n'),
    special: ['</s>'],
    end: '</s>',
  },
  plain: {
    template:
      "{% for m in messages %}{{ m.role + ': ' + m.content + '\\n\\n' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}",
    special: ['<pad>'],
    end: '\n\n',
  },
} as const;

async function tokenizerOf({ template, special }: { template: string; special: readonly string[] }, merges = 40) {
  const files = byteTokenizer(TEXT, merges, [...special], template);
  return createChatTokenizer({
    ...files,
    config: { ...files.config, bos_token: special[0], eos_token: special.at(-1) },
  });
}

function stretches(ids: number[], labels: number[]): number[][] {
  const found: number[][] = [];
  labels.forEach((label, i) => {
    if (label === -100) return;
    if (i === 0 || labels[i - 1] === -100) found.push([]);
    found.at(-1)!.push(ids[i]!);
  });
  return found;
}

describe.each(Object.entries(TEMPLATES))('a template of the kind "%s"', (_, kind) => {
  test('the loss is on the words of trained turns and the token that ends them', async () => {
    const tokenizer = await tokenizerOf(kind);
    const { conversation } = runOf(['expert', 'student', 'student', 'expert', 'expert']);
    const { ids, labels } = tokenize(conversation, tokenizer);
    const trained = stretches(ids, labels).map((stretch) => tokenizer.decode(stretch));
    const expected = conversation.turns
      .filter(({ author }) => author === 'expert')
      .map(({ message }) => `${conversation.messages[message]!.content}${kind.end}`);
    expect(trained.map((text) => text.trimStart())).toEqual(expected);
    expect(tokenizer.decode(ids)).toBe(tokenizer.render(conversation.messages));
  });
});

describe('tokens that reach over the beginning of a turn', () => {
  test('belong to the turn', async () => {
    const tokenizer = await tokenizerOf(TEMPLATES.chatml, 60);
    expect(tokenizer.encode('\n\n').length).toBe(1);
    const { messages, turns } = runOf(['expert']).conversation;
    const leading = messages.map((m) => (m.role === 'assistant' ? { ...m, content: `\n\n${m.content}` } : m));
    const { ids, labels } = tokenize({ messages: leading as Conversation['messages'], turns, marks: [] }, tokenizer);
    const [trained] = stretches(ids, labels).map((stretch) => tokenizer.decode(stretch));
    expect(trained).toBe(`\n\n\n${messages[2]!.content}<|im_end|>`);
  });
});

describe('templates that a mask cannot be made for say so', () => {
  const rendered = async (template: string, authors: ('student' | 'expert')[] = ['expert', 'expert']) => {
    const tokenizer = await tokenizerOf({ template, special: ['<|im_start|>', '<|im_end|>'] });
    return () => renderWithMask(runOf(authors).conversation, tokenizer);
  };

  test('one that takes earlier turns back', async () => {
    const template = CHATML.replace(
      'message.content',
      "(message.content if loop.last else message.content.split('look')[0])",
    );
    expect(await rendered(template)).toThrow(
      /turn 1: it renders the turn otherwise once more follows \(at character \d+/,
    );
    await expect(rendered(template).then((render) => render())).rejects.toBeInstanceOf(MaskProblem);
    // Where only the last turn is trained nothing was taken back from it, but its prompt is another than the model's.
    expect(await rendered(template, ['expert'])).not.toThrow();
  });

  test('one whose generation prompt is not how a turn begins', async () => {
    const template = CHATML.replace("'<|im_start|>assistant\\n' }}", "'<|im_start|>assistant\\n<think>' }}");
    expect(await rendered(template)).toThrow(/generation prompt is no beginning of the turn/);
  });

  test('one that leaves words out', async () => {
    const template = CHATML.replace('message.content', "(message.content | replace('look', ''))");
    expect(await rendered(template)).toThrow(/does not show .*the words \(\[E1\] I look at part 0/);
  });

  test('one that refuses the messages', async () => {
    const template = `{{ raise_exception('roles must alternate') }}`;
    expect(await rendered(template)).toThrow(/refuses the first 8 messages|roles must alternate/);
  });
});

describe('chat tokenizers', () => {
  test('arguments of calls are objects in templates, and absent content is empty', async () => {
    const template =
      '{% for m in messages %}{% for c in m.tool_calls or [] %}[{{ m.content }}]{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}';
    const tokenizer = await tokenizerOf({ template, special: ['<s>'] });
    const call = {
      id: 'c',
      type: 'function' as const,
      function: { name: 'bash', arguments: '{"command":"é \\"x\\""}' },
    };
    const text = tokenizer.render([{ role: 'assistant', content: null, tool_calls: [call] }]);
    expect(text).toBe('[]{"command": "é \\"x\\""}');
  });

  test('a template that asks what day it is is always told the same one', async () => {
    const asks = await tokenizerOf({
      template: "{{ strftime_now('%d') if strftime_now is defined else 'no clock' }}",
      special: ['<s>'],
    });
    expect(asks.render([])).toBe('01');
    expect(asks.asksForDay).toBe(true);
    const insists = await tokenizerOf({
      template: "{{ strftime_now('%A, %-d %B %Y, %b %e, %j, %I:%M %p, %%') }}",
      special: ['<s>'],
    });
    expect(insists.render([])).toBe('Wednesday, 1 January 2025, Jan  1, 001, 12:00 AM, %');
  });

  test.each([
    [
      'loops in loops',
      `{% for a in range(1, 9999) %}{% for b in range(99) %}{% if a${' and a'.repeat(300)} %}{% endif %}{% endfor %}{% endfor %}`,
    ],
    ['a range without an end', '{% for a in range(10 ** 12) %}{% endfor %}{{ range(1000000000) }}'],
    [
      'a text that doubles',
      '{% set n = namespace(x="aaaaaaaa") %}{% for a in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}',
    ],
  ])('a template of %s is ended and refused', async (_, template) => {
    const loops = await tokenizerOf({ template, special: ['<s>'] });
    expect(() => loops.render([])).toThrow(TemplateFailed);
  });

  // A release that keeps it elsewhere would make encoding slower again without a word.
  test('the library keeps cut words where ours are put instead', async () => {
    const { Tokenizer } = await import('@huggingface/tokenizers');
    const { tokenizer, config } = byteTokenizer('a', 0);
    const { model } = new Tokenizer(tokenizer, config) as unknown as { model: { cache: object } };
    expect(model.cache).toMatchObject({ get: expect.any(Function), put: expect.any(Function) });
  });

  test('files that are none are refused with what is wrong', async () => {
    const files = byteTokenizer('a', 0);
    await expect(createChatTokenizer({ ...files, config: {} })).rejects.toThrow(/no chat_template/);
    await expect(createChatTokenizer({ ...files, templates: { default: '{% for %}' } })).rejects.toThrow(
      /chat template cannot be read/,
    );
    await expect(createChatTokenizer({ ...files, tokenizer: {} })).rejects.toThrow(/tokenizer\.json cannot be read/);
    const named = {
      chat_template: [
        { name: 'tool_use', template: 'b' },
        { name: 'default', template: 'a' },
      ],
    };
    expect((await createChatTokenizer({ ...files, config: named })).render([])).toBe('a');
  });
});

describe('lengths', () => {
  test('are those of the tokens with a tokenizer, and near them without', async () => {
    const tokenizer = await tokenizerOf(TEMPLATES.chatml);
    const { conversation } = runOf(['student', 'expert']);
    expect(countOf(conversation, tokenizer)).toBe(tokenize(conversation, tokenizer).ids.length);
    const words = conversation.messages
      .map(({ content }) => content)
      .join(' ')
      .split(/\s+/).length;
    expect(countOf(conversation)).toBeGreaterThan(words);
    expect(countOf(conversation)).toBeLessThan(4 * words);
  });

  test('are estimated quickly of output that is one long word', () => {
    const started = performance.now();
    for (const letter of ['a', '=', '\u00e9']) {
      const messages = [{ role: 'user' as const, content: letter.repeat(300_000) }];
      expect(countOf({ messages, turns: [], marks: [] })).toBeGreaterThan(1_000);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('are estimated of texts that look like special tokens, and of what a template refuses', async () => {
    const refusing = await tokenizerOf({ template: "{{ raise_exception('no') }}", special: ['<s>'] });
    const conversation: Conversation = { messages: [{ role: 'user', content: '<|endoftext|>' }], turns: [], marks: [] };
    expect(countOf(conversation)).toBeGreaterThan(5);
    expect(countOf(conversation, refusing)).toBe(countOf(conversation));
  });
});
