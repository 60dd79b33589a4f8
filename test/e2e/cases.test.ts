import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatPatch, parsePatch, type StructuredPatch } from 'diff';
import type { ProblemCheckResult, RolloutResult, TestLists } from '../../src/contract';
import { type Ran, runCli } from '../cli/run-cli';
import { CASES, type Case, chosenCases, oracleAndIdler, passToPass } from '../support/cases';
import { minutes } from '../support/counts';
import { figures } from '../support/figures';
import { World } from '../support/world';

const cases = chosenCases();
if (cases.length === 0) console.warn(`skipped: there is no folder of recorded cases at ${CASES}`);

(cases.length > 0 ? describe : describe.skip)('real bugs, through the command line as a user has it', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ script: oracleAndIdler(cases), profiles: { oracle: {}, idler: {} } });
  });
  afterAll(async () => {
    await world?.close();
  });

  test.each(cases.map((each) => [each.id, each] as const))(
    '%s: admitted with the recorded lists; its fix is resolved, half of it and nothing are not',
    async (id, each) => {
      const since = Date.now();
      const problem = await init(each);

      const check = await pointsman<Omit<ProblemCheckResult, keyof TestLists> & TestLists>('problem', 'check', problem);
      expect(check).toMatchObject({ oracle: 1, noop: 0, flaky: [], admitted: true, reasons: [] });
      figures(`${id}, controls`, { ...check.controls?.kinds, tests: check.controls?.tests, of: check.controls?.of });
      expect(check.controls?.tests).toBe(check.failToPass.length);
      expect(check.failToPass.toSorted()).toEqual(each.fail_to_pass.toSorted());
      expect(check.passToPass.toSorted()).toEqual(passToPass(each).toSorted());

      const start = ['rollout', 'start', '--problem', problem, '--wait'];
      const [oracle, idle] = await Promise.all([
        pointsman<RolloutResult>(...start, '--expert', 'oracle', '--hand-over', '0'),
        pointsman<RolloutResult>(...start, '--student', 'idler', '--hand-over', 'never'),
      ]);
      const seconds = (Date.now() - since) / 1000;
      figures(id, {
        f2p: check.failToPass.length,
        p2p: check.passToPass.length,
        ...verdicts({ oracle, idle }),
        seconds,
      });
      expect(oracle).toMatchObject({ status: 'submitted', resolved: true, turns: { total: 2, student: 0, expert: 2 } });
      expect(idle).toMatchObject({ status: 'submitted', resolved: false, turns: { total: 1, student: 1, expert: 0 } });

      for (const [half, patch] of halves(each).entries()) {
        const file = join(world.home, `${id}-${half}.diff`);
        writeFileSync(file, patch);
        const { stdout } = await said('problem', 'grade', problem, '--patch', file);
        const resolved = UNTESTED[id]?.includes(half + 1) ?? false;
        expect([`without hunk ${half + 1}`, JSON.parse(stdout)]).toMatchObject([
          expect.anything(),
          { resolved, verdict: 'graded' },
        ]);
      }
    },
    minutes(10, 30),
  );

  /** `problem init` from the released source and the recorded patches; gives the folder. */
  async function init({ id, ...each }: Case): Promise<string> {
    const statement = join(world.home, `${id}.md`);
    writeFileSync(statement, each.problem_statement);
    const out = join(world.home, 'made', id);
    const given = {
      id: id.toLowerCase(),
      before: `pypi:${each.source.name}==${each.source.version}`,
      tests: join(CASES, each.test_patch),
      gold: join(CASES, each.gold_patch),
      statement,
      test: each.test_cmd,
      timeout: '900',
      out,
    };
    const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
    await pointsman('problem', 'init', ...flags, ...each.setup.flatMap((command) => ['--install', command]));
    return out;
  }

  /** One command with `--json`. */
  function said(...args: string[]): Promise<Ran> {
    const own = Object.entries(world.env).filter(([name]) => /^(POINTSMAN|TEMPORAL)_/.test(name));
    return runCli([...args, '--json'], { env: Object.fromEntries(own) as Record<string, string> });
  }

  /** The answer of one, which must be a success. */
  async function pointsman<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await said(...args);
    if (code !== 0) throw new Error(`pointsman ${args.slice(0, 2).join(' ')} ended with ${code}: ${stdout}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }
});

/** Hunks of which no test says anything: the words of a message, an import that is not used any more. */
const UNTESTED: Readonly<Record<string, readonly number[]>> = { T03: [1], T16: [1] };

/** The fix without one of its hunks, for each of them; none of a fix that is a single one. */
function halves({ gold_patch }: Case): string[] {
  const [file] = parsePatch(readFileSync(join(CASES, gold_patch), 'utf8')) as [StructuredPatch];
  if (file.hunks.length === 1) return [];
  return file.hunks.map((hunk) => formatPatch({ ...file, hunks: file.hunks.filter((other) => other !== hunk) }));
}

function verdicts(results: Record<string, RolloutResult>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(results).map(([name, { status, resolved }]) => [
      name,
      `${status}/${resolved ? 'resolved' : 'not resolved'}`,
    ]),
  );
}
