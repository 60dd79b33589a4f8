import { workflowInfo } from '@temporalio/workflow';
import type { LineInput, LineProgress, LineResult, LineStation } from '../../contract';

/** Markdown for the Temporal UI's "Current Details". */
export function lineDetails(
  input: LineInput,
  progress: LineProgress,
  troubles: LineResult['troubles'],
  waiting: string | undefined,
): string {
  const { phase, stations, problems, working, done } = progress;
  return [
    `**${input.name}** — ${waiting ?? phase}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends the line after the stage that runs.'] : []),
    '',
    ...(stations.length > 0 ? ['```', ...stations.map(stationLine), '```', ''] : []),
    `${problems} problems to roll out.`,
    '',
    ...working.map(({ stage, id }) => `- ${stage} works: \`${id}\``),
    ...done.map(({ stage, id, outcome }) => `- ${stage}: ${outcome}, \`${id}\``),
    ...troubles.map(({ stage, trouble }) => `- **${stage} failed**: ${trouble}`),
    '',
    `In full: \`pointsman line show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

/** The UI cuts long lines of a code block off without a sign. */
function stationLine({ repository, setupStatus, admitted, build, trouble }: LineStation): string {
  const state = trouble ?? (build ? `${admitted} problems` : (setupStatus ?? 'on its way'));
  return `${repository.slice(0, 34).padEnd(34)}  ${state.slice(0, 40)}`;
}
