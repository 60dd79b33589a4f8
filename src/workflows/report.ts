import { proxyActivities, setCurrentDetails, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { createReportActivities } from '../activities/report';
import { ReportInput, type ReportResult } from '../contract';
import { publish } from './durable/attributes';
import { checked } from './durable/input';

const { collectReport, writeReport } = proxyActivities<ReturnType<typeof createReportActivities>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

/**
 * One page about what was made: rollouts and what became of them, the training set, the analyses, set-ups and problems, each
 * where its result is given. The page is a file of its own and needs no network.
 */
export async function report(raw: ReportInput): Promise<ReportResult> {
  const input = checked(ReportInput, raw, 'report');
  publish({ InstanceId: input.name, Phase: 'Collecting' });
  const collected = await collectReport.executeWithOptions({ summary: `results of ${input.name}` }, [input]);
  const written = await writeReport.executeWithOptions({ summary: `reports/${input.name}` }, [{ collected }]);
  const result = { id: workflowInfo().workflowId, ...written };
  upsertMemo({ folder: result.folder, parts: result.parts });
  publish({ Phase: 'Done' });
  setCurrentDetails(
    [`**${result.folder}/${result.page.path}**`, '', ...result.parts.map((part) => `- ${part}`)].join('\n'),
  );
  return result;
}
