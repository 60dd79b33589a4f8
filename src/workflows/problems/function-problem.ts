import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { CheckedProfiles } from '../../activities/model';
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
import { type ModelQueue, modelQueue } from '../durable/retry';
import { authorActivities, functionStore, harnessActivities, releaseHarness } from './activities';

/**
 * One function becomes a problem (R2E, section 3): authors write equivalence harnesses, each is run against the function
 * itself until it is the same every time, measured by coverage and by the mutants that it kills, and admitted or left out
 * for a reason. Then the docstring is refined by what was seen while it ran.
 */
export async function functionProblem(raw: FunctionProblemInput): Promise<FunctionProblemEnd> {
  return new FunctionProblem(checked(FunctionProblemInput, raw, 'function problem')).run();
}

class FunctionProblem {
  private readonly info = workflowInfo();
  private readonly owner = { workflowId: this.info.workflowId, firstRunId: this.info.firstExecutionRunId };
  private readonly queues = queuesUnder(this.info.taskQueue);
  private readonly sandboxes = harnessActivities(this.queues);
  private readonly cost = { usd: 0, tokens: 0 };
  /** Where each author is asked, and how long it may take. */
  private checked: CheckedProfiles = { ownQueue: [] };
  private turn = 0;

  constructor(private readonly input: FunctionProblemInput) {}

  async run(): Promise<FunctionProblemEnd> {
    const { input, cost } = this;
    this.checked = await this.checkAuthors();
    publish({ InstanceId: input.name, Phase: 'Writing' });
    try {
      const findings = await this.tryAuthors();
      const best = findings.reduce(better);
      const refined = best.admitted ? await this.refine(best.report) : null;
      const { name, environment, prepared, seed } = input;
      const reports = findings.map(({ report }) => report);
      const end = await functionStore.concludeFunction.executeWithOptions(this.named('conclusion'), [
        { name, environment, prepared, seed, best: best.report, refined, cost, reports },
      ]);
      const outcome = end.admitted ? 'admitted' : 'rejected';
      publish({ Phase: 'Done', Outcome: outcome, Resolved: end.admitted, CostUsd: cost.usd });
      setCurrentDetails(`**${input.name}** — ${end.admitted ? 'admitted' : `left out: ${end.reason}`}`);
      return end;
    } finally {
      await releaseHarness(this.sandboxes, this.owner, `its images are removed · ${input.name}`);
    }
  }

  /** Throws `InvalidInput` for an author that cannot be asked. */
  private async checkAuthors(): Promise<CheckedProfiles> {
    const { attempts, refiner, budget } = this.input;
    const asked = [...attempts.map(({ author }) => author), refiner].filter((who) => !isBuiltin(who));
    return functionStore.checkProfiles.executeWithOptions(this.named('who writes'), [
      { profiles: [...new Set(asked)], capUsd: budget?.capUsd },
    ]);
  }

  /** One author after another, until one's harness is admitted; all of them where the input asks for that. */
  private async tryAuthors(): Promise<HarnessFinding[]> {
    const findings: HarnessFinding[] = [];
    for (const attempt of this.input.attempts) {
      const found = await this.tryAuthor(attempt);
      findings.push(found);
      if (found.admitted && !this.input.tryAll) break;
    }
    return findings;
  }

  /** Writes a harness and finds out what it is worth. A model is told, and may repair it so many times. */
  private async tryAuthor(attempt: HarnessAttempt): Promise<HarnessFinding> {
    let authored = await this.write(attempt, null);
    for (let repairs = 0; ; repairs++) {
      const found = await this.examine(attempt, authored, repairs);
      const { conversation, final } = authored;
      if (found.admitted || final || !conversation || repairs === attempt.repairs) return found;
      authored = await this.write(attempt, { conversation, report: found.report });
    }
  }

  private async write(
    attempt: HarnessAttempt,
    earlier: { conversation: Ref; report: Ref } | null,
  ): Promise<AuthoredHarness> {
    const { author } = attempt;
    const { prepared, recorded, gates, budget, casesPerFunction: cases } = this.input;
    if (isBuiltin(author)) {
      const trial = this.trialOf(attempt, 0);
      return this.sandboxes.authorHarness.executeWithOptions(this.named(author), [{ ...trial, recorded, cases }]);
    }
    this.turn += 1;
    const question = { run: this.owner.firstRunId, turn: this.turn, prepared, attempt, earlier, gates, cases, budget };
    const summary = this.named(`${author} writes, turn ${this.turn}`);
    const given = await this.answered(() =>
      authorActivities(this.queueOf(author)).askForHarness.executeWithOptions(summary, [question]),
    );
    return 'refused' in given ? { harness: null, refusal: given.refused, conversation: null, final: true } : given;
  }

  /** Self-equivalence first: what a harness misses need not be known of one that fails on the function itself. */
  private async examine(
    attempt: HarnessAttempt,
    { harness, refusal }: AuthoredHarness,
    repairs: number,
  ): Promise<HarnessFinding> {
    const { sandboxes, input } = this;
    const trial = this.trialOf(attempt, repairs);
    const found = await sandboxes.validateHarness.executeWithOptions(this.named('self-equivalence'), [
      { ...trial, harness, refusal },
    ]);
    if (!found.valid) return found;
    return sandboxes.measureHarness.executeWithOptions(this.named('coverage and mutants'), [
      { ...trial, validated: found.report, mutants: input.mutantsPerFunction },
    ]);
  }

  private async refine(report: Ref): Promise<Ref | null> {
    const { refiner, prepared, budget } = this.input;
    if (isBuiltin(refiner)) return null;
    this.turn += 1;
    const question = { run: this.owner.firstRunId, turn: this.turn, prepared, report, profile: refiner, budget };
    const summary = this.named(`${refiner} refines the docstring`);
    const given = await this.answered(() =>
      authorActivities(this.queueOf(refiner)).askForDocstring.executeWithOptions(summary, [question]),
    );
    return 'refused' in given ? null : given.reply;
  }

  /** What a provider refuses for good is this author's end, and not the function's. */
  private async answered<T extends { readonly usage: Usage }>(ask: () => Promise<T>): Promise<T | { refused: string }> {
    try {
      const given = await ask();
      this.cost.usd += given.usage.costUsd;
      this.cost.tokens += given.usage.promptTokens + given.usage.completionTokens;
      return given;
    } catch (error) {
      if (isCancellation(error) || !REFUSALS.includes(codeOf(error) ?? '')) throw error;
      return { refused: messageOf(error) };
    }
  }

  private trialOf(attempt: HarnessAttempt, repairs: number): Trial {
    const { environment, prepared, gates, seed, secondsPerCase, sandbox: profile } = this.input;
    return { owner: this.owner, environment, prepared, attempt, repairs, gates, seed, secondsPerCase, profile };
  }

  private queueOf(profile: string): ModelQueue {
    return modelQueue(this.queues, this.checked, profile);
  }

  /** A summary for the UI: what is done, for which function. */
  private named(what: string): { summary: string } {
    return { summary: `${what} · ${this.input.name}`.slice(0, 120) };
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
