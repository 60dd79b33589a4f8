import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SetupRole } from '../../../src/contract';
import { JudgeMove, ProsecutorMove, SetupAction, VerifierMove } from '../../../src/contract';
import { ChargeKind, FailureClass, Ground } from '../../../src/contract/verdict';
import { REPOSITORY } from '../../../src/home';
import type { RolePrompts } from '../../../src/setup/roles/prompts';
import { judgePrompt, prosecutorPrompt, setupPrompt, verifierPrompt } from '../../../src/setup/roles/prompts';
import type { Moves } from '../../../src/setup/roles/read-move';
import type { SetupDossier } from '../../../src/setup/roles/role';
import { evidence, redis, sampleCase, seen } from './sample';

const basis = sampleCase();
const setup: SetupDossier = {
  ...basis,
  version: '1.0',
  released: '2023-04-05T06:07:08Z',
  wanted: [redis],
  seen: [
    {
      ...seen(
        { action: 'shell', thought: '', command: 'pip install .' },
        `${'a'.repeat(900)}MIDDLE${'b'.repeat(900)}`,
        1,
      ),
      turn: 1,
      undone: true,
      notes: ['a frame was taken'],
    },
  ],
  suggestions: [
    {
      unit: 'unit-7',
      advice: ['use a virtual environment'],
      atoms: [],
      commands: ['python3 -m venv /venv'],
      similarity: 1,
      reliability: 1,
      score: 1,
      matched: [],
    },
  ],
  verified: null,
  stepsLeft: 9,
};
const charge = {
  id: 1,
  kind: 'dependency' as const,
  claim: 'click is missing',
  declared: 'pyproject.toml',
  evidence: evidence(1, 'python -c "import click"'),
  output: 'No module named click',
};
const accused = { ...basis, verifier: null, verifierMoves: [] };
const PROMPTS = {
  setup: [SetupAction, setupPrompt(promptsOf('agent'), setup, 500)],
  verifier: [VerifierMove, verifierPrompt(promptsOf('verifier'), { ...basis, hint: 'run pytest' }, [], 1500)],
  prosecutor: [ProsecutorMove, prosecutorPrompt(promptsOf('prosecutor'), accused, [], 1500)],
  judge: [JudgeMove, judgePrompt(promptsOf('judge'), { ...accused, charges: [charge] }, [], 1500)],
} as const;

function promptsOf(role: SetupRole): RolePrompts {
  const text = (name: string) => readFileSync(join(REPOSITORY, 'prompts', 'setup', `${name}.md`), 'utf8');
  return { system: text(role), moves: text(`${role}-moves`) };
}

test.each(Object.entries(PROMPTS))('the %s prompt explains every move and every field', (_, [schema, messages]) => {
  const system = String(messages[0]!.content);
  for (const option of (schema as unknown as Moves).options) {
    const [tag] = Object.keys(option.shape) as [string];
    const name = (option.shape[tag] as unknown as { value: string }).value;
    const at = system.indexOf(`{"${tag}": "${name}"`);
    expect(at).toBeGreaterThan(0);
    const [form = '', meaning = ''] = system.slice(at).split('\n');
    for (const field of Object.keys(option.shape)) expect(form).toContain(`"${field}"`);
    // A sentence of explanation, not the next form.
    expect(meaning).toMatch(/^ {4}[A-Z].{10,}/);
  }
});

test('the words that a role must choose from are all explained', () => {
  const system = (name: keyof typeof PROMPTS) => String(PROMPTS[name][1][0]!.content);
  for (const kind of FailureClass.options) expect(system('verifier')).toMatch(new RegExp(`^ +${kind}: `, 'm'));
  for (const kind of ChargeKind.options) expect(system('prosecutor')).toMatch(new RegExp(`^- ${kind}: `, 'm'));
  for (const ground of Ground.options.filter((one) => one !== 'reproduced')) {
    expect(system('judge')).toMatch(new RegExp(`^- ${ground}: `, 'm'));
  }
});

test('the agent is shown its steps with head and tail, what was undone, experience and what is asked of it', () => {
  const text = setupPrompt(promptsOf('agent'), setup, 500)
    .map(({ content }) => content)
    .join('\n');
  expect(text).toContain('[806 characters left out]');
  expect(text).not.toContain('MIDDLE');
  for (const part of [
    'This step was undone',
    'a frame was taken',
    'unit-7: use a virtual environment',
    'redis',
    'PyYAML >=5 (core)',
    '9 steps are left',
    'exit code 1',
  ]) {
    expect(text).toContain(part);
  }
});

test('roles of a conversation alternate, and it ends with what the model answers to', () => {
  for (const [, messages] of Object.values(PROMPTS)) {
    expect(messages.map(({ role }) => role).slice(0, 2)).toEqual(['system', 'user']);
    expect(messages.at(-1)!.role).toBe('user');
    for (const [at, { role }] of messages.slice(1).entries()) expect(role).toBe(at % 2 === 0 ? 'user' : 'assistant');
  }
});

test('the judge is shown each charge with its command and what it printed', () => {
  const text = PROMPTS.judge[1].map(({ content }) => content).join('\n');
  expect(text).toContain('1. dependency: click is missing (declared in pyproject.toml)');
  expect(text).toContain('No module named click');
});
