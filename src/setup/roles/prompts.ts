import { type ChatMessage, JudgeMove, ProsecutorMove, SetupAction, VerifierMove } from '../../contract';
import { cutMiddle, preview } from '../../rollout/clip';
import { fillTemplate } from '../../rollout/prompts';
import { MOST_RERUNS } from '../findings';
import { factsOf } from '../repository/facts-of';
import { atProjectRoot } from '../repository/project-root';
import type { Survey } from '../repository/survey';
import { WHOLE_RUN } from '../verdict';
import { formsOf, type Moves } from './read-move';
import type { Case, JudgeDossier, Observed, ProsecutorDossier, Seen, SetupDossier, VerifierDossier } from './role';

/** A role's prompt files: `ROLE.md`, which ends in its `{{moves}}`, and `ROLE-moves.md`, a line for each move. */
export interface RolePrompts {
  readonly system: string;
  readonly moves: string;
}

/** The system prompt of a role: what it is to do, and that it answers with one object a turn. */
function systemOf(schema: Moves, { system, moves }: RolePrompts): string {
  const said = fillTemplate(moves, { whole_run: WHOLE_RUN, most_reruns: `${MOST_RERUNS}` });
  const meanings = new Map(
    said.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const forms = [
    'Answer each turn with exactly one JSON object, and nothing else. A question mark marks a field that may be left out.',
    '"thought" is for your reasoning in a sentence or two.',
    '',
    ...formsOf(schema).flatMap((form) => {
      const name = /^\{"(?:action|move)": "(\w+)"/.exec(form)?.[1] ?? '';
      return [form, `    ${meanings.get(name) ?? ''}`];
    }),
  ];
  return fillTemplate(system.trimEnd(), { moves: forms.join('\n') });
}

/** What a command printed, as a model is told: head and tail of `chars` characters each, the cut marked. */
function observationOf({ exitCode, output, timedOut }: Observed, chars: number): string {
  const { head, tail, elided } = cutMiddle(output, 2 * chars);
  const text = elided > 0 ? `${head}\n[${elided} characters left out]\n${tail}` : head;
  const end = timedOut ? 'It was stopped at its deadline.' : exitCode === null ? '' : `exit code ${exitCode}`;
  return [text.trim() === '' ? '(no output)' : text, end].filter((part) => part !== '').join('\n');
}

/** The conversation so far: each move as the model wrote it, each observation as its answer. */
function conversation<Move>(
  system: string,
  first: string,
  seen: readonly Seen<Move>[],
  chars: number,
  notes: (at: number) => readonly string[] = () => [],
): ChatMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: first },
    ...seen.flatMap(({ move, observed }, at): ChatMessage[] => [
      { role: 'assistant', content: JSON.stringify(move) },
      { role: 'user', content: [observationOf(observed, chars), ...notes(at)].join('\n') },
    ]),
  ];
}

