import { openPython } from '@pointsman/python';
import { profileNamed } from '../../config';
import type { ChatMessage, HarnessAttempt, HarnessGates, Ref, SharedBudget, Usage } from '../../contract';
import type { Deps } from '../../deps';
import { casesApi } from '../../environments/harness/pytest-bundle';
import { whereCut } from '../../model';
import {
  authorValues,
  HARNESS_PROMPTS,
  type HarnessPrompt,
  systemPrompt,
} from '../../problems/equivalence/author-prompt';
import { readHarness } from '../../problems/equivalence/read-harness';
import { repairFeedback } from '../../problems/equivalence/repair';
import { refineValues, SPECIFICATION_PROMPTS } from '../../problems/specification/refine';
import { fillTemplate } from '../../rollout/prompts';
import { createAsker } from '../ask';
import { withHeartbeat } from '../heartbeat';
import { promptFiles } from '../prompts';
import { type AuthoredHarness, type HarnessReport, jsonBlobs, type KeptFunction } from './function-reports';

interface Asked {
  /** First execution's run id: the ledger's key together with `turn`. */
  readonly run: string;
  readonly turn: number;
  readonly prepared: Ref;
  readonly budget?: SharedBudget;
}

export interface AskForHarnessInput extends Asked {
  readonly attempt: HarnessAttempt;
  /** What was said before, and what came of it: null for the first question. */
  readonly earlier: { readonly conversation: Ref; readonly report: Ref } | null;
  readonly gates: HarnessGates;
  /** Cases at most. */
  readonly cases: number;
}

export interface AskForDocstringInput extends Asked {
  readonly profile: string;
  /** Of the harness that was admitted. */
  readonly report: Ref;
}

export function createHarnessAuthorActivities(deps: Deps) {
  const { config } = deps;
  const blobs = jsonBlobs(deps.blobs);
  const ask = createAsker(deps);

  /** What the model is told of its last answer. */
  async function afterwards(
    kept: KeptFunction,
    { earlier, gates }: AskForHarnessInput,
    prompts: Readonly<Record<HarnessPrompt, string>>,
  ): Promise<ChatMessage[]> {
    if (!earlier) return [];
    const said = await blobs.read<ChatMessage[]>(earlier.conversation);
    const { record } = await blobs.read<HarnessReport>(earlier.report);
    const { troubles, quality } = record;
    const [trouble] = troubles;
    const content =
      trouble?.failure === 'malformed'
        ? fillTemplate(prompts['repair-unreadable'], { feedback: troubles.map(({ message }) => message).join('\n') })
        : fillTemplate(prompts.repair, {
            name: kept.target.name,
            feedback: repairFeedback({
              troubles,
              quality,
              gates,
              lines: kept.target.lines,
              text: (await deps.blobs.get(kept.text.sha256)).toString('utf8'),
            }),
          });
    return [...said, { role: 'user', content }];
  }

  return {
    /**
     * Asks a model for a harness, or for a better one with what came of the last. Retry-safe: an answered call is in the
     * ledger before this returns, and all it writes is content-addressed.
     */
    async askForHarness(input: AskForHarnessInput): Promise<AuthoredHarness & { readonly usage: Usage }> {
      return withHeartbeat(async (signal) => {
        const { run, turn, attempt, cases, budget, earlier } = input;
        const { author, context, mode } = attempt;
        const profile = profileNamed(config, author);
        const prompts = promptFiles('harness', HARNESS_PROMPTS, profile.view);
        const kept = await blobs.read<KeptFunction>(input.prepared);
        const { target, forAuthors: contexts } = kept;
        const messages: ChatMessage[] = earlier
          ? await afterwards(kept, input, prompts)
          : [
              { role: 'system', content: fillTemplate(prompts[systemPrompt(mode)], { cases_api: casesApi() }) },
              {
                role: 'user',
                content: fillTemplate(prompts.task, authorValues({ target, contexts, context, most: cases })),
              },
            ];
        const call = { run: `${run}/author`, turn, attempt: 0, name: author, profile, request: { messages }, signal };
        const given = await ask({ ...call, budget });
        const reply = given.reply.content ?? '';
        const read = readHarness(await openPython(), reply, { author, context, mode, limit: cases });
        return {
          harness: read.harness ? await blobs.keep(read.harness) : null,
          refusal: read.harness ? '' : read.troubles.map(({ message }) => message).join('\n') + whereCut(given.reply),
          conversation: await blobs.keep([...messages, { role: 'assistant', content: reply || '(no answer)' }]),
          final: false,
          usage: given.usage,
        };
      });
    },

    /** Asks a model for a better docstring. Its reply is read when the function is concluded. Retry-safe as above. */
    async askForDocstring(input: AskForDocstringInput): Promise<{ readonly reply: Ref; readonly usage: Usage }> {
      return withHeartbeat(async (signal) => {
        const { run, turn, budget } = input;
        const profile = profileNamed(config, input.profile);
        const prompts = promptFiles('specification', SPECIFICATION_PROMPTS, profile.view);
        const { described, forAuthors, signature } = await blobs.read<KeptFunction>(input.prepared);
        const { measured, validation } = await blobs.read<HarnessReport>(input.report);
        const values = refineValues({
          described,
          signature,
          context: forAuthors.sliced,
          calls: validation?.calls ?? [],
          cases: measured?.harness.source ?? '',
        });
        const messages: ChatMessage[] = [
          { role: 'system', content: fillTemplate(prompts.system, {}) },
          { role: 'user', content: fillTemplate(prompts.task, values) },
        ];
        const call = {
          run: `${run}/refiner`,
          turn,
          attempt: 0,
          name: input.profile,
          profile,
          request: { messages },
          signal,
        };
        const given = await ask({ ...call, budget });
        return { reply: await deps.blobs.put(given.reply.content ?? ''), usage: given.usage };
      });
    },
  };
}
