import { setHandler } from '@temporalio/workflow';
import { SetBudget } from '../../contract';
import { checked, refuse } from './input';
import { setBudgetUpdate } from './steering';

/** Takes `setBudget` for a cap that the run has; refuses it, saying `without`, where it was started without one. */
export function takeCostCap(state: { costUsd?: number }, without: string): void {
  setHandler(
    setBudgetUpdate,
    (budget) => {
      state.costUsd = budget.costUsd!;
      return { costUsd: state.costUsd };
    },
    {
      description: '{"costUsd": 5}: a new cap, counted from the start.',
      validator: (budget) => {
        const { costUsd } = checked(SetBudget, budget, 'setBudget');
        if (costUsd === undefined) refuse('setBudget: costUsd: a cap is needed (found nothing)');
        if (state.costUsd === undefined) refuse(`setBudget: ${without}`);
      },
    },
  );
}
