import fc from 'fast-check';
import { z } from 'zod';
import { DIALECTS } from '../../src/rollout/dialects';
import { fillTemplate } from '../../src/rollout/prompts';
import { quote, splitShell } from '../../src/rollout/shell';
import { functionSchema, TOOLS } from '../../src/rollout/tools';
import { blockedReason } from '../../src/rollout/tools/bash';
import { reviewedSinceLastEdit, submitDecision } from '../../src/rollout/tools/submit';
import { anyText, promptsOf } from './sample';

test('schemas are those that SWE-agent sends, and agree with what is checked', () => {
  const schemas = [...TOOLS.values()].map(functionSchema);
  expect(schemas[0]).toEqual({
    type: 'function',
    function: {
      name: 'bash',
      description: 'runs the given command directly in bash',
      parameters: {
        type: 'object',
        properties: { command: { type: 'string', description: 'The bash command to execute.' } },
        required: ['command'],
      },
    },
  });
  expect(schemas[1]?.function).toEqual({
    name: 'submit',
    description: 'submits the current file',
    parameters: { type: 'object', properties: {} },
  });
  expect(schemas[2]?.function.parameters).toMatchObject({
    required: ['command', 'path'],
    properties: {
      command: { enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
      view_range: { type: 'array', items: { type: 'integer' } },
      insert_line: { type: 'integer' },
    },
  });
  for (const tool of TOOLS.values()) {
    const json = z.toJSONSchema(tool.args) as { properties?: object; required?: string[] };
    expect(Object.keys(json.properties ?? {}).sort()).toEqual(tool.params.map((p) => p.name).sort());
    expect(json.required ?? []).toEqual(tool.params.filter((p) => p.required).map((p) => p.name));
  }
});

test('prompts document every tool', () => {
  for (const dialect of [DIALECTS.xml, DIALECTS.backticks]) {
    const docs = dialect.documentation(TOOLS);
    for (const tool of TOOLS.values())
      for (const word of [tool.name, ...tool.params.map((p) => p.name)]) expect(docs).toContain(word);
  }
  expect(DIALECTS.xml.documentation(TOOLS)).toContain(
    '---- BEGIN FUNCTION #2: submit ----\nDescription: Finish the interaction when the task is complete OR if the assistant cannot proceed further with the task.\nNo parameters are required for this function.\n---- END FUNCTION #2 ----',
  );
});

test.each([
  'vim a.py',
  '/usr/bin/vi a',
  'cd /x && nano a',
  'FOO=1 emacs',
  'sudo less a',
  'python',
  'python3 -i',
  'cd a; ipython',
  'bash',
  '/bin/sh',
  'bash -i',
  'tail -f log',
  'tail -n 5 -F log',
  'gdb ./a',
  'su',
  'su root',
  'r2 a',
  'top',
  '  vim',
])('%s is refused', (command) => {
  expect(blockedReason(command)).toMatch(/\./);
});

test.each([
  'virtualenv v',
  'vinegar',
  'python manage.py makemigrations',
  'make test',
  'python -m venv v',
  'python - <<E\nvim\nE',
  'python <<E\n1\nE',
  'bash a.sh',
  'bash -c ls',
  'bash -lc ls',
  'tail -n 5 a',
  'tail a-f',
  'gdb -batch -ex bt a',
  'su -c ls',
  'r2 -c aa x',
  'echo vim',
  'python a.py',
  'lessc a',
  'sh < a',
  '',
  "echo 'vim",
  'grep -f x y',
])('%s may run', (command) => {
  expect(blockedReason(command)).toBeUndefined();
});

test('a quoted word is one word again', () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 4 }), (words) => {
      expect(splitShell(words.map(quote).join(' '))).toEqual({ tokens: words.map((word) => ({ word })) });
    }),
    { numRuns: 2_000 },
  );
  expect(splitShell('a"b\\"\\c$x"\'d\' \\ e\\\nf && g >> h').tokens).toEqual([
    { word: 'ab"\\c$xd' },
    { word: ' ef' },
    { operator: '&&' },
    { word: 'g' },
    { operator: '>>' },
    { word: 'h' },
  ]);
  expect(splitShell("a 'b")).toEqual({ tokens: [{ word: 'a' }], unclosed: "'" });
});

test('submit asks for one review until something is edited', () => {
  const review = promptsOf('tools')['submit-review'];
  const ask = { reviewEnabled: true, reviewed: false, diff: '+{{diff}} $&', review };
  expect(submitDecision(ask)).toMatchObject({
    kind: 'review',
    observation: expect.stringContaining('<diff>\n+{{diff}} $&\n</diff>'),
  });
  expect(submitDecision({ ...ask, reviewed: true })).toEqual({ kind: 'accepted' });
  expect(submitDecision({ ...ask, reviewEnabled: false })).toEqual({ kind: 'accepted' });
  const did = (tool: string, edited = false) => ({
    turn: { action: { tool, args: {} } },
    ...(edited ? { edit: { path: '/a', before: null, after: null } } : {}),
  });
  const edited = did('str_replace_editor', true);
  expect(reviewedSinceLastEdit([])).toBe(false);
  expect(reviewedSinceLastEdit([edited])).toBe(false);
  expect(reviewedSinceLastEdit([edited, did('submit'), did('bash')])).toBe(true);
  expect(reviewedSinceLastEdit([did('submit'), edited, did('bash')])).toBe(false);
});

test('templates are filled once, and a wrong variable is named', () => {
  expect(fillTemplate('{{a}} {{ b }}\n', { a: '{{b}}$&', b: '2' })).toBe('{{b}}$& 2');
  expect(() => fillTemplate('{{nope}}', { a: '' })).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  expect(() => fillTemplate('{{toString}}', {})).toThrow('toString');
});