/** A section of a prompt; left out where there is nothing to say. */
function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}\n`;
}

/** Paths that are shown of one repository, and steps of the agent that a judge of it is told. */
const MOST_PATHS = 60;
const MOST_STEPS = 30;

/** What a survey says, in the words of a prompt. */
function surveyLines(survey: Survey): string[] {
  const { folder, survey: own } = atProjectRoot({ workdir: '', survey });
  const facts = factsOf(own);
  const dependencies = facts.dependencies.map(
    ({ name, spec, scope, extra }) => `${name}${spec && ` ${spec}`} (${extra ? `extra ${extra}` : scope})`,
  );
  const listed = (name: string, values: readonly string[]) =>
    values.length > 0 ? [`${name}: ${preview(values.join(', '), 1500)}`] : [];
  return [
    ...listed('its project lies in the folder', folder === '' ? [] : [folder]),
    ...listed('languages', facts.languages),
    ...listed('build systems', facts.buildSystems),
    ...listed(
      'runtime',
      Object.entries(facts.runtime).map(([name, spec]) => `${name} ${spec}`),
    ),
    ...listed('declared dependencies', dependencies),
    ...listed(
      'entry points',
      facts.entryPoints.map(({ kind, name, target }) => `${name} (${kind}, ${target})`),
    ),
    ...listed('tests', facts.testPaths),
    ...listed('test frameworks', facts.testFrameworks),
    ...listed('services that its files name', facts.serviceHints),
    ...listed('documented commands', facts.documented.slice(0, 15)),
    ...listed('files', survey.paths.slice(0, MOST_PATHS)),
  ];
}

/** The case as verifier, prosecutor and judge are told it: what it is, what the agent did, what it says of it. */
function caseText({ source, goal, workdir, survey, components, services, wanted = [], steps, claim }: Case): string {
  return [
    section('Repository', [`${source} in ${workdir}`, `goal: ${goal}`, ...surveyLines(survey)]),
    ...components.map((one) => section(`Component ${one.name} in ${one.workdir}`, surveyLines(one.survey))),
    section('Services', [
      ...services.map(
        ({ name, kind, port }) =>
          `${name} (${kind}${port ? `, port ${port}` : ''}), started before each of your commands`,
      ),
      ...wanted
        .filter(({ name }) => !services.some((one) => one.name === name))
        .map(({ name }) => `${name}: asked for, never started`),
    ]),
    section(
      `What the set-up agent did (its last ${MOST_STEPS} steps that stand)`,
      steps
        .slice(-MOST_STEPS)
        .map(
          ({ turn, move, observed }) =>
            `${turn}. ${preview(JSON.stringify({ ...move, thought: undefined }), 300)} -> ${observed.exitCode ?? 'no exit code'}: ${preview(observed.output.trim().replace(/\s+/g, ' '), 160)}`,
        ),
    ),
    section('What it says of its work', claim === '' ? [] : [preview(claim, 600)]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const about = (version: string | null, released: string | null) => {
  const known = [version ? `version ${version}` : '', released ? `of ${released.slice(0, 10)}` : ''].filter(Boolean);
  return known.length > 0 ? ` (${known.join(' ')})` : '';
};

/** The conversation for a model that sets up. `chars` is what it is shown of head and of tail of an output. */
export function setupPrompt(prompts: RolePrompts, dossier: SetupDossier, chars: number): ChatMessage[] {
  const {
    source,
    version,
    released,
    goal,
    workdir,
    survey,
    components,
    services,
    wanted,
    seen,
    suggestions,
    verified,
    stepsLeft,
  } = dossier;
  const first = [
    section('Repository', [
      `${source}${about(version, released)} in ${workdir}`,
      `goal: ${goal}`,
      ...surveyLines(survey),
    ]),
    ...components.map((one) => section(`Component ${one.name} in ${one.workdir}`, surveyLines(one.survey))),
    section(
      'Services that you are asked to start',
      wanted.map(({ name }) => name),
    ),
  ].filter((part) => part !== '');
  const messages = conversation(systemOf(SetupAction, prompts), first.join('\n'), seen, chars, (at) => [
    ...(seen[at]!.undone ? ['(This step was undone.)'] : []),
    ...seen[at]!.notes,
  ]);
  const now = [
    section(
      'Experience that may fit the last error',
      suggestions.map(
        ({ unit, advice, commands }) =>
          `${unit}: ${advice.join(' ')}${commands.length > 0 ? ` [${commands.join(' && ')}]` : ''}`,
      ),
    ),
    section(
      'Services that run',
      services.map(({ name }) => name),
    ),
    verified && !verified.success
      ? section('The last examination failed', [
          verified.hint,
          ...verified.failures
            .filter((one) => one.class === 'setup')
            .slice(0, 10)
            .map(({ test, why }) => `${test}: ${why}`),
        ])
      : '',
    `${stepsLeft} steps are left.`,
  ].filter((part) => part !== '');
  const last = messages.at(-1)!;
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${now.join('\n')}` }];
}

export function verifierPrompt(
  prompts: RolePrompts,
  dossier: VerifierDossier,
  seen: readonly Seen<VerifierMove>[],
  chars: number,
): ChatMessage[] {
  const first = [caseText(dossier), section('The agent tells you', dossier.hint === '' ? [] : [dossier.hint])].join(
    '\n',
  );
  return conversation(systemOf(VerifierMove, prompts), first, seen, chars);
}

export function prosecutorPrompt(
  prompts: RolePrompts,
  dossier: ProsecutorDossier,
  seen: readonly Seen<ProsecutorMove>[],
  chars: number,
): ChatMessage[] {
  return conversation(systemOf(ProsecutorMove, prompts), `${caseText(dossier)}\n${verifierText(dossier)}`, seen, chars);
}

/** What the verifier did and found. */
function verifierText({ verifier, verifierMoves }: ProsecutorDossier): string {
  const told = verifierMoves.map(
    ({ move, observed }) =>
      `${preview(JSON.stringify(move), 300)} -> ${observed.exitCode ?? '-'}: ${preview(observed.output.trim().slice(-400), 300)}`,
  );
  const found = verifier
    ? [
        `success: ${verifier.success}; ${JSON.stringify(verifier.counts)}; ${verifier.hint}`,
        ...verifier.failures.slice(0, 20).map((one) => `${one.test}: ${one.class}, ${one.why}`),
      ]
    : ['nobody verified it'];
  return [section('What the verifier did', told), section('What the verifier found', found)]
    .filter((part) => part !== '')
    .join('\n');
}

export function judgePrompt(
  prompts: RolePrompts,
  dossier: JudgeDossier,
  seen: readonly Seen<JudgeMove>[],
  chars: number,
): ChatMessage[] {
  const charges = dossier.charges.map(
    ({ id, kind, claim, declared, evidence, output }) =>
      `${id}. ${kind}: ${claim}${declared ? ` (declared in ${declared})` : ''}\n   command: ${preview(evidence.command, 1200)}\n   ended with ${evidence.exitCode ?? 'nothing'}: ${preview(output.trim(), 600)}`,
  );
  const first = [caseText(dossier), verifierText(dossier), section('Charges', charges)].join('\n');
  return conversation(systemOf(JudgeMove, prompts), first, seen, chars);
}
