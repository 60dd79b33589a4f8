import { quoted } from '../experience/quoting';
import type { ProjectFacts } from './facts';
import type { Survey } from './survey';

/** What pytest takes for tests unless it is told otherwise. */
const USUAL = ['test_*.py', '*_test.py'];
const FOUND = /^(test_.*|.*_test)\.py$/;
/** Tests by a name that pytest passes over: `pydot_unittest.py`, `tests.py`, `testFrames.py`. */
const ODD = /^(?:\w+[_-])?(?:unit)?_?tests?\.py$|^(?:unit_?)?tests?[A-Z_]\w*\.py$/;
/** Collects what others hold, or runs it. */
const RUNNER = /^(?:run_?|all_?)(?:tests?)\.py$|^test_?(?:all|suite|runner)\.py$/i;

/**
 * The option that has pytest find tests by the names that this project gives them: null where it finds some anyway, and
 * where nothing is named like a test.
 */
export function oddNames({ testPaths }: Pick<ProjectFacts, 'testPaths'>, { paths }: Survey): string | null {
  const inTests = paths.filter(
    (path) => path.endsWith('.py') && testPaths.some((own) => path === own || path.startsWith(`${own}/`)),
  );
  const names = inTests.map((path) => path.split('/').at(-1)!);
  if (names.some((name) => FOUND.test(name))) return null;
  const odd = [...new Set(names.filter((name) => ODD.test(name) && !RUNNER.test(name)))];
  return odd.length > 0 ? `--override-ini=${quoted(`python_files=${[...USUAL, ...odd].join(' ')}`)}` : null;
}
