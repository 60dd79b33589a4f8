import { profileNamed } from '../../config';
import type {
  CandidateOutcome,
  ChatMessage,
  ContextKind,
  FunctionInstance,
  ModelProfile,
  SharedBudget,
  Usage,
} from '../../contract';
import type { Deps } from '../../deps';
import { EVALUATION_PROMPTS, repairPrompt, taskValues } from '../../evaluation/prompt';
import { whereCut } from '../../model';
import { cutMiddle } from '../../rollout/clip';
import { fillTemplate } from '../../rollout/prompts';
import { hashKey, uniformBelow } from '../../rollout/random';
import { createAsker } from '../ask';
import { promptFiles } from '../prompts';

/** How a solver is asked; the same for all candidates of an evaluation. */
export interface Asking {
  readonly solver: string;
  readonly context: ContextKind;
  readonly planFirst: boolean;
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  readonly budget?: SharedBudget;
}

/** Names a candidate: the problem's place in the set, the sample, and the iteration of self-repair. */
export interface CandidatePlace {
  readonly at: number;
  readonly sample: number;
  readonly repair: number;
}

export interface ModelAnswer {
  readonly text: string;
  /** What to say of its end where it could not be read. */
  readonly cut: string;
  readonly usage: Usage;
}

/** Characters of what was seen of a failed candidate that a model is told. */
const FEEDBACK = 6_000;

/** Asks a model for a candidate, or for a better one in the conversation that `earlier` outcomes are. */
export function createSolverAsker(deps: Deps) {
  const { blobs, config } = deps;
  const ask = createAsker(deps);

  async function messages(
    problem: FunctionInstance,
    profile: ModelProfile,
    { context, planFirst }: Asking,
    earlier: readonly CandidateOutcome[],
  ): Promise<ChatMessage[]> {
    const prompts = promptFiles('evaluation', EVALUATION_PROMPTS, profile.view);
    const told: ChatMessage[] = [
      { role: 'system', content: fillTemplate(prompts.system, {}) },
      {
        role: 'user',
        content: fillTemplate(prompts[planFirst ? 'task-plan' : 'task'], taskValues(problem, context)),
      },
    ];
    for (const outcome of earlier) {
      const said = outcome.reply ? (await blobs.get(outcome.reply.sha256)).toString('utf8') : '';
      const values = { name: problem.subject.target.name, feedback: shortened(outcome.detail) };
      told.push(
        // Several servers refuse an empty turn.
        { role: 'assistant', content: said.trim() === '' ? '(no answer)' : said },
        { role: 'user', content: fillTemplate(prompts[repairPrompt(outcome)], values) },
      );
    }
    return told;
  }

  /**
   * `run` is the first execution's run id. Each candidate has a place of its own in the ledger, so that an answered call is
   * never made again and equal prompts of two samples are two calls.
   */
  return async (
    run: string,
    { at, sample, repair }: CandidatePlace,
    problem: FunctionInstance,
    asking: Asking,
    earlier: readonly CandidateOutcome[],
    signal: AbortSignal,
  ): Promise<ModelAnswer> => {
    const configured = profileNamed(config, asking.solver);
    const profile = { ...configured, ...samplingOf(configured, asking, problem.id, sample) };
    const { reply, usage } = await ask({
      run: `${run}/${at}-${sample}`,
      turn: repair + 1,
      attempt: 0,
      name: asking.solver,
      profile,
      request: { messages: await messages(problem, profile, asking, earlier) },
      ...(asking.budget ? { budget: asking.budget } : {}),
      signal,
    });
    return { text: reply.content ?? '', cut: whereCut(reply), usage };
  };
}

/**
 * Temperature and top-p of the evaluation, and a seed a sample for servers that know one. `extraBody` still stands over them:
 * `seed: null` leaves the field out where a server refuses it.
 */
function samplingOf(
  { extraBody }: ModelProfile,
  { temperature, topP, seed }: Asking,
  problem: string,
  sample: number,
): Pick<ModelProfile, 'temperature' | 'topP' | 'extraBody'> {
  const drawn = uniformBelow(hashKey(`sample ${seed} ${problem} ${sample}`), 2 ** 31);
  return { temperature, topP, extraBody: { seed: drawn, ...extraBody } };
}

function shortened(detail: string): string {
  const { head, tail, elided } = cutMiddle(detail, FEEDBACK);
  return elided === 0 ? head : `${head}\n[${elided} characters left out]\n${tail}`;
}
