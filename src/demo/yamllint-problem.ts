import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runToEnd } from '../cli/follow';
import { writeProblem } from '../cli/problem/folder';
import { near } from '../cli/temporal-command';
import { PointsmanError, type ProblemInitInput, type ProblemInitResult } from '../contract';
import { room } from '../home';
import type { Narrator } from './narrator';
import type { Stage } from './stage';

const FOLDER = join(__dirname, 'yamllint');
export const REAL_BUG = 'yamllint-ignore-list';

export function problemFile(): string {
  return join(room('problems'), REAL_BUG, 'problem.json');
}

/** Builds and checks the problem, or takes the one that an earlier run built from the same recipe. */
export async function provideProblem(stage: Stage, tell: Narrator): Promise<string> {
  const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
  const input: Partial<ProblemInitInput> & Pick<ProblemInitInput, 'before' | 'statement' | 'test'> = {
    id: REAL_BUG,
    before: 'pypi:yamllint==1.28.0',
    after: 'pypi:yamllint==1.29.0',
    gold: read('gold.patch'),
    statement: read('statement.md'),
    setup: ['python3 -m venv .venv && . .venv/bin/activate && pip install -q -e . pytest'],
    test: '. .venv/bin/activate && python -m pytest -q -W ignore tests/test_config.py tests/test_cli.py tests/test_linter.py',
  };
  const digest = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12);
  const id = `problem/${REAL_BUG}/${digest}`;
  if (existsSync(problemFile())) {
    const earlier = await stage.client.workflow
      .getHandle(id)
      .result()
      .catch(() => undefined);
    if (earlier) {
      tell.note(`built and checked by an earlier run: ${near(problemFile())}`);
      return REAL_BUG;
    }
  }
  const made = await tell.step(
    'both releases fetched, environment built, tests run before and after the fix',
    () => runToEnd<ProblemInitResult>(stage.cli, 'problemInit', input, { id, note: `problem ${REAL_BUG}` }),
    ({ check }) => `${check.failToPass} tests must begin to pass, ${check.passToPass} must still pass`,
  );
  writeProblem(dirname(problemFile()), await stage.cli.problems.kept(made.problem));
  const { check } = made;
  tell.note(
    `oracle (the fix) = ${check.oracle}, no-op = ${check.noop}, flaky: ${check.flaky === 0 ? 'none' : check.flaky}`,
  );
  if (!check.admitted)
    throw new PointsmanError('Unavailable', `the problem is not admitted: ${check.reasons.join('; ')}`, '');
  return REAL_BUG;
}
