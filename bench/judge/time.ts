import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GradeResult, type Problem, SandboxProfile } from '../../src/contract';
import { imageOf } from '../../src/environments/problem-environment';
import { BASE_IMAGE } from '../../src/machine/image';
import { unifiedDiff } from '../../src/problems/unified-diff';
import { openSandboxes } from '../../src/sandbox';
import { World } from '../../test/support/world';
import { printProfile } from './profile';

const SIZES = [100, 10_000, 60_000];
/** Tests of one file. */
const PER_FILE = 100;
const COMMAND = 'python3 -m pytest -q -p no:cacheprovider tests';
const BEFORE = 'def value(number):\n    return number - 1 if number < 2 else number\n';
const AFTER = 'def value(number):\n    return number\n';

/**
 * What a verdict takes beside plain pytest, both in fresh containers: the tests with their true expectations alone, and all
 * runs of a grading; and where the time of the first size goes. Three tests have to be mended; all others passed before.
 * Arguments are numbers of tests.
 */
export async function benchJudgeTime(args: readonly string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  const source = mkdtempSync(join(tmpdir(), 'pointsman-many-'));
  mkdirSync(join(source, 'project'));
  writeFileSync(join(source, 'project', 'README.md'), '# Many tests\n');
  const world = await World.start({ script: { models: {} }, profiles: {} });
  let profiled: (() => Promise<void>) | undefined;
  try {
    console.log('| tests | plain pytest s | real run | with controls | runs |\n|--:|--:|--:|--:|--:|');
    for (const size of sizes) {
      const problem = problemOf(join(source, 'project'), size);
      const grade = async (controls: string) => {
        const began = Date.now();
        const handle = await world.begin(
          'grade',
          { problem: keptIn(world, problem), patch: problem.goldPatch, controls },
          `time/${randomUUID()}`,
        );
        const result = (await handle.result()) as GradeResult;
        if (!result.resolved) throw new Error(`not resolved: ${JSON.stringify(result).slice(0, 600)}`);
        return { handle, seconds: (Date.now() - began) / 1000, runs: result.runs.length };
      };
      // The first makes image and controls, which are the problem's and not the candidate's.
      await grade('sample');
      const plain = await plainSeconds(problem);
      const [real, all] = [await grade('none'), await grade('sample')];
      const ratio = (seconds: number) => `×${(seconds / plain).toFixed(2)}`;
      console.log(`| ${size} | ${plain.toFixed(1)} | ${ratio(real.seconds)} | ${ratio(all.seconds)} | ${all.runs} |`);
      // What comes on top of the tests is the same for all sizes: it is looked at where it is most of the time.
      profiled ??= () => printProfile(world, problem, real.handle);
    }
    await profiled?.();
  } finally {
    await world.close();
    rmSync(source, { recursive: true, force: true });
  }
}

function problemOf(source: string, size: number): Problem {
  const files = Array.from({ length: Math.ceil(size / PER_FILE) }, (_, file) => {
    const tests = Array.from({ length: PER_FILE }, (_, at) => {
      const number = file * PER_FILE + at;
      return `def test_${number}():\n    assert value(${number}) == ${number}\n`;
    });
    return { path: `tests/test_${file}.py`, content: `from thing import value\n\n\n${tests.join('\n\n')}` };
  });
  const ids = files.flatMap(({ path }, file) =>
    Array.from({ length: PER_FILE }, (_, at) => `${path}::test_${file * PER_FILE + at}`),
  );
  return {
    id: `many-${size}`,
    image: 'pointsman/bench-many:1',
    workdir: '/testbed',
    statement: 'Mend thing.py.',
    tests: {
      command: COMMAND,
      parser: { kind: 'auto' },
      failToPass: ids.slice(0, 2),
      passToPass: ids.slice(2),
      files,
      timeoutSeconds: 1800,
    },
    goldPatch: unifiedDiff('thing.py', BEFORE, AFTER),
    protected: [],
    environment: {
      source: `dir:${source}`,
      base: BASE_IMAGE,
      setup: ["pip install -q --break-system-packages 'pytest>=8,<9'"],
    },
    preparation: {
      patch: '',
      files: [
        { path: 'thing.py', content: BEFORE },
        { path: 'conftest.py', content: '' },
      ],
    },
    provenance: {},
  };
}

/** As a folder of the world's home: 60,000 tests are no workflow's input. */
function keptIn(world: World, problem: Problem): string {
  const folder = join(world.home, 'problems', problem.id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'problem.json'), JSON.stringify(problem));
  return problem.id;
}

/** The same files in a fresh container, the plain command, nothing read. */
async function plainSeconds(problem: Problem): Promise<number> {
  const sandboxes = openSandboxes('bench');
  const owner = { workflowId: `time-${randomUUID()}`, firstRunId: randomUUID() };
  const began = Date.now();
  try {
    const spec = { owner, role: 'plain', image: imageOf(problem), workdir: problem.workdir };
    const sandbox = await sandboxes.claim({ ...spec, profile: SandboxProfile.parse({ network: 'none' }) });
    const files = problem.tests.files.map(({ path, content }) => ({
      path: `${problem.workdir}/${path}`,
      bytes: Buffer.from(String(content)),
    }));
    await sandbox.write([...files, { path: `${problem.workdir}/thing.py`, bytes: Buffer.from(AFTER) }]);
    const { exitCode } = await sandbox.exec({ command: COMMAND, cwd: problem.workdir, timeoutMs: 1_800_000 });
    if (exitCode !== 0) throw new Error(`plain pytest ended with ${exitCode}`);
    return (Date.now() - began) / 1000;
  } finally {
    await sandboxes.removeAll(owner.firstRunId);
    sandboxes.close();
  }
}
