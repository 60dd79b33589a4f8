import { bug, type Cause, setupCause } from './cause';
import { bringers } from './missing-module';
import type { Repository } from './play';

/** A module that is there and lacks a name. Older Pythons leave out which one. */
const NO_NAME = /\bcannot import name '([^']+)' from (partially initialized module )?'([\w.]+)'/g;

/** What the half of a package that is not Python is written in. */
const COMPILED = /\.(?:c|cc|cpp|cxx|pyx|pxd|rs|f|f90|pyi)$/;

/** Texts that say what a build makes. */
const BUILDS = /(^|\/)(setup\.(py|cfg)|pyproject\.toml|meson\.build|CMakeLists\.txt|Cargo\.toml)$/;

/** Why names cannot be imported, each once. The module itself is there, so no interpreter is to blame. */
export function nameCauses(report: string, repository: Repository): Cause[] {
  return [...report.matchAll(NO_NAME)].map(([, name, circular, module]) =>
    nameCause(name!, module!, circular !== undefined, repository),
  );
}

function nameCause(name: string, module: string, circular: boolean, repository: Repository): Cause {
  const { facts, survey } = repository;
  const root = module.split('.')[0]!;
  const own =
    facts.modules.includes(root) ||
    survey.paths.some((path) => path.startsWith(`${root}/`) || path === `${root}.py` || path.includes(`/${root}/`));
  if (own) {
    if (isMadeByBuild(name, repository)) return setupCause(`${module}.${name} was not built`);
    return bug(circular ? `${module} and who imports ${name} import each other` : `${module} has no ${name}`);
  }
  const declared = bringers(module, facts);
  if (declared.length > 0 && declared.every(({ scope }) => scope === 'extra')) {
    return { class: 'repository_bug', ground: 'optional_extra', why: `${module} belongs to an optional extra` };
  }
  return setupCause(`${module} has no ${name}: another version of it was meant`);
}

/** Whether the sources hold what `name` is compiled from, or a build says that it writes it. */
function isMadeByBuild(name: string, { survey }: Repository): boolean {
  const from = survey.paths.some(
    (path) =>
      COMPILED.test(path) &&
      path
        .split('/')
        .at(-1)!
        .replace(/\.\w+$/, '') === name,
  );
  if (from) return true;
  const written = new RegExp(`[./]${name.replace(/[^\w]/g, '\\$&')}(?:\\.py)?["']`);
  return Object.entries(survey.texts).some(
    ([path, text]) =>
      BUILDS.test(path) && (written.test(text) || (path.endsWith('Cargo.toml') && text.includes(`name = "${name}"`))),
  );
}
