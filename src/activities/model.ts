import { profileNamed } from '../config';
import { type Endpoint, hasOwnQueue } from '../contract';
import type { Deps } from '../deps';
import { createChatModel, requirePrice } from '../model';
import { placeOf } from './ask';
import { withHeartbeat } from './heartbeat';

export interface CheckedProfiles {
  /** Profiles that are asked on a task queue of their own. */
  readonly ownQueue: readonly string[];
  /** `timeoutSeconds` of each. */
  readonly timeoutSeconds?: Readonly<Record<string, number>>;
  /** Profiles whose turns people make; absent where there are none. */
  readonly persons?: readonly string[];
}

export function createModelActivities(deps: Deps) {
  const { config, env } = deps;

  return {
    /**
     * Refuses a run before it starts: unknown profiles, missing keys, a cost cap over an unknown price. Names the profiles
     * that have a task queue of their own (the others are called from where workflows run), and how long each may take.
     * People are let in by `persons` alone: they make turns of rollouts, and answer no other question.
     */
    async checkProfiles(input: {
      profiles: readonly string[];
      capUsd?: number;
      persons?: boolean;
      /** Where a rollout asks some of them instead. */
      endpoints?: readonly { readonly profile: string; readonly endpoint: Endpoint }[];
    }): Promise<CheckedProfiles> {
      return withHeartbeat(async () => {
        const ownQueue: string[] = [];
        const persons: string[] = [];
        const timeoutSeconds: Record<string, number> = {};
        for (const name of input.profiles) {
          const profile = profileNamed(config, name);
          requirePrice(name, profile.price, input.capUsd);
          timeoutSeconds[name] = profile.timeoutSeconds;
          if (input.persons && profile.provider === 'person') persons.push(name);
          else if (hasOwnQueue(profile)) ownQueue.push(name);
          else if (!input.endpoints?.some((each) => each.profile === name)) createChatModel(profile, { name, env });
        }
        for (const { profile: name, endpoint } of input.endpoints ?? []) {
          const { profile, session } = await placeOf(deps, name, endpoint);
          createChatModel(profile, { name, env, session });
        }
        return { ownQueue, timeoutSeconds, ...(persons.length > 0 ? { persons } : {}) };
      });
    },
  };
}
