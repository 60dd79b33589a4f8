import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { nearest } from '../contract';
import { campaign } from './campaign';
import { covariateShift } from './covariate-shift';
import { dataset } from './dataset';
import { evaluation } from './evaluation';
import { failureAnalysis } from './failure-analysis';
import { functionProblem } from './function-problem';
import { functionProblems } from './function-problems';
import { grade } from './grade';
import { janitor } from './janitor';
import { line } from './line';
import { problemCheck } from './problem-check';
import { problemInit } from './problem-init';
import { repoSetup } from './repo-setup';
import { report } from './report';
import { rollout } from './rollout';
import { setupVerdict } from './setup-verdict';

export {
  campaign,
  covariateShift,
  dataset,
  evaluation,
  failureAnalysis,
  functionProblem,
  functionProblems,
  grade,
  janitor,
  line,
  problemCheck,
  problemInit,
  report,
  repoSetup,
  rollout,
  setupVerdict,
};

const TYPES = [
  'rollout',
  'campaign',
  'dataset',
  'grade',
  'problemInit',
  'problemCheck',
  'repoSetup',
  'setupVerdict',
  'functionProblems',
  'functionProblem',
  'evaluation',
  'covariateShift',
  'failureAnalysis',
  'line',
  'report',
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
