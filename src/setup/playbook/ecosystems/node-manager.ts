import { readJson } from '../../repository/tables';
import type { Project } from '../goal';

/** How a package manager is had, and how it installs what the lock says, or whatever fits. */
export interface NodeManager {
  readonly prepare: string;
  readonly clean: string;
  readonly install: string;
}

/** The one whose lock lies beside, or another (`instead`), which then has no lock to follow. */
export function nodeManager(project: Project, instead?: string): NodeManager {
  const { facts, survey } = project;
  const pnpm = {
    prepare: globally('pnpm@9'),
    clean: 'pnpm install --frozen-lockfile',
    install: 'pnpm install --no-frozen-lockfile',
  };
  if (instead) {
    const other = instead === 'pnpm' ? pnpm : modernYarn('');
    return { ...other, clean: other.install };
  }
  if (facts.buildSystems.includes('pnpm')) return pnpm;
  if (facts.buildSystems.includes('yarn')) return yarn(project);
  const locked = survey.paths.includes('package-lock.json') || survey.paths.includes('npm-shrinkwrap.json');
  const install = 'npm install --no-audit --no-fund';
  return { prepare: '', clean: locked ? 'npm ci --no-audit --no-fund' : install, install };
}

/**
 * Yarn 1 and what came after it are two programs: neither reads the other's lock. The registry's `yarn` is either, by its tag
 * of the day, so both are named. A project of the newer kind says so in `packageManager`, or has its settings file.
 */
function yarn({ survey }: Project): NodeManager {
  const declared = /^yarn@((\d+)\.[\w.-]+)/.exec(String(readJson(survey.texts['package.json']).packageManager ?? ''));
  const modern = declared ? Number(declared[2]) >= 2 : survey.paths.includes('.yarnrc.yml');
  if (!modern) {
    return { prepare: globally('yarn@1'), clean: 'yarn install --frozen-lockfile', install: 'yarn install' };
  }
  return modernYarn(declared && Number(declared[2]) >= 3 ? `@${declared[1]}` : '');
}

/** Packages in a folder, not in archives that only yarn's own loader reads: a verifier and a trainer's tools do without it. */
function modernYarn(version: string): NodeManager {
  return {
    prepare: `export YARN_NODE_LINKER=node-modules && ${globally(`@yarnpkg/cli-dist${version}`)}`,
    clean: 'yarn install --immutable',
    install: 'yarn install --no-immutable',
  };
}

/** Beside `node` itself: where npm came with a Python package, its own global folder is not on the path. */
function globally(program: string): string {
  return `npm install -g --silent --prefix "$(dirname "$(dirname "$(command -v node)")")" ${program} && `;
}
