/**
 * Task queues, all under the name of the queue that workflows are started on: two fleets on one server do not meet.
 * `model` queues carry a provider's rate limit; `sandboxes` is polled by hosts with room; a `host` queue by that host alone.
 */
export interface Queues {
  readonly workflows: string;
  readonly sandboxes: string;
  model(profile: string): string;
  host(name: string): string;
}

export const DEFAULT_QUEUE = 'pointsman';

/**
 * `build` is that of a worker deployment, where there is one: it stands in the names of host queues, which are in no version
 * of the deployment then. A version has a hundred queues at most, and every host has one.
 */
export function queuesUnder(workflows: string, build?: string): Queues {
  return {
    workflows,
    sandboxes: `${workflows}-sandboxes`,
    model: (profile) => `${workflows}-model-${profile}`,
    host: (name) => `${workflows}-host-${name}${build === undefined ? '' : `@${build}`}`,
  };
}

/**
 * What lists and filters in the Temporal UI and CLI can ask for. The worker registers them at start. SQL visibility has
 * few columns of each type (10 Keyword, 3 of each other), so a new one must be worth a column.
 */
export const SEARCH_ATTRIBUTES = {
  InstanceId: 'KEYWORD',
  Student: 'KEYWORD',
  Expert: 'KEYWORD',
  Phase: 'KEYWORD',
  Outcome: 'KEYWORD',
  Step: 'INT',
  SwitchIndex: 'INT',
  CostUsd: 'DOUBLE',
  Resolved: 'BOOL',
} as const;
export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;
