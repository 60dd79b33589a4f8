import type { FunctionInstance, TestFile } from '../../contract';

/** Folder that the hidden tests stand in. The repository's own tests stay where they are. */
const TEST_FOLDER = 'pointsman_harness';
const TEST_FILE = `${TEST_FOLDER}/test_equivalence.py`;

/** How the expected outcomes were come by, so that a candidate's are come by alike. */
export interface RunSettings {
  readonly seed: number;
  readonly secondsPerCase: number;
  /** Elements, characters or bytes of one value that are kept. */
  readonly keep: number;
}

const RUN_SETTINGS: RunSettings = { seed: 0, secondsPerCase: 10, keep: 10_000 };

/**
 * Everything that grades an instance by pytest: the Python of `pytestBundle` and a snapshot of cases and expected outcomes.
 * The snapshot says nothing of where the repository stands: that is the folder above.
 */
export function hiddenTests(
  { subject, harness, expected }: FunctionInstance,
  bundle: Readonly<Record<string, string>>,
  { seed, secondsPerCase, keep }: RunSettings = RUN_SETTINGS,
): TestFile[] {
  const request = {
    subject: { ...subject, workdir: '' },
    harness: harness.source,
    cases: harness.cases,
    seed,
    secondsPerCase,
    keep,
    observeCalls: 0,
    coverage: false,
    load: 0,
  };
  const snapshot = `${JSON.stringify({ request, expected }, null, 1)}\n`;
  const files = { ...bundle, 'snapshot.json': snapshot };
  return Object.entries(files)
    .map(([path, content]) => ({ path: `${TEST_FOLDER}/${path}`, content }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Pytest's ids of the cases, in order. */
export function testIds({ harness }: Pick<FunctionInstance, 'harness'>): string[] {
  return harness.cases.map((name) => `${TEST_FILE}::test_case[${name}]`);
}

/**
 * Runs the hidden tests and nothing else. The repository's own settings of pytest (plugins that are not there, coverage
 * gates) and its conftest files take no part.
 */
export function testCommand({ subject }: Pick<FunctionInstance, 'subject'>): string {
  return `${subject.python} -m pytest -c /dev/null --rootdir=. --noconftest -p no:cacheprovider ${TEST_FOLDER}`;
}

/** Seconds that the hidden tests may take in all. */
export function secondsOf({ harness }: Pick<FunctionInstance, 'harness'>, { secondsPerCase } = RUN_SETTINGS): number {
  return 300 + harness.cases.length * (secondsPerCase + 20);
}
