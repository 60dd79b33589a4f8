import { createHash } from 'node:crypto';

/** What a container, image or network is for. The janitor removes what carries a run that no longer runs. */
export interface Owner {
  /** Workflow id, as in the Temporal UI. */
  readonly workflowId: string;
  /** Run id of the first execution: stays the same through continue-as-new and reset. */
  readonly firstRunId: string;
}

export const LABEL = {
  managed: 'pointsman',
  workflow: 'pointsman.workflow',
  run: 'pointsman.run',
  /** Server and namespace that the run belongs to: janitors of two servers on one engine do not meet. */
  scope: 'pointsman.scope',
  frame: 'pointsman.frame',
  role: 'pointsman.role',
  /** Places that it takes, and those that its run keeps. */
  takes: 'pointsman.takes',
  keeps: 'pointsman.keeps',
  /** `run`: leased to its workflow. `environment`: kept until somebody removes it. */
  lease: 'pointsman.lease',
} as const;

export function runLabels(owner: Owner): Record<string, string> {
  return {
    [LABEL.managed]: '1',
    [LABEL.lease]: 'run',
    [LABEL.workflow]: owner.workflowId,
    [LABEL.run]: owner.firstRunId,
  };
}

/** Engine names allow few characters and workflow ids nearly all: a digest names the run, labels tell it in full. */
export function runName(owner: Owner, role: string): string {
  const digest = createHash('sha256').update(`${owner.workflowId}\n${owner.firstRunId}`).digest('hex').slice(0, 16);
  return `pointsman-${digest}-${role}`;
}
