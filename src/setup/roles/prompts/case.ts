import { preview } from '../../../rollout/clip';
import { factsOf } from '../../repository/facts-of';
import { atProjectRoot } from '../../repository/project-root';
import type { Survey } from '../../repository/survey';
import type { Case } from '../role';
import { section } from './conversation';

/** Paths that are shown of one repository, and steps of the agent that a judge of it is told. */
const MOST_PATHS = 60;
const MOST_STEPS = 30;

/** What a survey says, in the words of a prompt. */
export function surveyLines(survey: Survey): string[] {
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
export function caseText({
  source,
  goal,
  workdir,
  survey,
  components,
  services,
  wanted = [],
  steps,
  claim,
}: Case): string {
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
