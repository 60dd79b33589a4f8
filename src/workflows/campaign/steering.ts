import { defineUpdate, setHandler } from '@temporalio/workflow';
import { type CampaignBudget, type CampaignCarry, SetCampaignBudget, SetRate } from '../../contract';
import { checked, refuse } from '../durable/input';
import { changedBudget } from './gate';

const setRateUpdate = defineUpdate<SetRate, [SetRate]>('setRate');
const setBudgetUpdate = defineUpdate<CampaignBudget, [SetCampaignBudget]>('setBudget');

/** What people can change of a campaign while it runs, beyond what every window has: its rate and its budget. */
export function steerCampaign(state: CampaignCarry, changed: () => void): void {
  setHandler(
    setRateUpdate,
    ({ startsPerMinute }) => {
      Object.assign(state, { startsPerMinute, nextStart: Date.now() });
      changed();
      return { startsPerMinute };
    },
    {
      description: '{"startsPerMinute": 30}: rollouts begun a minute; null for as many as there is room for.',
      validator: (rate) => void checked(SetRate, rate, 'setRate'),
    },
  );
  setHandler(
    setBudgetUpdate,
    (change) => {
      if (change.totalUsd !== undefined) state.total = { setAt: Date.now(), spent: false };
      state.budget = changedBudget(state.budget, change);
      changed();
      return state.budget;
    },
    {
      description: '{"totalUsd": 50, "dailyUsd": 10}: caps counted from the start; null takes one off.',
      validator: (change) => {
        checked(SetCampaignBudget, change, 'setBudget');
        if (!state.set) refuse('setBudget: the campaign still reads its problems', 'Try again in a moment.');
        const [unpriced] = state.set.unpriced;
        if (unpriced !== undefined) refuse(`setBudget: the profile ${unpriced} has no price to count by`);
      },
    },
  );
}
