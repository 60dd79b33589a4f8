import type { Deps } from '../deps';
import { createCovariateShiftActivities } from './analysis/covariate-shift';
import { createFailureAnalysisActivities } from './analysis/failure-analysis';
import { createCampaignActivities } from './campaign/campaign';
import { createCampaignEndingActivities } from './campaign/endings';
import { createRegradeActivities } from './campaign/regrade';
import { createDatasetActivities } from './dataset/dataset';
import { createEvaluationActivities } from './evaluation/evaluation';
import { createEvaluationResultActivities } from './evaluation/results';
import { createGradingActivities } from './grading';
import { createControlActivities } from './grading/controls';
import { createReviewActivities } from './grading/review';
import { createJanitorActivities } from './janitor';
import { createModelActivities } from './model';
import { createPipelineActivities } from './pipeline';
import { createFunctionProblemActivities } from './problems/function-problem';
import { createFunctionProblemsActivities } from './problems/function-problems';
import { createHarnessAuthorActivities } from './problems/harness-author';
import { createProblemActivities } from './problems/problem';
import { createReportActivities } from './report';
import { createPersonActivities } from './rollout/person';
import { createSandboxActivities } from './rollout/sandbox';
import { createTranscriptActivities } from './rollout/transcript';
import { createTurnActivities } from './rollout/turn';
import { createSetupEvidenceActivities } from './setup/evidence';
import { createSetupMemoryActivities } from './setup/memory';
import { createSetupMoveActivities } from './setup/moves';
import { createSetupPrepareActivities } from './setup/prepare';
import { createSetupRaceActivities } from './setup/race';
import { createSetupResultActivities } from './setup/result';
import { createSetupSandboxActivities } from './setup/sandbox';
import { createUndoActivities } from './undo';

/** All activities of this process, by the name that workflows call. */
export function createActivities(deps: Deps) {
  return {
    ...createModelActivities(deps),
    ...createPersonActivities(deps),
    ...createSandboxActivities(deps),
    ...createUndoActivities(deps),
    ...createTurnActivities(deps),
    ...createTranscriptActivities(deps),
    ...createProblemActivities(deps),
    ...createGradingActivities(deps),
    ...createControlActivities(deps),
    ...createReviewActivities(deps),
    ...createJanitorActivities(deps),
    ...createSetupPrepareActivities(deps),
    ...createSetupSandboxActivities(deps),
    ...createSetupMoveActivities(deps),
    ...createSetupEvidenceActivities(deps),
    ...createSetupRaceActivities(deps),
    ...createSetupResultActivities(deps),
    ...createSetupMemoryActivities(deps),
    ...createFunctionProblemsActivities(deps),
    ...createFunctionProblemActivities(deps),
    ...createHarnessAuthorActivities(deps),
    ...createEvaluationActivities(deps),
    ...createEvaluationResultActivities(deps),
    ...createDatasetActivities(deps),
    ...createCovariateShiftActivities(deps),
    ...createFailureAnalysisActivities(deps),
    ...createCampaignActivities(deps),
    ...createRegradeActivities(deps),
    ...createCampaignEndingActivities(deps),
    ...createPipelineActivities(deps),
    ...createReportActivities(deps),
  };
}
