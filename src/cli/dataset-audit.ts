import type { Command } from 'commander';
import { type DatasetOrigin, nearest, PointsmanError } from '../contract';
import { auditLines } from '../view/dataset/audit';
import type { Cli } from './context';
import { auditRow } from './dataset-audit-report';
import { originsIn, readDataset } from './dataset-folder';
import { look } from './terminal';

/** `dataset audit`: from a row to the steps, the events and the answers that it was made of. Exit code 1 when something does not fit. */
export function addDatasetAudit(dataset: Command, cli: Cli): void {
  dataset
    .command('audit <name> <row>')
    .description("walk from a row (its id, or its number) to the model's answers, and hash everything on the way")
    .action(async (named: string, row: string) => {
      const found = readDataset(cli, named);
      const audit = await auditRow(cli, found, originNamed(originsIn(found.folder), row, found.manifest.name));
      cli.print(audit, () => auditLines(audit, look()).join('\n'));
      if (audit.problems.length > 0) process.exitCode = 1;
    });
}

function originNamed(origins: readonly DatasetOrigin[], row: string, name: string): DatasetOrigin {
  const found = origins.find(({ id }) => id === row) ?? (/^\d+$/.test(row) ? origins[Number(row) - 1] : undefined);
  if (found) return found;
  const close = nearest(
    row,
    origins.map(({ id }) => id),
  );
  throw new PointsmanError(
    'NotFound',
    `${name} has no row "${row}"${close ? `, did you mean "${close}"?` : ''}`,
    `Give an id of rows.jsonl, or a number from 1 to ${origins.length}; dropped.jsonl says why others are not there.`,
  );
}
