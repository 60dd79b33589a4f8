import type { Dependency, DependencyGroup, ManifestFacts } from '../facts';
import { dependenciesOf, isTestGroup } from '../requirement';
import type { Survey } from '../survey';
import { toxRequirements } from './tox';

const FILE =
  /^(?:requirements\/|reqs\/|tests?\/)?(?:[\w.-]{0,100}requirements?[\w.-]{0,100}|requirements\/[\w.-]{1,100})\.(txt|pip|in)$|^requirements\/[\w.-]+\.txt$/i;

/**
 * Requirement files of the root, of `requirements/` and of the tests, and the lists of tox, nox and conda. A project that is
 * installed (`packaged`) says itself what it needs to run: a list beside it that it does not read is for its developers.
 */
export function requirementFiles(survey: Survey, packaged: boolean): ManifestFacts {
  const files = Object.keys(survey.texts).filter((path) => FILE.test(path) && !hasSource(path, survey));
  const groups: DependencyGroup[] = files.map((path) => ({
    name: path,
    kind: 'file',
    test: isForTests(purposeOf(path)),
  }));
  const dependencies = files.flatMap((path): Dependency[] => {
    const purpose = purposeOf(path);
    const lines = linesOf(survey.texts[path]!);
    if (isForTests(purpose)) return dependenciesOf(lines, 'test', path);
    if (purpose !== '' && !/^(base|core|main|prod|production|install)$/.test(purpose))
      return dependenciesOf(lines, 'extra', path, purpose);
    return packaged && !readsIt(path, survey)
      ? dependenciesOf(lines, 'test', path, path)
      : dependenciesOf(lines, 'core', path);
  });
  return {
    name: null,
    version: null,
    groups,
    dependencies: [
      ...dependencies,
      ...dependenciesOf(toxRequirements(survey), 'test', 'tox.ini'),
      ...dependenciesOf(noxRequirements(survey.texts['noxfile.py'] ?? ''), 'test', 'noxfile.py'),
      ...condaRequirements(survey, packaged),
    ],
  };
}

/** A file may also be for one interpreter or one kind of tests: `test_py3`. */
const isForTests = (purpose: string) =>
  isTestGroup(purpose) || /^tests?[-_](?!.*(docs?|lint|py2|benchmarks?))/.test(purpose);

/** What pip brings into an environment of conda; conda's own packages have other names than pip's. */
function condaRequirements({ texts }: Survey, packaged: boolean): Dependency[] {
  const path = ['environment.yml', 'environment.yaml'].find((name) => texts[name] !== undefined);
  const part = /^( *)- *pip: *(?:#.*)?\n((?:\1 +.*(?:\n|$)|\s*\n)*)/m.exec(path ? texts[path]! : '')?.[2] ?? '';
  const lines = part.split('\n').map((line) => line.replace(/^\s*-\s*/, '').replace(/^(["'])(.*)\1$/, '$2'));
  return packaged ? dependenciesOf(lines, 'test', path!, path) : dependenciesOf(lines, 'core', path!);
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

/** Sessions that test, by the names of their functions. */
const TESTING = /^(unit|tests?|testing|run_tests?|pytest|coverage|cov)($|_)|_tests?$/;

/**
 * Requirements that the sessions of a `noxfile.py` install in order to test. It is a program: what it computes stays unknown,
 * so only words that are written out count.
 */
function noxRequirements(text: string): string[] {
  const functions = text.split(/^(?=(?:async )?def )/m);
  return functions
    .filter((body) => TESTING.test(/^(?:async )?def (\w+)/.exec(body)?.[1] ?? ''))
    .flatMap((body) => [...body.matchAll(/\bsession\.install\(([^()]*)\)/g)])
    .flatMap(([, words]) => wordsOf(words!));
}

function wordsOf(call: string): string[] {
  const words = [...call.matchAll(/(?<![\w'"])(?:'([^'\n]*)'|"([^"\n]*)")/g)].map(([, a, b]) => a ?? b ?? '');
  // `-r list.txt` and `-e .` are two words each.
  return words.filter(
    (word, at) => !/^[-./]/.test(word) && !/^-[rce]$|^--(requirement|constraint|editable)$/.test(words[at - 1] ?? ''),
  );
}
