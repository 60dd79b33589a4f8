import { workflowInfo } from '@temporalio/workflow';
import { type Queues, queuesUnder } from '../../contract';

/** The queues beside the one that this workflow is on; those of hosts are of its own build where there are builds. */
export function ownQueues(): Queues {
  const { taskQueue, currentDeploymentVersion: version } = workflowInfo();
  // Without a deployment the SDK gives a build of its own making.
  return queuesUnder(taskQueue, version?.deploymentName ? version.buildId : undefined);
}
