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

export function queuesUnder(workflows: string): Queues {
  return {
    workflows,
    sandboxes: `${workflows}-sandboxes`,
    model: (profile) => `${workflows}-model-${profile}`,
    host: (name) => `${workflows}-host-${name}`,
  };
}
