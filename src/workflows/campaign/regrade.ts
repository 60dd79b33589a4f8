import {
  continueAsNew,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { createRegradeActivities, Regraded, RegradeItem } from '../../activities/campaign/regrade';
import { RegradeInput, type RegradeResult } from '../../contract';
import { isCancellation, messageOf } from '../durable/failures';
import { checked } from '../durable/input';
import { STORE } from '../durable/retry';
import { sideBySide } from '../durable/side-by-side';
import { grade } from '../grading';

const store = proxyActivities<ReturnType<typeof createRegradeActivities>>(STORE);

/** Verdicts that are kept together. */
const PAGE = 50;

/** The patches of rollouts judged again, none of them run again. Old and new verdict stand side by side in its rows. */
export async function regrade(raw: RegradeInput): Promise<RegradeResult> {
  const input = checked(RegradeInput, raw, 'regrade');
  const plan = input.carry?.plan ?? (await store.openRegrade(input)).plan;
  const pages = input.carry?.pages ?? [];
  for (let next = input.carry?.next ?? 0; ; next += PAGE) {
    if (workflowInfo().continueAsNewSuggested) {
      return continueAsNew<typeof regrade>({ ...input, carry: { plan, next, pages } });
    }
    const items = await store.regradeItems({ plan, from: next, count: PAGE });
    if (items.length === 0) break;
    const page = await sideBySide(items, input.concurrency, (item) => judgedAgain(item, input.controls));
    pages.push(await store.keepRegraded({ page }));
    setCurrentDetails(`${next + items.length} patches judged again`);
  }
  return store.concludeRegrade({ plan, pages });
}

/** One that cannot be judged does not keep the others from it. */
async function judgedAgain({ id, patch, problem }: RegradeItem, controls: RegradeInput['controls']): Promise<Regraded> {
  try {
    const again = await executeChild(grade, {
      args: [{ problem, patch, controls }],
      workflowId: `${workflowInfo().workflowId}/${id}`,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `grade ${id} again`.slice(0, 200),
    });
    return { id, grade: again };
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { id, grade: null, error: messageOf(error) };
  }
}
