import { quoted } from '../../experience/quoting';
import { distributionOf } from '../../repository/distributions';
import { type Dependency, type DependencyGroup, declaredFor } from '../../repository/facts';
import { normalName } from '../../repository/requirement';
import { memberNames, membersOf } from '../../repository/workspace';
import type { Project, Ways } from '../goal';
import { missingPart } from './python-namespaces';
import { BRING_UV, uvInstall } from './uv';

export function pip(what: string): string {
  return `python -m pip install -q ${what}`;
}

/**
 * The same where the project's own pins (`pins`, names with commas between) cannot be had for this interpreter, or any more:
 * of these any version is taken, whoever asks for another. With an empty list it is installed as it is, by a program that says
 * of which it failed.
 */
export function having(ways: Ways, what: string): string {
  const pins = ways.get('pins');
  if (pins === undefined) return pip(what);
  const names = pins.split(',').filter(Boolean);
  if (names.length === 0) return [BRING_UV, uvInstall(what)].join(' && ');
  const list = `printf '%s\\n' ${names.map(quoted).join(' ')} > /opt/overrides.txt`;
  return [BRING_UV, list, uvInstall(`--overrides /opt/overrides.txt ${what}`)].join(' && ');
}

/** Has something that pip can install; a folder of scripts with a list of requirements has not. */
export const isPackage = ({ facts }: Project) =>
  facts.buildSystems.some((system) => !/^(requirements|tox|nox)$/.test(system));

/** Is installed as a package; one whose build finds nothing to pack is run where it lies. */
export const isBuilt = (project: Project, ways: Ways) => isPackage(project) && ways.get('install') !== 'needed';

/**
 * The same with nothing that was published after the project was, builds in isolation included: what it leaves open, later
 * versions of others may have closed. Only a recent pip knows how.
 */
export function ofItsTime(released: string, command: string): string {
  return `${pip('--upgrade pip')} && (export PIP_UPLOADED_PRIOR_TO=${quoted(released)}; ${command})`;
}

const INSTALLED = "python -m pip list --exclude-editable --format=freeze | sed 's/[=@ ].*//'";
const IMPORTED = `grep -rhoEs --include='*.py' '^ *(import|from) +[A-Za-z_]\\w*' . | awk '{ print tolower($2) }' | sort -u`;

/**
 * What is to come along into another environment, by name: what pip was asked for so far, as remedies have brought what no
 * file of the project says, and what its files import without a word, because a package that has it as a dependency today
 * may have had it neither always nor everywhere.
 */
export const ASKED_FOR = `$({ ${INSTALLED.replace('list ', 'list --not-required ')}; comm -12 <(${INSTALLED} | tr A-Z- a-z_ | sort -u) <(${IMPORTED}) | tr _ -; } | grep -vxE 'pip|setuptools|wheel' | sort -u)`;

/** The project with all that it and its tests need, put in place of what is there. */
export function reinstalled(project: Project, ways: Ways): string {
  return pip(
    `--force-reinstall ${[...ownSpecs(project, ways), ...neededByTests(project, ways), 'pytest', ASKED_FOR].join(' ')}`,
  );
}

const neededByTests = (project: Project, ways: Ways) =>
  ways.get('requirements') === 'unpinned' ? testNames(project).map(quoted) : testSpecs(project, ways);

/** The project itself as pip takes it, with the members of its workspace; where it is no package, what it needs to run. */
export function ownSpecs(project: Project, ways: Ways): string[] {
  const flag = ways.get('install') === 'plain' ? '' : '-e ';
  const members = membersOf(project.survey).map((folder) => `${flag}${quoted(`./${folder}`)}`);
  return [...members, ...(isBuilt(project, ways) ? [`${flag}.`] : neededToRun(project))];
}

