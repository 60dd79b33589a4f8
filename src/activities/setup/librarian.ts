import { profileNamed } from '../../config';
import type {
  ExperienceDraft,
  ExperienceUnit,
  Judgement,
  SharedBudget,
  Situation,
  Suggestion,
  UnitVerdict,
  Usage,
} from '../../contract';
import type { Deps } from '../../deps';
import {
  AuditAnswer,
  auditByRules,
  auditPrompt,
  checkedAudit,
  checkedChoice,
  checkedDrafts,
  ExtractAnswer,
  type ExtractOptions,
  extractByRules,
  extractPrompt,
  judgementOf,
  type Prompt,
  RerankAnswer,
  rerankByRules,
  rerankPrompt,
  SameAnswer,
  sameCauseSameFix,
  samePrompt,
} from '../../setup/experience';
import { readJsonObject } from '../../setup/read-json';
import { createAsker } from '../ask';
import { promptFiles } from '../prompts';

/** Who picks, audits and writes experience for a run, and on which account. */
export interface Librarian {
  readonly run: string;
  /** Profile name, or `builtin:…` for rules. */
  readonly policy: string;
  readonly budget?: SharedBudget;
}

export interface Answered<T> {
  readonly answer: T;
  readonly usage: Usage;
}

type QuestionFile = 'rerank' | 'audit' | 'extract' | 'same';

interface Question<Read, Answer> {
  /** Tells the questions of one run apart. */
  readonly name: string;
  /** Its file in `prompts/experience`. */
  readonly file: QuestionFile;
  readonly prompt: (system: string) => Prompt;
  readonly read: (value: unknown) => Read;
  /** What of a model's answer stands. */
  readonly checked: (answer: Read) => Answer;
  readonly rules: () => Answer;
}

type Moments = Parameters<typeof auditByRules>[1];

export const FREE: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0 };

/** The librarian's four questions. A model's answer that cannot be read is nobody's: the rules answer instead. */
export function createLibrarian(deps: Deps) {
  const ask = createAsker(deps);

  async function answered<Read, Answer>(
    { run, policy, budget }: Librarian,
    { name, file, prompt, read, checked, rules }: Question<Read, Answer>,
    signal: AbortSignal,
  ): Promise<Answered<Answer>> {
    if (policy.startsWith('builtin:')) return { answer: rules(), usage: FREE };
    const profile = profileNamed(deps.config, policy);
    const { system, user } = prompt(promptFiles('experience', [file], profile.view)[file]);
    const request = {
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: user },
      ],
    };
    const call = { run: `${run}/${name}`, turn: 1, attempt: 0, name: policy, profile, request, signal };
    const { reply, usage } = await ask({ ...call, budget });
    const found = readable(() => read(readJsonObject(reply.content ?? '')));
    return { answer: found ? checked(found.value) : rules(), usage };
  }

  return {
    /** Which of the units on offer may help, best first; none is an answer too. */
    async rerank(
      who: Librarian & { readonly turn: number; readonly most: number },
      offered: readonly Suggestion[],
      situation: Situation,
      signal: AbortSignal,
    ): Promise<Answered<Suggestion[]>> {
      const pick = (chosen: readonly { unit: string }[]) =>
        chosen.flatMap(({ unit }) => offered.filter((each) => each.unit === unit)).slice(0, who.most);
      return answered(
        who,
        {
          name: `rerank-${who.turn}`,
          file: 'rerank',
          prompt: (system) => rerankPrompt(system, offered, situation, who.most),
          read: (value) => RerankAnswer.parse(value),
          checked: (answer) => pick(checkedChoice(offered, answer, who.most)),
          rules: () => pick(rerankByRules(offered, situation, who.most).chosen),
        },
        signal,
      );
    },

    /** Whether the units of one retrieval helped, as the steps after it show. */
    async audit(
      who: Librarian,
      anchor: string,
      about: Parameters<typeof auditByRules>[0],
      moments: Moments,
      signal: AbortSignal,
    ): Promise<Answered<UnitVerdict[]>> {
      const shown = about.units.map(({ unit }) => unit);
      return answered(
        who,
        {
          name: `audit-${anchor}`,
          file: 'audit',
          prompt: (system) => auditPrompt(system, about, moments),
          read: (value) => AuditAnswer.parse(value),
          checked: ({ verdicts }) => checkedAudit(shown, verdicts).accepted,
          rules: () => auditByRules(about, moments),
        },
        signal,
      );
    },

    /** Units that a finished run teaches, and why others that a model wrote are none. */
    async extract(
      who: Librarian,
      moments: Moments,
      options: ExtractOptions,
      signal: AbortSignal,
    ): Promise<Answered<{ drafts: ExperienceDraft[]; refused: string[] }>> {
      return answered(
        who,
        {
          name: 'extract',
          file: 'extract',
          prompt: (system) => extractPrompt(system, moments, options),
          read: (value) => ExtractAnswer.parse(value),
          checked: (answer) => checkedDrafts(answer, moments, options),
          rules: () => ({ drafts: extractByRules(moments, options), refused: [] }),
        },
        signal,
      );
    },

    /** Whether a draft says what its nearest unit says. `at` is the draft's place among those of the run. */
    async same(
      who: Librarian,
      at: number,
      draft: ExperienceDraft,
      nearest: ExperienceUnit,
      signal: AbortSignal,
    ): Promise<Answered<Judgement>> {
      const version = nearest.version ?? 1;
      return answered(
        who,
        {
          name: `same-${at}-${nearest.id}-${version}`,
          file: 'same',
          prompt: (system) => samePrompt(system, draft, nearest),
          read: (value) => SameAnswer.parse(value),
          checked: (answer) => judgementOf(answer, nearest),
          rules: () => ({ nearest: nearest.id, version, ...sameCauseSameFix(draft, nearest) }),
        },
        signal,
      );
    },
  };
}

function readable<T>(read: () => T): { value: T } | undefined {
  try {
    return { value: read() };
  } catch {
    return undefined;
  }
}
