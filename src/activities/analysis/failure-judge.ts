import { createHash } from 'node:crypto';
import { openPython } from '@pointsman/python';
import type { FailureEvidence } from '../../analysis/failures/evidence';
import { FAILURE_PROMPTS, judgeRequest, readReply } from '../../analysis/failures/judge-prompt';
import { judgeByRules, RULES } from '../../analysis/failures/rules';
import { profileNamed } from '../../config';
import type { FailureVerdict, JudgedFailure, Ref, SharedBudget, UnresolvedRollout } from '../../contract';
import type { Deps } from '../../deps';
import { createAsker } from '../ask';
import { promptFiles } from '../prompts';

export interface Judging {
  readonly judge: string;
  readonly lastTurns: number;
  readonly budget?: SharedBudget;
}

type Said = Pick<FailureVerdict, 'category' | 'description' | 'reply'> & Pick<JudgedFailure, 'cost'>;

const FREE = { usd: 0, tokens: 0 };
/** Characters of a test log that are looked at: where tests stop is at its end. */
const LOG = 200_000;
/** A token takes three characters at least, in nearly all text. */
const CHARACTERS_PER_TOKEN = 3;

/** Says why one rollout failed, by rules or by a model whose answered call is never paid for twice. */
export function createFailureJudge(deps: Deps) {
  const { blobs, transcripts, config } = deps;
  const ask = createAsker(deps);
  const text = async ({ sha256 }: Ref) => (await blobs.get(sha256)).toString('utf8');

  return async (
    run: string,
    failed: UnresolvedRollout,
    judging: Judging,
    signal: AbortSignal,
  ): Promise<JudgedFailure> => {
    const evidence = await evidenceOf(failed);
    const said =
      judging.judge === RULES ? byRules(evidence, judging) : await byModel(run, failed, evidence, judging, signal);
    const { cost, ...found } = said;
    const { id, instance, method } = failed;
    const verdict = { id, instance, method, submitted: failed.result.status === 'submitted', ...found };
    return { id, verdict, cost };
  };

  function byRules(evidence: FailureEvidence, { lastTurns }: Judging): Said {
    return { ...judgeByRules(evidence, lastTurns), reply: null, cost: FREE };
  }

  async function byModel(
    run: string,
    { id }: UnresolvedRollout,
    evidence: FailureEvidence,
    { judge, lastTurns, budget }: Judging,
    signal: AbortSignal,
  ): Promise<Said> {
    const profile = profileNamed(config, judge);
    const prompts = promptFiles('failures', FAILURE_PROMPTS, profile.view);
    const room = Math.max(1_000, profile.contextTokens - profile.maxOutputTokens);
    const request = judgeRequest(evidence, prompts, { lastTurns, characters: room * CHARACTERS_PER_TOKEN });
    const { reply, usage } = await ask({
      run: `${run}/${createHash('sha256').update(id).digest('hex').slice(0, 32)}`,
      turn: 1,
      attempt: 0,
      name: judge,
      profile,
      request,
      budget,
      signal,
    });
    const said = reply.content ?? '';
    const cost = { usd: usage.costUsd, tokens: usage.promptTokens + usage.completionTokens };
    return { ...readReply(said), reply: await blobs.put(said), cost };
  }

  async function evidenceOf({ instance, result }: UnresolvedRollout): Promise<FailureEvidence> {
    const { opening, steps } = await transcripts.load(result.head);
    const { status, detail, patch, grade } = result;
    return {
      instance: instance === '' ? opening.problemId : instance,
      statement: opening.statement,
      status,
      detail,
      steps,
      patch: patch ? await text(patch) : '',
      verdict: grade?.verdict ?? null,
      failing: [...(grade?.failToPass.missing ?? []), ...(grade?.passToPass.missing ?? [])],
      testLog: grade ? (await text(grade.log)).slice(-LOG) : '',
      unparsable: await unparsable(steps),
    };
  }

  /** Python files that the editor left unreadable: the last state of each that it wrote. */
  async function unparsable(steps: FailureEvidence['steps']): Promise<string[]> {
    const last = new Map<string, Ref | null>();
    for (const { edit } of steps) if (edit?.path.endsWith('.py')) last.set(edit.path, edit.after);
    const python = await openPython();
    const broken: string[] = [];
    for (const [path, after] of last) {
      const [error] = after ? python.parse(path, await text(after)).errors : [];
      if (error) broken.push(`${path}, line ${error.line}`);
    }
    return broken.sort();
  }
}
