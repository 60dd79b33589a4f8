import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { nearest } from '../contract';
import { covariateShift } from './analysis/covariate-shift';
import { failureAnalysis } from './analysis/failure-analysis';
import { campaign } from './campaign';
import { regrade } from './campaign/regrade';
import { dataset } from './dataset';
import { drain } from './drain';
import { evaluation } from './evaluation';
import { grade } from './grading';
import { problemControls } from './grading/controls';
import { rolloutReview } from './grading/review';
import { janitor } from './janitor';
import { pipeline } from './pipeline';
import { problemCheck, problemInit } from './problems/check';
import { functionProblem } from './problems/function-problem';
import { functionProblems } from './problems/function-problems';
import { report } from './report';
import { rollout } from './rollout';
import { workspaceImage } from './rollout/workspace-image';
import { repoSetup } from './setup';
import { setupVerdict } from './setup/verdict';

export {
  campaign,
  covariateShift,
  dataset,
  drain,
  evaluation,
  failureAnalysis,
  functionProblem,
  functionProblems,
  grade,
  janitor,
  pipeline,
  problemCheck,
  problemControls,
  problemInit,
  regrade,
  report,
  repoSetup,
  rollout,
  rolloutReview,
  setupVerdict,
  workspaceImage,
};

const TYPES = [
  'rollout',
  'campaign',
  'regrade',
  'dataset',
  'grade',
  'problemInit',
  'problemCheck',
  'problemControls',
  'rolloutReview',
  'workspaceImage',
  'repoSetup',
  'setupVerdict',
  'functionProblems',
  'functionProblem',
  'evaluation',
  'covariateShift',
  'failureAnalysis',
  'pipeline',
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
