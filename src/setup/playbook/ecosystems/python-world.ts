import { quoted } from '../../experience/quoting';
import { normalName } from '../../repository/requirement';
import { type Act, type Project, shell, type Ways } from '../goal';
import type { World } from '../worlds';
import { interpreterFor } from './python-interpreter';
import { ASKED_FOR, ownSpecs, testNames, worldSpecs } from './python-requirements';
import { BRING_UV, UV, uvInstall, VENV } from './uv';

/** They build packages in the way that today's interpreters and installers ask for, whatever day the packages are of. */
const BUILDERS = ['setuptools', 'wheel', 'flit-core', 'hatchling', 'poetry-core', 'pdm-backend'];
/** Of the runner too, and left behind by one of the day: a newer runner does not ask for it, and cannot load the old one. */
const BESIDE_RUNNER = ['py'];
const EVER = '2099-12-31';

/** Later than this no project relies on what setuptools 81 dropped. */
const WITHOUT_PKG_RESOURCES = '2025-12';

const isOfRunner = (name: string) => /^pytest\b/i.test(name);

/**
 * Makes the virtual environment anew with a world in it: the project and what its tests need as of the day, then the test
 * runner with its plugins. What remedies had brought comes
 * along, newer where that day cannot give it.
 */
export function makeWorld(project: Project, ways: Ways, world: World): Act | null {
  const program = world.interpreter === '' ? { bring: 'true', name: '"$own"' } : interpreterFor(world.interpreter);
  if (program === null) return null;
  const newer = Object.entries(world.newer).map(([name, until]) => [name, until || EVER] as const);
  const apart = [...[...BUILDERS, ...BESIDE_RUNNER].map((name) => [name, EVER] as const), ...newer];
  const dated = [
    `--exclude-newer ${world.date}`,
    ...apart.map(([name, until]) => `--exclude-newer-package ${name}=${until}`),
    '--build-constraints /opt/build-constraints.txt',
  ].join(' ');
  const old = world.date < WITHOUT_PKG_RESOURCES;
  const builders = old ? "'setuptools<81' wheel" : 'setuptools wheel';
  const specs = worldSpecs(project, ways, isOfRunner);
  const plugins = testNames(project).filter(isOfRunner);
  const runner = [...new Set([`pytest${world.runner}`, ...plugins.filter((name) => name !== 'pytest')])].map(quoted);
  // What an install as users do has put there is brought anew with the project.
  const { name = '' } = project.facts;
  const itself = [name ?? '', normalName(name ?? '')].filter(Boolean).map(quoted).join('|');
  const others = `pytest*${itself === '' ? '' : `|${itself}`}) ;; *)`;
  return shell(
    [
      BRING_UV,
      `asked=${ASKED_FOR}`,
      `own=$(python -c 'import sys; print(sys._base_executable)')`,
      program.bring,
      `${UV} venv --clear -q --seed --python ${program.name} ${VENV}`,
      // First of all, because a world that cannot be made with this one may be to be had with one of its day.
      `${VENV}/bin/python -c 'import sys; print("python: %d.%d" % sys.version_info[:2])'`,
      uvInstall(builders),
      `echo '${old ? 'setuptools<81' : ''}' > /opt/build-constraints.txt`,
      uvInstall(`${dated} ${specs.join(' ')}`),
      // A test that fails for want of a package says less of that day than one that has a newer package.
      `for name in $asked; do case "$name" in ${others} ${uvInstall(`${dated} "$name"`)} || ${uvInstall('"$name"')} || echo "not to be had: $name";; esac; done`,
      // Whoever brought a plugin as of that day: it goes with the runner, not with the project.
      `plugins=$({ VIRTUAL_ENV=${VENV} ${UV} pip freeze -q; printf '%s\\n' $asked; } | sed -n 's/^\\(pytest-[A-Za-z0-9._-]*\\).*/\\1/p' | sort -u)`,
      // Plugins ask more of pluggy than they declare, because the runner of their time brought it.
      // With the project itself: it may be what a plugin depends on, and a newer one of it is another project.
      uvInstall(
        `--build-constraints /opt/build-constraints.txt $(printf -- '--upgrade-package %s ' pytest pluggy $plugins) ${[...ownSpecs(project, ways), ...runner].join(' ')} $plugins`,
      ),
      `date -u '+today: %F' && VIRTUAL_ENV=${VENV} ${UV} pip freeze -q`,
    ].join(' && '),
  );
}
