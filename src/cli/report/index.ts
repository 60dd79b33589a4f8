import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import { PointsmanError, type ReportResult } from '../../contract';
import { openPage } from '../../machine/command';
import { count, duration, grouped } from '../../pages/figures';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { addResultFetch } from '../fetch';
import { runToEnd } from '../follow';
import { readInput } from '../input-file';
import { attributesOf, equals, newest, statusOf } from '../lookup';
import { addInputOption, wholeOption } from '../options';
import { table } from '../terminal/table';
import { waited } from '../wait';
import { type ReportFlags, reportInput } from './input';

export function addReportCommands(report: Command, cli: Cli): void {
  addReportBuild(report, cli);
  addReportList(report, cli);
  addReportShow(report, cli);
  addResultFetch(report, cli, 'reports', async (named) => named.replace(/^report\//, ''));
}

interface BuildFlags extends ReportFlags {
  readonly input?: string;
  readonly id?: string;
  readonly open?: boolean;
}

/** `report build`: the page out of what is named; what is not named is left out. */
function addReportBuild(report: Command, cli: Cli): void {
  addInputOption(report.command('build').description('make the page, or make it again'))
    .option('--name <name>', 'folder under reports (default: after the data set or campaign)')
    .option('--title <text>', 'heading of the page')
    .option('--campaign <id...>', 'campaigns that have ended')
    .option('--rollouts <file...>', 'files of rollouts from elsewhere')
    .option('--dataset <name|id>', 'a data set of this home, or the id of its workflow')
    .option('--shift <id>', 'a covariate shift analysis')
    .option('--failures <id>', 'a failure analysis')
    .option('--setup <id...>', 'set-ups')
    .option('--builds <id...>', 'builds of function problems')
    .option('--viewer <url>', 'address of `pointsman view`, to link to')
    .option('--scripted', 'say on the page that models are scripted (rehearsal profiles are recognised)')
    .option('--id <id>', 'workflow id (default: report/NAME)')
    .option('--open', 'show it in the browser')
    .action(async ({ input: file, id, open, ...flags }: BuildFlags) => {
      const input = await reportInput(cli, file ? readInput(file) : {}, flags);
      const name = String(input.name);
      const result = await runToEnd<ReportResult>(cli, 'report', input, {
        id: id ?? `report/${name}`,
        note: `report ${name}`,
      });
      const page = await pagePath(cli, result);
      cli.print(result, () =>
        [
          page,
          `${count(result.parts.length, 'part')}, ${count(result.files.length - 1, 'CSV', 'CSVs')}; one file, no network`,
          `pointsman report show ${quote(result.id)}`,
        ].join('\n'),
      );
      if (open) openPage(page);
    });
}

interface Listed {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly folder: string | null;
  readonly parts: readonly string[];
  readonly startedAt: string;
}

/** `report list`: what the server's visibility knows, newest first. */
function addReportList(report: Command, cli: Cli): void {
  report
    .command('list')
    .description('list reports, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .action(async ({ limit }: { limit: number }) => {
      const query = "WorkflowType = 'report'";
      const reports: Listed[] = [];
      for (const each of await newest(cli, query, limit)) {
        const memo = each.memo as Partial<Pick<Listed, 'folder' | 'parts'>> | undefined;
        reports.push({
          id: each.workflowId,
          name: attributesOf(each).InstanceId ?? null,
          status: statusOf(each),
          folder: memo?.folder ?? null,
          parts: memo?.parts ?? [],
          startedAt: each.startTime.toISOString(),
        });
      }
      cli.print({ reports }, () => (reports.length === 0 ? 'no reports' : asTable(reports, Date.now())));
    });
}

function asTable(reports: readonly Listed[], now: number): string {
  return table<Listed>(
    reports,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'PARTS', value: ({ parts }) => String(parts.length), right: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
      { title: 'FOLDER', value: ({ folder }) => folder ?? '-', elastic: true },
    ],
    look().width,
  );
}

/** `report show`: where the page is, what is in it, and whether it is as it was written. */
function addReportShow(report: Command, cli: Cli): void {
  report
    .command('show <name|id>')
    .description('show where a report is and what is in it')
    .option('--open', 'show it in the browser')
    .action(async (named: string, { open }: { open?: boolean }) => {
      const result = await readReport(cli, named);
      const page = await pagePath(cli, result);
      const state = pageState(page, result);
      cli.print({ ...result, state }, () => asText(page, result, state));
      if (open) openPage(page);
    });
}

function asText(path: string, result: ReportResult, state: string): string {
  const { id, page, parts, files } = result;
  return [
    `${id}`,
    path,
    `${grouped(page.bytes)} bytes, sha256 ${page.sha256.slice(0, 12)}, ${state}`,
    '',
    ...parts.map((part) => `  ${part}`),
    '',
    table(
      files,
      [
        { title: 'FILE', value: ({ path }) => path },
        { title: 'BYTES', value: ({ bytes }) => grouped(bytes), right: true },
        { title: 'SHA-256', value: ({ sha256 }) => sha256.slice(0, 12) },
      ],
      look().width,
    ),
  ].join('\n');
}

async function pagePath(cli: Cli, { folder, page }: ReportResult): Promise<string> {
  return join(await cli.stores.results.here(folder), page.path);
}

/** Whether the page is as the report left it: it may lie on another host, or have been built again since. */
function pageState(path: string, { page }: ReportResult): 'as written' | 'changed since' | 'not on this machine' {
  if (!existsSync(path)) return 'not on this machine';
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
  return digest === page.sha256 ? 'as written' : 'changed since';
}

/** The id of a report by its name: one that a pipeline made has an id under the pipeline's. */
async function pipelinesReport(cli: Cli, name: string): Promise<string | undefined> {
  // A server that no worker has served knows none of our attributes, and has no report.
  const found = await newest(cli, `WorkflowType = 'report' AND ${equals('InstanceId', name)}`, 1).catch(() => []);
  return found[0]?.workflowId;
}

/** A report by workflow id or by its name. Throws `NotFound`, or what the workflow failed with. */
async function readReport(cli: Cli, named: string): Promise<ReportResult> {
  const client = await cli.client();
  const places = [() => named, () => `report/${named}`, () => pipelinesReport(cli, named)];
  for (const place of places) {
    const id = await place();
    if (id === undefined) break;
    const handle = client.workflow.getHandle(id);
    const described = await handle.describe().catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
    if (described?.type !== 'report') continue;
    return waited<ReportResult>(cli, handle, { follow: `pointsman report show ${quote(named)}` });
  }
  throw new PointsmanError(
    'NotFound',
    `there is no report "${named}" on the server`,
    `\`pointsman report list\` shows those there are; pages stay in ${join(cli.settings.home, 'reports')}.`,
  );
}
