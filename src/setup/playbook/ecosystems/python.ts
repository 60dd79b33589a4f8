import { quoted } from '../../experience/quoting';
import { markedTests } from '../../repository/marked-tests';
import { oddNames } from '../../repository/odd-tests';
import { ownTests } from '../../repository/own-tests';
import { membersOf } from '../../repository/workspace';
import { type Ecosystem, type Goal, type Project, step, type Ways } from '../goal';
import { pythonReaders } from './python-errors';
import { pythonRemedies } from './python-remedies';
import {
  having,
  isBuilt,
  isPackage,
  neededToRun,
  ofItsTime,
  ownSpecs,
  pip,
  testNames,
  testRequirements,
} from './python-requirements';
import { VENV } from './uv';

function plan(project: Project): Goal[] {
  const { facts } = project;
  const goals: Goal[] = [
    step(
      'venv',
      'Make a virtual environment: the system interpreter belongs to the distribution.',
      `python3 -m venv ${VENV} && export VIRTUAL_ENV=${VENV} PATH="${VENV}/bin:$PATH" && python --version`,
    ),
  ];
  if (facts.vcsVersion && project.version) goals.push(pretendVersion(project, project.version));
  const members = membersOf(project.survey).length > 0;
  if (isPackage(project) || members) {
    goals.push(
      step('project', 'Install the project with what it needs to run.', (ways) =>
        dated(project, ways, installed(project, ways)),
      ),
    );
  } else if (neededToRun(project).length > 0) {
    goals.push(
      step('requirements', 'Install what it needs to run.', (ways) => having(ways, neededToRun(project).join(' '))),
    );
  }
  goals.push({
    ...step('test-tools', 'Install what its tests need.', (ways) =>
      dated(
        project,
        ways,
        ways.get('requirements') === 'unpinned' ? unpinned(project) : testRequirements(project, ways),
      ),
    ),
    optional: true,
  });
  goals.push(step('tests', 'Run its tests.', (ways) => testCommand(project, ways.get('runner')), true));
  return goals;
}

function installed(project: Project, ways: Ways): string {
  const specs = ownSpecs(project, ways);
  const isolation = ways.get('isolation') === 'off' ? '--no-build-isolation ' : '';
  if (!isBuilt(project, ways)) return specs.length > 0 ? having(ways, specs.join(' ')) : 'true';
  if (ways.get('install') !== 'plain') return having(ways, `${isolation}${specs.join(' ')}`);
  return `${pip(`${isolation}--force-reinstall --no-deps ${specs.join(' ')}`)} && ${having(ways, specs.join(' '))}`;
}

function dated({ released }: Project, ways: Ways, command: string): string {
  return released !== null && ways.get('packages') === 'of-its-time' ? ofItsTime(released, command) : command;
}

/** Each by itself: what cannot be had keeps nothing else away, and the tests say whether it is missed. */
function unpinned(project: Project): string {
  const names = testNames(project).map(quoted).join(' ');
  return `for name in ${names}; do python -m pip install -q "$name" || echo "not installed: $name"; done; ${pip('pytest')}`;
}

/** Versions made from tags are given by hand where the tree has none; a wrong one misleads whoever depends on it. */
function pretendVersion({ facts }: Project, version: string): Goal {
  const plain = version.replace(/^v/, '');
  const key = (facts.name ?? '').replace(/[-_.]+/g, '_').toUpperCase();
  const variables = [
    `SETUPTOOLS_SCM_PRETEND_VERSION${key ? `_FOR_${key}` : ''}=${quoted(plain)}`,
    `PBR_VERSION=${quoted(plain)}`,
  ];
  return step(
    'version',
    'Say which version this is: it is made from tags, which this tree does not have.',
    `export ${variables.join(' ')}`,
  );
}

function testCommand(project: Project, runner: string | undefined): string {
  const { facts } = project;
  if (runner === 'smoke' || facts.testPaths.length === 0) return smoke(project);
  const own = runner === undefined ? ownTests(facts, project.survey) : null;
  if (own) return own;
  if (facts.testFrameworks.includes('django') && !facts.testFrameworks.includes('pytest'))
    return 'python manage.py test --noinput';
  const marked = markedTests(
    project.survey,
    project.wanted.map(({ name }) => name),
  );
  const odd = runner === 'odd' ? oddNames(facts, project.survey) : null;
  return [
    'python -m pytest -q --tb=short',
    ...(odd === null ? [] : [odd]),
    ...(marked === null ? [] : [`-m ${quoted(marked)}`]),
  ].join(' ');
}

/** Where there are no tests, that everything imports and that nothing which was asked for is missing. */
function smoke({ facts }: Project): string {
  const modules = facts.modules.filter((name) => !name.startsWith('_'));
  const imports =
    modules.length > 0 ? `python -c ${quoted(modules.map((name) => `import ${name}`).join('; '))} && ` : '';
  return `${imports}python -m pip check`;
}

export const python: Ecosystem = { name: 'python', plan, readers: pythonReaders, remedies: pythonRemedies };
