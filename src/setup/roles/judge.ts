import type { Ground, JudgeMove } from '../../contract';
import { quote } from '../../rollout/shell';
import { keyLines } from '../error-signature';
import { readCounts } from '../test-output';
import type { JudgeDossier, JudgePolicy, Observed, Seen } from './role';
import type { Cause } from './rules/cause';
import { causeOf, classify } from './rules/causes';
import { restorationOf } from './rules/integrity';
import { foundByAll, readInterpreters } from './rules/interpreter';
import { bringers, missingModule } from './rules/missing-module';
import { testPlans } from './rules/native-tests';
import { nextMove, type Play, type Repository, repositoriesOf } from './rules/play';
import { neverBegan } from './rules/probes';

/** What the judge is given of one charge. */
type Charged = JudgeDossier['charges'][number];
interface Finding {
  readonly upheld: boolean;
  readonly ground: Ground;
  readonly why: string;
}

/**
 * `builtin:rules` as judge: each charge is run again, once or twice, and decided by what came of it. A charge is dismissed
 * only on a ground that the output shows; what is left is upheld.
 */
export const judge: JudgePolicy = (dossier, seen: readonly Seen<JudgeMove>[]) => nextMove(judgement(dossier), seen);

function* judgement(dossier: JudgeDossier): Play<JudgeMove> {
  const last = dossier.charges.at(-1);
  for (const charge of dossier.charges) {
    const finding = yield* hearing(dossier, charge);
    const move: JudgeMove = { move: 'find', thought: '', charge: charge.id, ...finding };
    if (charge === last) return move;
    yield move;
  }
  // Nobody calls a judge where there is no charge; the move would be refused.
  return { move: 'rerun', thought: 'There is no charge.', charge: 1, command: 'true' };
}

function* hearing(dossier: JudgeDossier, charge: Charged): Generator<JudgeMove, Finding, Observed> {
  const again = (command: string): JudgeMove => ({ move: 'rerun', thought: '', charge: charge.id, command });
  const repository = repositoryOf(dossier, charge);
  const first = yield again(charge.evidence.command);
  if (first.exitCode === 0) return dismissed('not_reproduced', 'the same command succeeds');
  if (neverBegan(first)) return upheld(first.output.trim().slice(0, 300));
  switch (charge.kind) {
    case 'service':
    case 'interpreter':
      return upheld(first.output.trim().slice(-300) || charge.claim);
    case 'tests':
    case 'claim':
      return tested(dossier, repository, charge.evidence.command, first);
    case 'filtered': {
      const command = restored(dossier, repository, charge);
      if (command === null) return upheld('what was left out cannot be had back');
      if (command === charge.evidence.command) return tested(dossier, repository, command, first);
      return tested(dossier, repository, command, yield again(command));
    }
    case 'dependency':
    case 'entry_point': {
      if (first.timedOut) {
        if (charge.kind === 'entry_point') return dismissed('not_reproduced', 'it started and went on running');
        return upheld('it was stopped at its deadline');
      }
      const other = withPreparedInterpreter(dossier, charge.evidence.command);
      if (other !== null && (yield again(other)).exitCode === 0) {
        return dismissed('wrong_interpreter', 'the interpreter that the set-up prepared has it');
      }
      return declared(dossier, repository, charge, first);
    }
  }
}

const upheld = (why: string): Finding => ({ upheld: true, ground: 'reproduced', why });
const dismissed = (ground: Ground, why: string): Finding => ({ upheld: false, ground, why });
const foundBy = ({ class: kind, ground, why }: Cause): Finding =>
  kind === 'setup' ? upheld(why) : dismissed(ground, why);

/** By the first failure that is the set-up's; if there is none, on the ground that the failures have. */
function tested(dossier: JudgeDossier, repository: Repository, command: string, observed: Observed): Finding {
  const reading = readCounts(command, observed.output);
  if (!reading || reading.counts.collected === 0) return upheld('no test could be run');
  const failures = classify(command, observed, {
    repository,
    services: dossier.services,
    present: foundByAll(interpretersOf(dossier)),
  });
  const [cause] = [...failures.filter((failure) => failure.class === 'setup'), ...failures];
  if (!cause)
    return dismissed('not_reproduced', `all ${reading.counts.collected} tests have their turn, and none fails`);
  const found = foundBy(cause);
  return { ...found, why: `${cause.test}: ${found.why}` };
}

/** A declared dependency or entry point that is really not there, unless it was never the set-up's to bring. */
function declared(dossier: JudgeDossier, repository: Repository, charge: Charged, observed: Observed): Finding {
  const { output } = observed;
  const module = missingModule(output);
  const known = module !== null && bringers(module, repository.facts).length > 0;
  const own = repository.facts.modules.includes(module?.split('.')[0] ?? '');
  const asked =
    module !== null &&
    new RegExp(`\\b(?:import|require|from)\\b[\\s('"]*${module.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`).test(
      charge.evidence.command,
    );
  if (asked && !known && !own) return dismissed('not_declared', `nothing in the repository declares ${module}`);
  const cause = causeOf(output, { repository, services: dossier.services });
  if (cause) return foundBy(cause);
  const shown = (keyLines(output)[0] ?? output.trim().split('\n').at(-1) ?? '').slice(0, 300);
  // It was found and started; that it then complained is its own affair.
  const started =
    charge.kind === 'entry_point' &&
    !/^missing\t/m.test(output) &&
    observed.exitCode !== 127 &&
    observed.exitCode !== 126;
  return started ? dismissed('test_logic_bug', shown) : upheld(shown || charge.claim);
}

/** Commands of ours begin in the directory of the repository that they are about. */
function repositoryOf(dossier: JudgeDossier, charge: Charged): Repository {
  const [main, ...others] = repositoriesOf(dossier) as [Repository, ...Repository[]];
  return others.find(({ workdir }) => charge.evidence.command.startsWith(`cd ${quote(workdir)} `)) ?? main;
}

/** All tests, with everything put back that a charge says was changed; null where something cannot be had back. */
function restored(dossier: JudgeDossier, repository: Repository, charge: Charged): string | null {
  if (readCounts(charge.evidence.command, charge.output) !== null) return charge.evidence.command;
  if (restorationOf(repository, charge.declared) === null) return null;
  const all = dossier.charges
    .filter(({ kind }) => kind === 'filtered')
    .map(({ declared }) => restorationOf(repository, declared));
  const plans = testPlans(dossier, repository, interpretersOf(dossier));
  const command =
    plans.find((plan) => plan.command === dossier.verifier?.evidence?.command)?.command ?? plans[0]?.command;
  return command === undefined ? null : [...all.filter((one) => one !== null), command].join(' && ');
}

function interpretersOf({ verifierMoves }: JudgeDossier) {
  return readInterpreters(
    verifierMoves
      .filter(({ move }) => move.move === 'look')
      .map(({ observed }) => observed.output)
      .join('\n'),
  );
}

/** The command with the interpreter that has what the project needs, where it was run with another one; else null. */
function withPreparedInterpreter(dossier: JudgeDossier, command: string): string | null {
  const tests = dossier.verifier?.evidence?.command ?? '';
  const prepared = /(?:^|\s)(\S*python[\d.]*) -m /.exec(tests)?.[1] ?? interpretersOf(dossier)[0]?.path;
  if (!prepared) return null;
  const other = command.replace(
    /(^|&& |; |\s)(?:\/\S+\/)?python[\d.]*(?= -|\s\S+\.py)/,
    (_, before: string) => `${before}${prepared}`,
  );
  return other === command ? null : other;
}
