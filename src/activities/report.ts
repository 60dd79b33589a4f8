import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DatasetResult, Ref, ReportInput, ReportResult, RolloutRow } from '../contract';
import type { ReportMaterial, Run } from '../page/report/material';
import { buildReport } from '../page/report/report';
import type { Deps } from './deps';
import { jsonBlobs } from './function-reports';
import { withHeartbeat } from './heartbeat';
import { runOf } from './report-runs';
import { rowsOfSources } from './rollout-rows';

/** The page of every report, within its folder. */
const PAGE = 'index.html';

/** The report as it is kept between its two activities: rows and texts are read when it is written. */
type Collected = Omit<ReportMaterial, 'rows' | 'problemReports' | 'dropped'> & Pick<ReportInput, 'rollouts'>;

export function createReportActivities(deps: Deps) {
  const { blobs, config, results } = deps;
  const store = jsonBlobs(blobs);

  /** A blob's text; null where it is gone, which leaves out what it would have shown. */
  async function textOf({ sha256 }: Ref): Promise<string | null> {
    return (await blobs.has(sha256)) ? (await blobs.get(sha256)).toString('utf8') : null;
  }

  async function droppedOf(dataset: Run<DatasetResult> | null): Promise<string[] | null> {
    const text = dataset && (await textOf(dataset.result.dropped));
    if (text === null) return null;
    return text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id]));
  }

  return {
    /**
     * Finds every result that the report names, with what the server knows of its run. Throws `InvalidInput` for one that
     * is not there, has not ended or is of another type. Retry-safe: it reads, and writes a content-addressed blob.
     */
    async collectReport(input: ReportInput): Promise<Ref> {
      return withHeartbeat(async (signal) => {
        const each = async <Result extends { id: string }>(
          field: string,
          type: string,
          given: readonly (string | Result)[],
        ) => {
          const found: Run<Result>[] = [];
          for (const one of given) {
            signal.throwIfAborted();
            found.push(await runOf(field, type, one));
          }
          return found;
        };
        const one = async <Result extends { id: string }>(field: string, type: string, given?: string | Result) =>
          given === undefined ? null : runOf(field, type, given);
        const { name, title = `Report ${name}`, rollouts, links } = input;
        const collected = {
          ...{ name, title, rollouts, links, version: versionHere() },
          campaigns: await each('campaigns', 'campaign', input.campaigns),
          dataset: await one('dataset', 'dataset', input.dataset),
          covariateShift: await one('covariateShift', 'covariateShift', input.covariateShift),
          failureAnalysis: await one('failureAnalysis', 'failureAnalysis', input.failureAnalysis),
          setups: await each('setups', 'repoSetup', input.setups),
          problems: await each('problems', 'functionProblems', input.problems),
        };
        const scripted = await scriptedOf(collected);
        return store.keep({ ...collected, scripted, rehearsal: input.rehearsal || scripted.length > 0 });
      });
    },

    /**
     * Writes page and CSVs into the report's folder, in the place of what was there. Retry-safe: the same material gives
     * the same bytes, and the folder appears whole or not at all.
     */
    async writeReport({ collected }: { collected: Ref }): Promise<Omit<ReportResult, 'id'>> {
      return withHeartbeat(async () => {
        const kept = await store.read<Collected>(collected);
        const { rollouts: _, ...about } = kept;
        const problemReports = await Promise.all(kept.problems.map(({ result }) => textOf(result.report)));
        const report = buildReport({
          ...about,
          rows: await rowsOf(kept),
          problemReports,
          dropped: await droppedOf(kept.dataset),
        });
        const { folder, files } = await results.replace('reports', kept.name, async (draft) => {
          await mkdir(join(draft, 'csv'));
          await writeFile(join(draft, PAGE), report.page);
          for (const { name, text } of report.csv) await writeFile(join(draft, 'csv', name), text);
        });
        return { folder, page: files.find(({ path }) => path === PAGE)!, files, parts: [...report.parts] };
      });
    },
  };

  async function rowsOf({ campaigns, rollouts }: Pick<Collected, 'campaigns' | 'rollouts'>): Promise<RolloutRow[]> {
    return rowsOfSources(deps, [...campaigns.map(({ result }) => ({ rollouts: result.rollouts })), ...rollouts]);
  }

  /** Profiles behind the results that play scripts, as this worker's configuration says. */
  async function scriptedOf(from: Omit<Collected, 'scripted' | 'rehearsal'>): Promise<string[]> {
    const { covariateShift, failureAnalysis, setups } = from;
    const names = [
      ...(await rowsOf(from)).flatMap(({ student, expert }) => [student, expert]),
      covariateShift?.result.embedding,
      failureAnalysis?.result.judge,
      ...setups.flatMap(({ input }) => Object.values((input as { roles?: object } | null)?.roles ?? {})),
    ];
    const scripted = names.filter(
      (name) => typeof name === 'string' && config.profiles[name]?.provider === 'rehearsal',
    );
    return [...new Set(scripted as string[])].sort();
  }
}

function versionHere(): string {
  const about = readFileSync(resolve(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(about) as { version: string }).version;
}
