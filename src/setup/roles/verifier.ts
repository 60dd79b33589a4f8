import type { VerifierMove } from '../../contract';
import { quote } from '../../rollout/shell';
import { errorSignature } from '../error-signature';
import { failedUncounted, WHOLE_RUN } from '../test-output/failures';
import type { Seen, VerifierDossier, VerifierPolicy } from './role';
import { data } from './rules/cause';
import { classify } from './rules/causes';
import { checksOf } from './rules/checks';
import { foundByAll, type Interpreter, lookForInterpreters, readInterpreters } from './rules/interpreter';
import { endedFromOutside, runSuite, type SuiteRun, testPlans } from './rules/native-tests';
import { nextMove, type Play, type Repository, repositoriesOf } from './rules/play';

/**
 * `builtin:rules` as verifier. Each repository of the family in turn: its structure, its tests run the way its own tools
 * run them, every failure classified by what the output says; a smoke test where there is none. An examiner: nothing that
 * it does could mend anything, because each move has a container of its own.
 */
export const verifier: VerifierPolicy = (dossier, seen: readonly Seen<VerifierMove>[]) =>
  nextMove(verification(dossier), seen);

function* verification(dossier: VerifierDossier): Play<VerifierMove> {
  const faults: string[] = [];
  for (const repository of repositoriesOf(dossier)) {
    const fault = yield* examination(dossier, repository);
    if (fault !== null) faults.push(`${repository.name}: ${fault}`);
  }
  return { move: 'conclude', thought: '', success: faults.length === 0, hint: faults.join('; ') };
}

/** What is wrong with one repository, for the agent to mend; null for nothing. */
function* examination(
  dossier: VerifierDossier,
  repository: Repository,
): Generator<VerifierMove, string | null, Seen<VerifierMove>['observed']> {
  const { workdir, facts } = repository;
  const look = `cd ${quote(workdir)} && ls -A | head -n 60 && ${lookForInterpreters(dossier, repository)}`;
  const looked = yield { move: 'look', thought: 'What there is, and which interpreter has it.', command: look };
  const interpreters = readInterpreters(looked.output);
  const run = yield* runSuite(
    testPlans(dossier, repository, interpreters),
    ({ command, framework }): VerifierMove => ({
      move: 'run_tests',
      thought: 'The way its own tools run them.',
      command,
      framework,
    }),
  );
  if (run?.reading && run.reading.counts.collected > 0) {
    const { collected, passed } = run.reading.counts;
    const faults = yield* explanation(dossier, repository, run, interpreters);
    if (faults !== null) return faults;
    return passed > 0 ? null : `of ${collected} tests none passed`;
  }
  const ended = run && endedFromOutside(run.observed);
  if (ended) return `there are tests, and ${ended}: ${run.plan.command}`;
  if (facts.testPaths.length > 0 && !['c', 'cpp'].includes(facts.languages[0] ?? '')) {
    const why = run?.observed.exitCode ? errorSignature(run.observed.output) : '';
    return `there are tests in ${facts.testPaths.slice(0, 3).join(', ')}, and none of them could be run${why && `: ${why}`}`;
  }
  if (run && failedUncounted(run.observed)) {
    // Tests that nobody can count were run all the same: a smoke test says nothing of why they failed.
    const faults = yield* explanation(dossier, repository, run, interpreters);
    if (faults !== null) return faults;
  }
  const smoke = smokeOf(repository, interpreters);
  if (!smoke) return 'there are no tests, and nothing that could be started instead';
  const smoked = yield smoke;
  return smoked.exitCode === 0 ? null : `the smoke test failed: ${smoked.output.trim().slice(-300)}`;
}

/** Says of every failure of a run why it failed; null where none is the set-up's, else those that are. */
function* explanation(
  dossier: VerifierDossier,
  repository: Repository,
  run: SuiteRun,
  interpreters: readonly Interpreter[],
): Generator<VerifierMove, string | null, Seen<VerifierMove>['observed']> {
  const failures = classify(run.plan.command, run.observed, {
    repository,
    services: dossier.services,
    present: foundByAll(interpreters),
  });
  if (run.leftOut !== undefined) failures.push({ test: WHOLE_RUN, ...data(`tests were left out: ${run.leftOut}`) });
  if (failures.length > 0) {
    const told = failures.map(({ test, class: kind, why }) => ({ test, class: kind, why }));
    yield { move: 'classify', thought: 'By what the output says of each.', failures: told };
  }
  const faults = failures.filter((failure) => failure.class === 'setup');
  if (faults.length === 0) return null;
  const shown = faults.slice(0, 3).map(({ test, why }) => `${test} (${why})`);
  return `${faults.length} tests fail for want of set-up: ${shown.join(', ')}`;
}

type Smoke = Extract<VerifierMove, { move: 'smoke' }>;

/**
 * Where a repository has no tests: whether it builds and starts. Null where nothing could be shown, which is no pass
 * either: a script that does nothing always succeeds.
 */
function smokeOf(repository: Repository, interpreters: readonly Interpreter[]): Smoke | null {
  const { facts, workdir } = repository;
  const [language] = facts.languages;
  const built = language === 'c' || language === 'cpp' ? [`cd ${quote(workdir)} && ${BUILT}`] : [];
  const shown = facts.modules.length + facts.entryPoints.length > 0 || built.length > 0 || language === 'java';
  if (!shown) return null;
  const commands = [...built, ...checksOf(repository, interpreters).map(({ command }) => command)];
  if (commands.length === 0) return null;
  const content = ['set -e -o pipefail', ...commands.map((command) => `( ${command} )`), ''].join('\n');
  const thought = 'There are no tests: what it declares must import, build and start.';
  return { move: 'smoke', thought, path: '/tmp/smoke.sh', content, command: 'bash /tmp/smoke.sh' };
}

/** Something that a compiler or archiver made. */
const BUILT =
  "find . -type f \\( -name '*.o' -o -name '*.a' -o -name '*.so*' -o -perm -u+x \\) -not -path './.git/*' -exec head -c 4 {} \\; | grep -aqE 'ELF|!<ar' || { echo 'nothing was built'; exit 1; }";
