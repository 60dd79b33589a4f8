import type { ProsecutorMove } from '../../contract';
import { filtersOf } from './filters';
import type { Observed, ProsecutorDossier, ProsecutorPolicy, Seen } from './role';
import { classify } from './rules/causes';
import { checksOf, type Suspicion } from './rules/checks';
import { editedTests, lookForTampering, readTampering } from './rules/integrity';
import { foundByAll, type Interpreter, lookForInterpreters, readInterpreters } from './rules/interpreter';
import { runSuite, testPlans } from './rules/native-tests';
import { nextMove, type Play, type Repository, repositoriesOf } from './rules/play';
import { neverBegan, probeOf } from './rules/probes';

type Inquiry = Generator<ProsecutorMove, void, Observed>;

/**
 * `builtin:rules` as prosecutor: one family of charges after the other. It believes neither the agent nor the verifier;
 * a test run is taken over only where it is the very command that it would have run itself. Each charge is shown by a
 * command of its own, which the judge can run again.
 */
export const prosecutor: ProsecutorPolicy = (dossier, seen: readonly Seen<ProsecutorMove>[]) =>
  nextMove(prosecution(dossier), seen);

function* prosecution(dossier: ProsecutorDossier): Play<ProsecutorMove> {
  // Where a service does not start, no command runs, and nothing else can be shown.
  if (yield* services(dossier)) return rest;
  for (const repository of repositoriesOf(dossier)) {
    const looked = yield examine('Which interpreters there are.', lookForInterpreters(dossier, repository));
    const interpreters = readInterpreters(looked.output);
    yield* declarations(dossier, repository, interpreters);
    yield* tests(dossier, repository, interpreters);
    yield* tampering(dossier, repository);
  }
  return rest;
}

const rest: ProsecutorMove = { move: 'rest', thought: '', summary: '' };

const examine = (thought: string, command: string): ProsecutorMove => ({ move: 'examine', thought, command });
const charge = (suspicion: Suspicion): ProsecutorMove => ({ move: 'charge', thought: '', ...suspicion });

/** Every service that was asked for or declared answers in its own protocol. Gives whether one did not even start. */
function* services({ services, wanted = [] }: ProsecutorDossier): Generator<ProsecutorMove, boolean, Observed> {
  const all = [...services, ...wanted.filter(({ name }) => !services.some((one) => one.name === name))];
  let stuck = false;
  for (const service of all) {
    const command = probeOf(service);
    const probed = yield examine(`Does ${service.name} answer?`, command);
    if (probed.exitCode === 0) continue;
    stuck ||= neverBegan(probed);
    yield charge({
      kind: 'service',
      claim: `The service ${service.name} does not answer`,
      declared: service.name,
      command,
    });
  }
  return stuck;
}

/** Dependencies, entry points and interpreters that the repository declares. */
function* declarations(
  { steps }: ProsecutorDossier,
  repository: Repository,
  interpreters: readonly Interpreter[],
): Inquiry {
  for (const check of checksOf(repository, interpreters, steps)) {
    const checked = yield examine('Is what the repository declares there?', check.command);
    for (const suspicion of check.suspicions(checked)) yield charge(suspicion);
  }
}

/** The tests run, all of them, and none fails for want of something that the set-up should have brought. */
function* tests(dossier: ProsecutorDossier, repository: Repository, interpreters: readonly Interpreter[]): Inquiry {
  const { verifier, verifierMoves, claim } = dossier;
  const run = yield* runSuite(
    testPlans(dossier, repository, interpreters),
    ({ command }) => examine('Do the tests run?', command),
    (command) => verifierMoves.find(({ move }) => move.move === 'run_tests' && move.command === command)?.observed,
  );
  if (!run) return;
  const { command } = run.plan;
  const declared = repository.facts.testPaths.slice(0, 3).join(', ');
  const collected = run.reading?.counts.collected ?? 0;
  const faults = classify(command, run.observed, {
    repository,
    services: dossier.services,
    present: foundByAll(interpreters),
  }).filter((failure) => failure.class === 'setup');
  if (faults.length > 0 && (collected > 0 || declared !== '')) {
    const shown = faults.slice(0, 3).map(({ test, why }) => `${test} (${why})`);
    yield charge({
      kind: 'tests',
      claim: `${faults.length} tests fail for want of set-up: ${shown.join(', ')}`,
      declared,
      command,
    });
  }
  const filters = verifier?.evidence ? filtersOf(verifier.evidence.command, '') : [];
  if (filters.length > 0 && collected > (verifier?.counts.collected ?? 0)) {
    yield charge({ kind: 'filtered', claim: `The verifier left tests out (${filters.join(', ')})`, declared, command });
  }
  const claimed = Number(/\b(\d+)\s+(?:tests?\s+)?pass/i.exec(claim)?.[1] ?? 0);
  if (claimed > 0 && run.reading && claimed > run.reading.counts.passed) {
    yield charge({
      kind: 'claim',
      claim: `${claimed} passing tests are claimed, ${run.reading.counts.passed} pass`,
      declared,
      command,
    });
  }
}

/** Nobody made fewer tests run than the sources hold. */
function* tampering(dossier: ProsecutorDossier, repository: Repository): Inquiry {
  const looked = yield examine(
    'Are the tests, and what decides about them, as they came?',
    lookForTampering(repository),
  );
  const commands = dossier.steps.flatMap(({ move }) => ('command' in move && move.command ? [move.command] : []));
  for (const found of [...readTampering(repository, looked), ...editedTests(repository, commands)]) {
    yield charge({ kind: 'filtered', ...found });
  }
}
