import { createCampaignActivities } from './campaign';
import { createCampaignEndingActivities } from './campaign-endings';
import { createCovariateShiftActivities } from './covariate-shift';
import { createDatasetActivities } from './dataset';
import type { Deps } from './deps';
import { createEvaluationActivities } from './evaluation';
import { createEvaluationResultActivities } from './evaluation-results';
import { createFailureAnalysisActivities } from './failure-analysis';
import { createFunctionProblemActivities } from './function-problem';
import { createFunctionProblemsActivities } from './function-problems';
import { createGradingActivities } from './grading';
import { createHarnessAuthorActivities } from './harness-author';
import { createJanitorActivities } from './janitor';
import { createLineActivities } from './line';
import { createModelActivities } from './model';
import { createProblemActivities } from './problem';
import { createReportActivities } from './report';
import { createSandboxActivities } from './sandbox';
import { createSetupEvidenceActivities } from './setup-evidence';
import { createSetupMemoryActivities } from './setup-memory';
import { createSetupMoveActivities } from './setup-moves';
import { createSetupPrepareActivities } from './setup-prepare';
import { createSetupRaceActivities } from './setup-race';
import { createSetupResultActivities } from './setup-result';
import { createSetupSandboxActivities } from './setup-sandbox';
import { createTranscriptActivities } from './transcript';

/** All activities of this process, by the name that workflows call. */
export function createActivities(deps: Deps) {
  return {
    ...createModelActivities(deps),
    ...createSandboxActivities(deps),
    ...createTranscriptActivities(deps),
    ...createProblemActivities(deps),
    ...createGradingActivities(deps),
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
    ...createCampaignEndingActivities(deps),
    ...createLineActivities(deps),
    ...createReportActivities(deps),
  };
}
