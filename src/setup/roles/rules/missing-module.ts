import { NO_MODULE } from '../../missing-module';
import { type Dependency, declaredFor, type ProjectDependency, type ProjectFacts } from '../../repository/facts';
import { bug, type Cause, setupCause } from './cause';
import type { Repository } from './play';

/** What names a module as missing: in Python, and in two ways in Node.js. */
const MISSING = new RegExp(
  `${NO_MODULE.source}|\\bCannot find (?:module|package) '([^']+)'|\\bFailed to (?:load url|resolve import "?) ?([^\\s"'(]+)`,
  'g',
);

/** Every module that a report names as missing, of Python or of Node.js: one that was done without may stand before the other. */
export function missingModules(report: string): string[] {
  return [...new Set([...report.matchAll(MISSING)].map((found) => found.slice(1).find((name) => name !== undefined)!))];
}

/** The first of them. */
export function missingModule(report: string): string | null {
  return missingModules(report)[0] ?? null;
}

/** Declared, the project's own, or nobody's: only a module that an optional feature alone asks for is not the set-up's. */
export function moduleCause(module: string, { facts, survey }: Repository): Cause {
  if (/^(?:\.{0,2}\/|file:)/.test(module)) return fileCause(module, survey.paths);
  const declared = bringers(module, facts);
  const needed = declared.find(({ scope }) => scope !== 'extra');
  if (needed) return setupCause(`${module} is missing; ${needed.declared} declares ${needed.name} (${needed.scope})`);
  const [optional] = declared;
  if (optional) {
    const extra = optional.extra ? ` "${optional.extra}"` : '';
    return {
      class: 'repository_bug',
      ground: 'optional_extra',
      why: `${module} belongs to the optional extra${extra}`,
    };
  }
  if (facts.modules.includes(module.split('.')[0]!))
    return setupCause(`the project's own ${module} cannot be imported`);
  return setupCause(`${module} is missing`);
}

/** What is declared that brings a module: of the two languages that tell a missing one in words that `missingModule` reads. */
export function bringers(module: string, facts: ProjectFacts): readonly ProjectDependency[] {
  const importable = [...declaredFor(facts, 'python'), ...declaredFor(facts, 'node')];
  return importable.filter((dependency) => brings(dependency, module));
}

function brings({ name, importNames }: Dependency, module: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.]+/g, '-');
  const root = module.startsWith('@') ? module.split('/').slice(0, 2).join('/') : module.split(/[./]/)[0]!;
  return (
    importNames.some((one) => one === module || module.startsWith(`${one}.`) || module.startsWith(`${one}/`)) ||
    plain(name) === plain(root)
  );
}

/** A file of the project: one that the sources hold may have been lost, one that a build makes was not made. */
function fileCause(module: string, paths: readonly string[]): Cause {
  const tail = module.replace(/^(?:file:\/\/)?(?:\.{0,2}\/)*/, '').replace(/\.[cm]?js$/, '');
  const inSources = paths.some((path) => path.replace(/\.[cm]?[jt]sx?$/, '').endsWith(tail));
  if (inSources) return setupCause(`${module} is part of the sources and is not there`);
  if (/(?:^|\/)(?:dist|build|lib|out|es|cjs|esm)\//.test(module)) return setupCause(`${module} was not built`);
  return bug(`${module} is not part of the sources`);
}