/** The same with what its tests need, but what is of their runner, which is chosen apart. */
export function worldSpecs(project: Project, ways: Ways, isOfRunner: (name: string) => boolean): string[] {
  const tests = neededByTests(project, ways).filter((spec) => !isOfRunner(spec.replace(/^'/, '')));
  return [...ownSpecs(project, ways), ...tests];
}

/** Lists of what a project that is no package needs, and what it keeps in none. */
export function neededToRun(project: Project): string[] {
  const lists = project.facts.groups.filter(
    ({ kind, test, name }) =>
      kind === 'file' && !test && /^(requirements\/(base|main|common|prod)|requirements)\.txt$/.test(name),
  );
  return [...lists.map(({ name }) => `-r ${quoted(name)}`), ...coreSpecs(project)];
}

/** Extras, groups and files that are for tests; those for developing (with linters and release tools) only where there are no others. */
function testGroups({ facts }: Project): DependencyGroup[] {
  const all = facts.groups.filter(({ test }) => test);
  const strict = all.filter(({ name }) => /test|check|cov|ci\b/i.test(name));
  // What a tool's own table lists is taken one by one, without linters: there it costs nothing to take all.
  return strict.length > 0 ? all.filter((one) => one.kind === 'tool' || strict.includes(one)) : all;
}

/** Installs them as the project writes them, and pytest, which nobody has without asking. */
export function testRequirements(project: Project, ways: Ways): string {
  const specs = testSpecs(project, ways);
  const upgrade = specs.some((spec) => spec.startsWith('--group')) ? `${pip('--upgrade pip')} && ` : '';
  return upgrade + having(ways, [...specs, 'pytest'].join(' '));
}

function testSpecs(project: Project, ways: Ways): string[] {
  const groups = testGroups(project);
  const of = (kind: DependencyGroup['kind']) => groups.filter((group) => group.kind === kind).map(({ name }) => name);
  const [tables, files] = [of('group'), of('file')];
  // Where nothing is built, an extra is only a list.
  const [extras, tools] = isBuilt(project, ways) ? [of('extra'), of('tool')] : [[], [...of('tool'), ...of('extra')]];
  const editable = ways.get('install') === 'plain' ? '' : '-e ';
  const specs = declaredFor(project.facts, 'python').filter(
    ({ scope, extra, declared }) =>
      scope === 'test' && (tools.includes(extra ?? '') || (extra === undefined && !files.includes(declared))),
  );
  // What the project's own build file says of tests, it says beside its extras.
  const isOwn = ({ extra, declared }: Dependency) => extra === undefined && /^setup\.(py|cfg)$/.test(declared);
  const isSaid = extras.length + files.length + tables.length > 0 && tools.length === 0;
  const parts = [
    extras.length > 0 ? `${editable}${quoted(`.[${extras.join(',')}]`)}` : '',
    ...files.map((file) => `-r ${quoted(file)}`),
    ...tables.map((table) => `--group ${quoted(table)}`),
    // Where an extra or a file says it, a list of tox that says it again may contradict.
    ...specs.filter((one) => (!isSaid || isOwn(one)) && isNoLinter(one) && isToBeHad(one)).map(specOf),
  ];
  return [...new Set(parts.filter((part) => part !== '' && part !== 'pytest'))];
}

/** Names of all that tests ask for, without linters and without versions: pins of tests are often older than the interpreter. */
export function testNames(project: Project): string[] {
  const groups = testGroups(project);
  const rows = declaredFor(project.facts, 'python')
    .filter(
      ({ scope, extra, declared }) =>
        scope === 'test' &&
        (groups.length === 0 || groups.some(({ name }) => name === extra || name === declared) || extra === undefined),
    )
    .filter((one) => isNoLinter(one) && normalName(one.name) !== normalName(project.facts.name ?? ''));
  return [...new Map(rows.map((one) => [normalName(one.name), named(one)])).values()];
}

const LINTER =
  /^(black|flake8([-_].*)?|mypy|pylint|pylama|pyflakes|pycodestyle|pydocstyle|vulture|isort|ruff|pre-commit|tox|nox|twine|wheel|build|sphinx([-_].*)?|bandit|safety|codespell|pyright|check-manifest|zest-releaser|bump2version|towncrier|furo|myst-parser|pyroma|codecov|coveralls|invoke|types-.*|pep8-naming)$/i;
const isNoLinter = ({ name }: Dependency) => !LINTER.test(name);

/** What lies in a folder beside the project is not there, or is of the project itself. */
const isToBeHad = ({ spec }: Dependency) => !/^[./]/.test(spec);

const named = ({ name, extras = [] }: Pick<Dependency, 'name' | 'extras'>) =>
  extras.length > 0 ? `${name}[${extras.join(',')}]` : name;

/** What a project that is no package needs to run and keeps in no list that pip reads. */
function coreSpecs({ facts, survey }: Project): string[] {
  const lists = facts.groups.filter(({ kind }) => kind === 'file').map(({ name }) => name);
  const members = memberNames(survey).map(normalName);
  return declaredFor(facts, 'python')
    .filter((one) => one.scope === 'core' && !lists.includes(one.declared) && isToBeHad(one))
    .filter(({ name }) => !members.includes(normalName(name)))
    .map(specOf);
}

/** A requirement for pip; Poetry's own operators are written out. */
function specOf({ spec, marker, ...one }: Dependency): string {
  const condition = /^(git|hg|https?|file)[+:]/.test(spec) ? ` @ ${spec}` : pipSpec(spec);
  return quoted(`${named(one)}${condition}${marker ? ` ; ${marker}` : ''}`);
}

function pipSpec(spec: string): string {
  return spec
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== '*')
    .map((part) => {
      const caret = /^\^(\d+)(?:\.(\d+))?(.*)$/.exec(part);
      if (caret)
        return caret[1] === '0' && caret[2]
          ? `>=${part.slice(1)},<0.${Number(caret[2]) + 1}`
          : `>=${part.slice(1)},<${Number(caret[1]) + 1}`;
      const tilde = /^~(\d+)(?:\.(\d+))?/.exec(part);
      if (tilde && !part.startsWith('~='))
        return tilde[2]
          ? `>=${part.slice(1)},<${tilde[1]}.${Number(tilde[2]) + 1}`
          : `>=${part.slice(1)},<${Number(tilde[1]) + 1}`;
      return /^\d/.test(part) ? `==${part}` : part;
    })
    .join(',');
}

/**
 * What brings a module: the declared dependency that is imported so, with its version, else the distribution known for it,
 * else the only one of an extra of that name, else a declared one whose name begins so (`railroad` of railroad-diagrams), else the module's own name.
 */
export function distributionFor(module: string, project: Project): string {
  const { facts } = project;
  const root = module.split('.')[0]!;
  const distributions = declaredFor(facts, 'python');
  const declared = distributions.find(
    ({ name, importNames, scope }) =>
      scope !== 'build' &&
      (importNames.some((one) => one === module || one === root) ||
        (module !== root && normalName(name) === normalName(module))),
  );
  if (declared) return specOf({ ...declared, marker: undefined });
  const known = distributionOf(module);
  if (normalName(known) !== normalName(root)) return quoted(known);
  const ofExtra = distributions.filter(({ extra }) => extra !== undefined && normalName(extra) === normalName(root));
  if (ofExtra.length === 1) return specOf({ ...ofExtra[0]!, marker: undefined });
  if (missingPart(module, project) !== null) return quoted(module);
  const alike = distributions.find(({ name }) => normalName(name).startsWith(`${normalName(root)}-`));
  return alike ? specOf({ ...alike, marker: undefined }) : quoted(known);
}

/** Whether the project asks for a module of this name, or it is known that a distribution of another name brings it. */
export function isKnownElsewhere(root: string, { facts }: Project): boolean {
  const asked = declaredFor(facts, 'python').some(
    ({ importNames, extra }) =>
      importNames.includes(root) || (extra !== undefined && normalName(extra) === normalName(root)),
  );
  return asked || normalName(distributionOf(root)) !== normalName(root);
}
