import { listOf, readCfg } from '../cfg';
import type { Dependency, DependencyGroup, ManifestFacts } from '../facts';
import { dependenciesOf, isTestGroup } from '../requirement';
import type { Survey } from '../survey';

const FILE =
  /^(?:requirements\/|reqs\/)?(?:[\w.-]*requirements?[\w.-]*|requirements\/[\w.-]+)\.(txt|pip|in)$|^requirements\/[\w.-]+\.txt$/i;

/**
 * Requirement files of the root and of `requirements/`, the tox environments' and the Pipfile's own lists. A project that is
 * installed (`packaged`) says itself what it needs to run: a list beside it that it does not read is for its developers.
 */
export function requirementFiles(survey: Survey, packaged: boolean): ManifestFacts {
  const files = Object.keys(survey.texts).filter((path) => FILE.test(path) && !hasSource(path, survey));
  const groups: DependencyGroup[] = files.map((path) => ({
    name: path,
    kind: 'file',
    test: isTestGroup(purposeOf(path)),
  }));
  const dependencies = files.flatMap((path): Dependency[] => {
    const purpose = purposeOf(path);
    const lines = linesOf(survey.texts[path]!);
    if (isTestGroup(purpose)) return dependenciesOf(lines, 'test', path);
    if (purpose !== '' && !/^(base|core|main|prod|production|install)$/.test(purpose))
      return dependenciesOf(lines, 'extra', path, purpose);
    return packaged && !readsIt(path, survey)
      ? dependenciesOf(lines, 'test', path, path)
      : dependenciesOf(lines, 'core', path);
  });
  const tox = readCfg(survey.texts['tox.ini'] ?? '');
  const deps = Object.entries(tox)
    .filter(([section]) => /^testenv$|^testenv:(py|tests?|unit|cov)/.test(section))
    .flatMap(([, env]) => listOf(env.deps, /\n/))
    // `py27: mock` is for one factor only.
    .map((line) => line.replace(/^[\w,!{}.*-]+:\s+/, ''))
    .filter((line) => !/^(-|\{|\[|\.)/.test(line));
  return {
    name: null,
    version: null,
    groups,
    dependencies: [...dependencies, ...dependenciesOf(deps, 'test', 'tox.ini')],
  };
}

function linesOf(text: string): string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(#|-[rcif]\b|--)/.test(line));
}

/** `requirements-dev.txt`, `dev_requirements.txt`, `requirements/dev.txt` → `dev`; `requirements.txt` → nothing. */
function purposeOf(path: string): string {
  return path
    .replace(/\.(txt|pip|in)$/i, '')
    .replace(/requirements?/gi, '')
    .replace(/^[-_./]+|[-_./]+$/g, '')
    .replaceAll('/', '-');
}

/** `x.in` is what `x.txt` was compiled from. */
const hasSource = (path: string, { texts }: Survey) =>
  path.endsWith('.in') && texts[path.replace(/\.in$/, '.txt')] !== undefined;

/** `open('requirements.txt')`, `dependencies = { file = ["requirements.txt"] }`. */
const readsIt = (path: string, { texts }: Survey) =>
  ['setup.py', 'setup.cfg', 'pyproject.toml'].some((manifest) => texts[manifest]?.includes(path.split('/').at(-1)!));
