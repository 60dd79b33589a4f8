import { z } from 'zod';
import type { SetupMoment } from '../../../contract';
import { AUDITED_STEPS, type AuditAnchor } from '../audit';
import { DATA_RULE, data, JSON_RULE, type Prompt } from './prompt';

/** Loose on purpose: each verdict is checked by itself in `checkedAudit`, and a bad one must not cost the others. */
export const AuditAnswer = z.object({ verdicts: z.array(z.unknown()).default([]) });
export type AuditAnswer = z.infer<typeof AuditAnswer>;

export function auditPrompt(anchor: AuditAnchor, moments: readonly SetupMoment[]): Prompt {
  return {
    system: [
      'A set-up agent was shown notes when it was stuck. You judge from the steps that followed whether each note helped.',
      'success: the agent did what the note says (with its own words or another command too) and the error that it was stuck on is gone.',
      'failure: the agent did what the note says, and the error stayed, or something new broke and the step was taken back.',
      'neutral: the agent did something else, or the steps do not show what came of it. An exit code of 0 alone shows nothing.',
      'Judge every note that is listed, and no other.',
      DATA_RULE,
      `${JSON_RULE} Its form: {"verdicts": [{"unit": "ID", "verdict": "success" | "failure" | "neutral", "why": "one sentence"}]}`,
    ].join('\n'),
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
