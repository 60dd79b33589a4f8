import { defineQuery } from '@temporalio/workflow';
import type { RolloutProgress } from '../../contract';
import type { RecentTurn } from './rollout-state';

export const progressQuery = defineQuery<RolloutProgress>('progress');
export const transcriptQuery = defineQuery<{ head: string; recent: readonly RecentTurn[] }>('transcript');
