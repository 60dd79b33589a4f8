import { defineQuery } from '@temporalio/workflow';
import type { FunctionProblemsProgress, LineProgress, RolloutProgress, SetupProgress } from '../../contract';
import type { RecentTurn } from './rollout-state';
import type { RecentStep } from './setup-state';

export const progressQuery = defineQuery<RolloutProgress>('progress');
export const transcriptQuery = defineQuery<{ head: string; recent: readonly RecentTurn[] }>('transcript');
export const setupProgressQuery = defineQuery<SetupProgress>('progress');
export const setupTranscriptQuery = defineQuery<{ head: string; recent: readonly RecentStep[] }>('transcript');
export const functionProgressQuery = defineQuery<FunctionProblemsProgress>('progress');
export const lineProgressQuery = defineQuery<LineProgress>('progress');
