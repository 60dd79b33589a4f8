import { quote } from '../../rollout/shell';
import { factsOf } from '../repository/facts-of';
import { atProjectRoot } from '../repository/project-root';
import type { SetupDossier } from '../roles/role';
import type { Knowledge } from './diagnosis';
import { ECOSYSTEMS, everywhere } from './ecosystems';
import { type Ecosystem, type Goal, type Project, step } from './goal';

/** Components first, because the main repository may need them; the main one last, with the tests and the verifier. */
export function projectsOf(dossier: SetupDossier): Project[] {
  const components = dossier.components.map((given): Project => {
    const own = atProjectRoot(given);
    const facts = factsOf(own.survey);
    return { ...own, source: '', facts, version: facts.version, released: null, wanted: [] };
  });
  const { source, released, wanted } = dossier;
  const { workdir, survey, folder } = atProjectRoot(dossier);
  const facts = factsOf(survey);
  const version = dossier.version ?? facts.version;
  return [...components, { name: '', source, workdir, folder, survey, facts, version, released, wanted }];
}

function ecosystemOf({ facts }: Project): Ecosystem | undefined {
  const [language] = facts.languages;
  return language && ECOSYSTEMS[language];
}

/** Readers and remedies of the project's own ecosystem before those that hold everywhere. */
export function knowledgeFor(project: Project): Knowledge {
  const own = ecosystemOf(project);
  return {
    readers: [...(own?.readers ?? []), ...everywhere.readers],
    remedies: [...(own?.remedies ?? []), ...everywhere.remedies],
  };
}

/** Goals whose work one repository does for all: they are named alike in every project, so they are reached once. */
const SHARED = /^(toolchain|venv)$/;
/** Testing is for the main repository: the family is judged through it. */
const OWN = /^tests?$/;

export function planFor(project: Project): Goal[] {
  const ecosystem = ecosystemOf(project);
  const goals = ecosystem?.plan(project) ?? [];
  const services = project.wanted.map(
    (service): Goal => ({
      id: `service-${service.name}`,
      say: `Start ${service.name}, which the input asks for.`,
      act: () => ({ action: 'start_service', service }),
    }),
  );
  const before = goals.filter(({ id }) => !OWN.test(id));
  const tests = goals.filter(({ id }) => OWN.test(id));
  const language = ecosystem?.name ?? 'none';
  if (project.name !== '') return before.map((goal) => component(goal, project, language));
  return [
    ...(project.folder === '' ? [] : [enter(project)]),
    ...before.map((goal) => named(goal, language)),
    ...services,
    ...tests.map((goal) => named(goal, language)),
    VERIFY,
  ];
}

const VERIFY: Goal = { id: 'verify', say: 'Have it verified.', act: () => ({ action: 'verify' }) };

const enter = ({ workdir, folder }: Project): Goal =>
  step('folder', `The project lies in ${folder}.`, `cd ${quote(workdir)}`);

const named = (goal: Goal, language: string): Goal => ({ ...goal, id: `${language}/${goal.id}` });

/** The same in a folder of its own. A subshell would lose what a goal exports, so only the directory is put back. */
function component(goal: Goal, { name, workdir }: Project, language: string): Goal {
  if (SHARED.test(goal.id)) return named(goal, language);
  return {
    ...goal,
    id: `${name}/${goal.id}`,
    say: `${name}: ${goal.say}`,
    act: (ways) => {
      const act = goal.act(ways);
      return act.action === 'shell'
        ? { ...act, command: `cd ${quote(workdir)} && { ${act.command}; }; code=$?; cd "$OLDPWD"; (exit $code)` }
        : act;
    },
  };
}
