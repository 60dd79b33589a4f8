import type { CandidateOutcome, ContextKind, FunctionInstance } from '../contract';

/** Files of `prompts/evaluation/`, which a profile may replace one by one. Variables are written `{{name}}`. */
export const EVALUATION_PROMPTS = [
  /** no variables */
  'system',
  /** `context`, `kind`, `name`, `module`, `signature` */
  'task',
  /** as `task`, asking for a plan first */
  'task-plan',
  /** `name`, `feedback`: a candidate that ran and failed */
  'repair',
  /** `name`, `feedback`: a reply of which no candidate could be made */
  'repair-unreadable',
] as const;
export type EvaluationPrompt = (typeof EVALUATION_PROMPTS)[number];

/** What a solver is told of a problem. The reference is not among it. */
export function taskValues(
  { subject: { target }, contexts, signature }: FunctionInstance,
  context: ContextKind,
): Record<string, string> {
  return {
    context: contexts[context].trimEnd(),
    kind: target.kind === 'function' ? 'function' : 'method',
    name: target.name,
    module: target.module,
    signature: signature.trimEnd(),
  };
}

/** Which prompt answers a candidate that failed: there is nothing to learn from inputs that it never met. */
export function repairPrompt({ verdict }: Pick<CandidateOutcome, 'verdict'>): EvaluationPrompt {
  return verdict === 'unreadable' || verdict === 'misplaced' ? 'repair-unreadable' : 'repair';
}
