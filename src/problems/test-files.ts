import type { Problem } from '../contract/problem';
import { splitPatch } from './patch';

const TEST_FOLDER = /^(tests?|testsuite|__tests__)$/;

/**
 * `tests/test_x.py::Class::test[a::b]` → `tests/test_x.py`, and `src/x.test.ts > suite > test` → `src/x.test.ts`. Parameters
 * may hold `::`, paths do not. An id that names no file is given as it is.
 */
export function fileOfTestId(id: string): string {
  const script = /^\S+\.[cm]?[jt]sx?(?= > )/.exec(id)?.[0];
  if (script !== undefined) return script;
  const end = id.indexOf('::');
  return end < 0 ? id : id.slice(0, end);
}

/** Whether a file is a test by its own name: `test_*.py`, `*_test.py`, `conftest.py` and the like in other languages. */
export function isTestName(path: string): boolean {
  const name = path.split('/').at(-1)!;
  return (
    /^(test_.*|.*_tests?|tests?|conftest)\.py$/.test(name) ||
    /\.(test|spec)\.[cm]?[jt]sx?$/.test(name) ||
    /_test\.go$/.test(name)
  );
}

/**
 * Whether a file of a source tree belongs to its tests: named like one, or anywhere in a test folder. Rust's `tests.rs` is by
 * its name alone no file that could be left out of a patch: what declares it as a module would not compile.
 */
export function isTestPath(path: string): boolean {
  return (
    isTestName(path) ||
    /(^|[/_])tests?\.rs$/.test(path) ||
    path
      .split('/')
      .slice(0, -1)
      .some((part) => TEST_FOLDER.test(part))
  );
}

/** Files that the problem brings itself, as files or by a patch. */
export function hiddenPaths({ tests }: Pick<Problem, 'tests'>): string[] {
  const patched = splitPatch(tests.patch ?? '').flatMap(({ from, to }) => [from, to]);
  return [...new Set([...tests.files.map((file) => file.path), ...patched])].filter((path) => path !== null);
}

/**
 * Folders that hold the problem's tests with their support modules and data: the topmost folder of a test's path that is
 * named like one. A package that merely calls itself `test` (django.test) is none, because no test id lies in it.
 */
export function testRoots(problem: Pick<Problem, 'tests'>): string[] {
  const { failToPass, passToPass } = problem.tests;
  const roots = new Set<string>();
  const paths = [...failToPass, ...passToPass].map(fileOfTestId).concat(hiddenPaths(problem));
  for (const path of new Set(paths)) {
    const parts = path.split('/');
    const at = parts.slice(0, -1).findIndex((part) => TEST_FOLDER.test(part));
    if (at >= 0) roots.add(parts.slice(0, at + 1).join('/'));
  }
  return [...roots].filter((root) => ![...roots].some((other) => root !== other && root.startsWith(`${other}/`)));
}

/** Made when a distribution is packed: differs between any two versions and says nothing about the fix. */
export function isPackagingByproduct(path: string): boolean {
  return /(^|\/)(PKG-INFO|SOURCES\.txt|[^/]+\.(egg|dist)-info\/.*)$/.test(path);
}
