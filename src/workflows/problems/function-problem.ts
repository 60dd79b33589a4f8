import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Trial } from '../../activities/problems/function-problem';
import type { AuthoredHarness, HarnessFinding } from '../../activities/problems/function-reports';
import {
  type FunctionProblemEnd,
  FunctionProblemInput,
  type HarnessAttempt,
  queuesUnder,
  type Ref,
  type Usage,
} from '../../contract';
import { publish } from '../durable/attributes';
import { codeOf, isCancellation, messageOf } from '../durable/failures';
import { checked } from '../durable/input';
import { authorActivities, functionStore, harnessActivities, releaseHarness } from './activities';

/**
 * One function becomes a problem (R2E, section 3): authors write equivalence harnesses, each is run against the function
 * itself until it is the same every time, measured by coverage and by the mutants that it kills, and admitted or left out
 * for a reason. Then the docstring is refined by what was seen while it ran.
 */
export async function functionProblem(raw: FunctionProblemInput): Promise<FunctionProblemEnd> {
  const input = checked(FunctionProblemInput, raw, 'function problem');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const queues = queuesUnder(taskQueue);
  const sandboxes = harnessActivities(queues);
  const { name, environment, prepared, recorded, gates, seed, secondsPerCase, sandbox: profile } = input;
  const { casesPerFunction: cases, mutantsPerFunction: mutants, budget } = input;
  const named = (what: string) => ({ summary: `${what} · ${input.name}`.slice(0, 120) });
  const asked = [...input.attempts.map(({ author }) => author), input.refiner].filter((who) => !isBuiltin(who));
  const { ownQueue } = await functionStore.checkProfiles.executeWithOptions(named('who writes'), [
    { profiles: [...new Set(asked)], ...(budget ? { capUsd: budget.capUsd } : {}) },
  ]);
  const queueOf = (profile: string) => (ownQueue.includes(profile) ? queues.model(profile) : queues.workflows);
  const cost = { usd: 0, tokens: 0 };
  const findings: HarnessFinding[] = [];
  let turn = 0;
  publish({ InstanceId: input.name, Phase: 'Writing' });

  try {
    for (const attempt of input.attempts) {
      const found = await tryAuthor(attempt);
      findings.push(found);
      if (found.admitted && !input.tryAll) break;
    }
    const best = findings.reduce(better);
    const refined = best.admitted ? await refine(best.report) : null;
    const end = await functionStore.concludeFunction.executeWithOptions(named('conclusion'), [
      {
        name,
        environment,
        prepared,
        seed,
        best: best.report,
        refined,
        cost,
        reports: findings.map(({ report }) => report),
      },
    ]);
    publish({
      Phase: 'Done',
      Outcome: end.admitted ? 'admitted' : 'rejected',
      Resolved: end.admitted,
      CostUsd: cost.usd,
    });
    setCurrentDetails(`**${input.name}** — ${end.admitted ? 'admitted' : `left out: ${end.reason}`}`);
    return end;
  } finally {
    await releaseHarness(sandboxes, owner, `its images are removed · ${input.name}`);
  }

  /** Writes a harness and finds out what it is worth. A model is told, and may mend it so many times. */
  async function tryAuthor(attempt: HarnessAttempt): Promise<HarnessFinding> {
    let authored = await write(attempt, null);
    for (let repairs = 0; ; repairs++) {
      const found = await examine(attempt, authored, repairs);
      const { conversation, final } = authored;
      if (found.admitted || final || !conversation || repairs === attempt.repairs) return found;
      authored = await write(attempt, { conversation, report: found.report });
    }
  }

  async function write(
    attempt: HarnessAttempt,
    earlier: { conversation: Ref; report: Ref } | null,
  ): Promise<AuthoredHarness> {
    const { author } = attempt;
    if (isBuiltin(author))
      return sandboxes.authorHarness.executeWithOptions(named(author), [{ ...trialOf(attempt, 0), recorded, cases }]);
    turn += 1;
    const question = { run: firstExecutionRunId, turn, prepared, attempt, earlier, gates, cases };
    const given = await answered(() =>
      authorActivities(queueOf(author)).askForHarness.executeWithOptions(named(`${author} writes, turn ${turn}`), [
        { ...question, budget },
      ]),
    );
    return 'refused' in given ? { harness: null, refusal: given.refused, conversation: null, final: true } : given;
  }

  /** Self-equivalence first: what a harness misses need not be known of one that fails on the function itself. */
  async function examine(attempt: HarnessAttempt, authored: AuthoredHarness, repairs: number): Promise<HarnessFinding> {
    const { harness, refusal } = authored;
    const trial = trialOf(attempt, repairs);
    const found = await sandboxes.validateHarness.executeWithOptions(named('self-equivalence'), [
      { ...trial, harness, refusal },
    ]);
    if (!found.valid) return found;
    return sandboxes.measureHarness.executeWithOptions(named('coverage and mutants'), [
      { ...trial, validated: found.report, mutants },
    ]);
  }

  async function refine(report: Ref): Promise<Ref | null> {
    const { refiner } = input;
    if (isBuiltin(refiner)) return null;
    turn += 1;
    const given = await answered(() =>
      authorActivities(queueOf(refiner)).askForDocstring.executeWithOptions(named(`${refiner} refines the docstring`), [
        { run: firstExecutionRunId, turn, prepared, report, profile: refiner, budget },
      ]),
    );
    return 'refused' in given ? null : given.reply;
  }

  function trialOf(attempt: HarnessAttempt, repairs: number): Trial {
    return { owner, environment, prepared, attempt, repairs, gates, seed, secondsPerCase, profile };
  }

  /** What a provider refuses for good is this author's end, and not the function's. */
  async function answered<T extends { readonly usage: Usage }>(
    ask: () => Promise<T>,
  ): Promise<T | { refused: string }> {
    try {
      const given = await ask();
      cost.usd += given.usage.costUsd;
      cost.tokens += given.usage.promptTokens + given.usage.completionTokens;
      return given;
    } catch (error) {
      if (isCancellation(error) || !REFUSALS.includes(codeOf(error) ?? '')) throw error;
      return { refused: messageOf(error) };
    }
  }
}

const REFUSALS: readonly string[] = ['ContextWindowExceeded', 'ModelRejected', 'BudgetExhausted'];

const isBuiltin = (who: string) => who.startsWith('builtin:');

/** Admitted before valid before neither; then by what it kills and covers. The earlier one where they are alike. */
function better(one: HarnessFinding, other: HarnessFinding): HarnessFinding {
  const rank = ({ admitted, valid, score }: HarnessFinding) => [Number(admitted), Number(valid), score];
  const [a, b] = [rank(one), rank(other)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && b[at]! > a[at]! ? other : one;
}
