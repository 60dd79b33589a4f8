import { z } from 'zod';
import type { Action, Edit } from '../../contract/step';
import { fillTemplate } from '../prompts';
import type { Tool } from './tool';

const SubmitArgs = z.strictObject({});

export const submit: Tool = {
  name: 'submit',
  aliases: ['finish'],
  description: 'submits the current file',
  manual: 'Finish the interaction when the task is complete OR if the assistant cannot proceed further with the task.',
  params: [],
  args: SubmitArgs,
  line: { positional: [], options: [] },
  does: { kind: 'submit' },
};

export type SubmitDecision =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'review';
      /** What the model sees; the step is recorded like any other and the run goes on. */
      readonly observation: string;
    };

/**
 * What `submit` does. It is decided here, on the host, so that nothing a sandbox prints can end a run.
 * `diff` is the work directory's change so far, `review` the template `submit-review.md`.
 */
export function submitDecision(given: {
  readonly reviewEnabled: boolean;
  readonly reviewed: boolean;
  readonly diff: string;
  readonly review: string;
}): SubmitDecision {
  if (!given.reviewEnabled || given.reviewed) return { kind: 'accepted' };
  return { kind: 'review', observation: fillTemplate(given.review, { diff: given.diff }) };
}

/** Whether an earlier `submit` was answered with a review and no file was edited with the editor since. */
export function reviewedSinceLastEdit(
  steps: readonly { readonly turn: { readonly action: Action }; readonly edit?: Edit }[],
): boolean {
  for (const step of [...steps].reverse()) {
    if (step.turn.action.tool === submit.name) return true;
    if (step.edit) return false;
  }
  return false;
}
