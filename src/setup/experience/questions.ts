import { z } from 'zod';
import {
  AtomName,
  type ExperienceDraft,
  type ExperienceUnit,
  type Judgement,
  type SetupMoment,
  type Situation,
  type Suggestion,
} from '../../contract';
import { fillTemplate } from '../../rollout/prompts';
import { AUDITED_STEPS, type AuditAnchor } from './audit';
import type { ExtractOptions } from './extract';

/** What a model-backed role is asked. The answer is one JSON object of the schema that stands beside each prompt. */
export interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Output of programs and files of strangers: shown as data, whatever it says. */
function data(name: string, text: string, most = 4_000): string {
  const cut =
    text.length <= most
      ? text
      : `${text.slice(0, most / 2)}\n[${text.length - most} characters left out]\n${text.slice(-most / 2)}`;
  return `<${name}>\n${cut.replaceAll(`</${name}>`, `< /${name}>`)}\n</${name}>`;
}

export const RerankAnswer = z.object({
  chosen: z.array(z.object({ unit: z.string(), why: z.string() })).default([]),
});
export type RerankAnswer = z.infer<typeof RerankAnswer>;

export function rerankPrompt(system: string, suggestions: readonly Suggestion[], situation: Situation, k = 3): Prompt {
  return {
    system: fillTemplate(system.trimEnd(), { most: `${k}` }),
    user: [
      data('situation', situation.summary, 1_500),
      data('command', situation.command ?? '(none)', 1_000),
      data('error', situation.error),
      ...suggestions.map(({ unit, advice, matched, similarity, telemetry }) => {
        const record = telemetry ? `worked ${telemetry.successes}, failed ${telemetry.failures}` : 'no record';
        return data(
          'note',
          `id: ${unit}\nsimilarity: ${similarity.toFixed(2)} (${matched.join(', ')})\nrecord: ${record}\n${advice.join('\n')}`,
          1_500,
        );
      }),
    ].join('\n\n'),
  };
}

/** A model's choice as it may be used: only what was offered, each once, at most `k`. */
export function checkedChoice(offered: readonly Suggestion[], answer: RerankAnswer, k = 3): RerankAnswer['chosen'] {
  const known = new Set(offered.map(({ unit }) => unit));
  const chosen = answer.chosen.filter(({ unit }) => known.delete(unit));
  return chosen.slice(0, k);
}

/** Loose on purpose: each verdict is checked by itself in `checkedAudit`, and a bad one must not cost the others. */
export const AuditAnswer = z.object({ verdicts: z.array(z.unknown()).default([]) });
export type AuditAnswer = z.infer<typeof AuditAnswer>;

export function auditPrompt(system: string, anchor: AuditAnchor, moments: readonly SetupMoment[]): Prompt {
  return {
    system: fillTemplate(system.trimEnd(), {}),
    user: [
      data('stuck-on', `${anchor.command ?? '(no command)'}\n${anchor.error}`, 2_000),
      ...anchor.units.map(({ unit, advice, commands }) =>
        data('note', `id: ${unit}\n${advice.join('\n')}\n${commands.join('\n')}`, 1_000),
      ),
      ...moments.slice(0, AUDITED_STEPS).map((moment) => data('step', stepText(moment), 1_200)),
    ].join('\n\n'),
  };
}

function stepText({ turn, action, command, exitCode, output, undone, unit }: SetupMoment): string {
  const marks = [unit ? `tries note ${unit}` : '', undone ? 'rolled back later' : ''].filter(Boolean).join(', ');
  return `turn ${turn}, ${action}${marks ? ` (${marks})` : ''}\n$ ${command ?? ''}\nexit code: ${exitCode ?? 'none'}\n${output}`;
}

/** Loose on purpose: each unit is checked by itself in `checkedDrafts`, and a bad one must not cost the others. */
export const ExtractAnswer = z.object({ units: z.array(z.unknown()).default([]), why: z.string().default('') });
export type ExtractAnswer = z.infer<typeof ExtractAnswer>;

const STEPS = 40;

export function extractPrompt(system: string, moments: readonly SetupMoment[], options: ExtractOptions): Prompt {
  return {
    system: fillTemplate(system.trimEnd(), { atoms: AtomName.options.join(', ') }),
    user: [
      data('facts', JSON.stringify(options.facts)),
      data('verdict', options.verdict ?? 'none'),
      ...options.charges.map((charge) => data('charge', charge, 800)),
      ...moments
        .slice(-STEPS)
        .map((moment) =>
          data(
            'step',
            `turn ${moment.turn}, ${moment.action}${moment.undone ? ', rolled back' : ''}\n$ ${moment.command ?? ''}\nexit code: ${moment.exitCode ?? 'none'}\n${moment.output}`,
            1_200,
          ),
        ),
    ].join('\n\n'),
  };
}

export const SameAnswer = z.object({
  same: z.boolean(),
  /** The merged advice, where they are the same; as long as a unit's may be. */
  advice: z.array(z.string().min(1).max(2_000)).max(5).default([]),
  why: z.string().default(''),
});
export type SameAnswer = z.infer<typeof SameAnswer>;

export function samePrompt(system: string, draft: ExperienceDraft, nearest: ExperienceUnit): Prompt {
  return {
    system: fillTemplate(system.trimEnd(), {}),
    user: [data('known-note', noteText(nearest)), data('new-note', noteText(draft))].join('\n\n'),
  };
}

function noteText({ signals, advice_nl, atoms }: ExperienceDraft | ExperienceUnit): string {
  return JSON.stringify({ signals, advice_nl, atoms }, null, 1);
}

/** The answer as a judgement on the neighbour as it was when it was asked about. */
export function judgementOf(answer: SameAnswer, nearest: ExperienceUnit): Judgement {
  return {
    nearest: nearest.id,
    version: nearest.version ?? 1,
    same: answer.same,
    ...(answer.same && answer.advice.length > 0 ? { advice: answer.advice } : {}),
    why: answer.why,
  };
}
