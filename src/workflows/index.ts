import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { nearest } from '../contract';
import { evaluation } from './evaluation';
import { functionProblem } from './function-problem';
import { functionProblems } from './function-problems';
import { grade } from './grade';
import { janitor } from './janitor';
import { problemCheck } from './problem-check';
import { problemInit } from './problem-init';
import { repoSetup } from './repo-setup';
import { rollout } from './rollout';
import { setupVerdict } from './setup-verdict';

export {
  evaluation,
  functionProblem,
  functionProblems,
  grade,
  janitor,
  problemCheck,
  problemInit,
  repoSetup,
  rollout,
  setupVerdict,
};

const TYPES = [
  'rollout',
  'grade',
  'problemInit',
  'problemCheck',
  'repoSetup',
  'setupVerdict',
  'functionProblems',
  'functionProblem',
  'evaluation',
  'janitor',
];

/** Any other type name. Without this a mistyped `--type` would hang for ever instead of failing. */
export default async function unknown(): Promise<never> {
  const { workflowType } = workflowInfo();
  const close = nearest(workflowType, TYPES);
  throw ApplicationFailure.nonRetryable(
    `no workflow type "${workflowType}"${close ? `, did you mean "${close}"?` : ''} (known: ${TYPES.join(', ')})`,
    'InvalidInput',
  );
}
