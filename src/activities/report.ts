import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  type DatasetResult,
  PointsmanError,
  type Ref,
  type ReportInput,
  type ReportResult,
  type RolloutRow,
} from '../contract';
import type { Deps } from '../deps';
import { packageVersion } from '../home';
import type { ReportMaterial, Run } from '../pages/report/material';
import { buildReport } from '../pages/report/report';
import { decoded } from '../payloads';
import { withHeartbeat } from './heartbeat';
import { jsonBlobs } from './problems/function-reports';
import { rowsOfSources } from './rollout/rollout-rows';

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
          name,
          title,
          rollouts,
          links,
          version: packageVersion(),
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

interface Known {
  readonly result: unknown;
  readonly input: unknown;
  readonly queue: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/**
 * A result by the id of its workflow, or one that was given in place, with what the server still knows of its run. Throws
 * `InvalidInput` for an id of another type, or of a run without a result. Reads only.
 */
async function runOf<Result extends { readonly id: string }>(
  field: string,
  type: string,
  given: string | Result,
): Promise<Run<Result>> {
  const { client } = Context.current();
  if (typeof given === 'string') {
    const { result, ...about } = await known(client, field, type, given);
    return { ...about, result: result as Result, type };
  }
  const there = await known(client, field, type, given.id).catch((error: unknown) => {
    if (error instanceof PointsmanError) return undefined;
    throw error;
  });
  // Another server may have a run of the same name: its input would not be this result's.
  const same = there !== undefined && isDeepStrictEqual(there.result, JSON.parse(JSON.stringify(given)));
  const { input, queue, startedAt, endedAt } = same
    ? there
    : { input: null, queue: null, startedAt: null, endedAt: null };
  return { result: given, type, input, queue, startedAt, endedAt };
}

async function known(client: Client, field: string, type: string, id: string): Promise<Known> {
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new PointsmanError(
      'InvalidInput',
      `${field}: the server knows no workflow "${id}"`,
      'Give the id of one that it still keeps, or its result in place.',
    );
  });
  if (described.type !== type) {
    throw new PointsmanError('InvalidInput', `${field}: ${id} is a ${described.type}, not a ${type}`);
  }
  return { ...(await beginningOf(client, described)), result: await resultOf(handle, described, field) };
}

async function resultOf(
  handle: { result(): Promise<unknown> },
  { status, memo, workflowId }: WorkflowExecutionDescription,
  field: string,
): Promise<unknown> {
  if (status.name === 'COMPLETED') return handle.result();
  // What was cancelled keeps what it came to beside it.
  if (status.name === 'CANCELLED' && memo?.result) return memo.result;
  throw new PointsmanError(
    'InvalidInput',
    `${field}: ${workflowId} is ${status.name.toLowerCase()} and has no result`,
    'Wait for its end, or leave it out.',
  );
}

/** Input and start of the first of its runs: later ones, after continue-as-new, were given more than a person wrote. */
async function beginningOf(
  client: Client,
  described: WorkflowExecutionDescription,
): Promise<Pick<Known, 'input' | 'queue' | 'startedAt' | 'endedAt'>> {
  const { workflowId, runId, taskQueue, startTime, closeTime, raw } = described;
  const first = raw.workflowExecutionInfo?.firstRunId || runId;
  const begun = (await firstEvent(client, workflowId, first)) ?? (await firstEvent(client, workflowId, runId));
  const payload = begun?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  return {
    input: payload ? defaultPayloadConverter.fromPayload(payload) : null,
    queue: taskQueue,
    startedAt: timeOf(begun?.eventTime) ?? startTime.toISOString(),
    endedAt: closeTime?.toISOString() ?? null,
  };
}

/** Undefined where the server keeps that run no longer. */
async function firstEvent(client: Client, workflowId: string, runId: string) {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    return await decoded(history?.events?.[0], client.options.loadedDataConverter.payloadCodecs);
  } catch (error) {
    const NOT_FOUND = 5;
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
    throw error;
  }
}

function timeOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): string | undefined {
  if (!time) return undefined;
  return new Date(Number(time.seconds) * 1000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString();
}
