import { workflowInfo } from '@temporalio/workflow';
import type { DatasetInput, DatasetProgress, DatasetResult } from '../../contract';

/** Markdown for the Temporal UI's "Current Details" of a data set. */
export function datasetDetails(input: DatasetInput, progress: DatasetProgress, result?: DatasetResult): string {
  const { phase, rows, judged, passed, kept, files, filesWritten } = progress;
  return [
    `**${input.name}** — ${result ? `${result.rows} rows` : phase}`,
    '',
    rows === null
      ? 'Reading the sources.'
      : `${judged} of ${rows} rows judged; ${passed} of them passed their filters.`,
    ...(kept === null
      ? []
      : ['', `${kept} rows chosen; ${filesWritten} of ${files} formats written: ${input.formats.join(', ')}.`]),
    ...(result
      ? [
          '',
          '```',
          ...result.funnels.flatMap(({ method, funnel }) => [
            method,
            ...funnel.stages.map(({ stage, count }) => `  ${stage.replaceAll('_', ' ').padEnd(16)} ${count}`),
          ]),
          '```',
          '',
          `In \`${result.folder}\`.`,
        ]
      : []),
    '',
    `In full: \`pointsman dataset show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}
