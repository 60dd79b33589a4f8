import type {
  CampaignResult,
  CovariateShiftResult,
  DatasetResult,
  FailureAnalysisResult,
  FunctionProblemsResult,
  ReportInput,
  RepoSetupResult,
  RolloutRow,
} from '../../contract';

/** A result, and what is still known of the run that made it: nothing where it was given in place. */
export interface Run<Result> {
  readonly result: Result;
  readonly type: string;
  /** What it was started with. */
  readonly input: unknown;
  readonly queue: string | null;
  /** ISO 8601, by the server's clock. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** Everything that a report is made of. The same material gives the same bytes. */
export interface ReportMaterial {
  readonly name: string;
  readonly title: string;
  readonly campaigns: readonly Run<CampaignResult>[];
  readonly dataset: Run<DatasetResult> | null;
  readonly covariateShift: Run<CovariateShiftResult> | null;
  readonly failureAnalysis: Run<FailureAnalysisResult> | null;
  readonly setups: readonly Run<RepoSetupResult>[];
  readonly problems: readonly Run<FunctionProblemsResult>[];
  /** Each build's own report as Markdown, in the order of `problems`; null where its blob is gone. */
  readonly problemReports: readonly (string | null)[];
  /** All rollouts, each once. */
  readonly rows: readonly RolloutRow[];
  /** Ids of rollouts that the data set left out; null without one, or where its list is gone. */
  readonly dropped: readonly string[] | null;
  readonly rehearsal: boolean;
  /** Profiles that play scripts. */
  readonly scripted: readonly string[];
  readonly links: ReportInput['links'];
  /** Of Pointsman. */
  readonly version: string;
}

/** Methods in the order in which every chart has them, each with its place in the palette. */
export function methodsOf({ rows, dataset, failureAnalysis }: ReportMaterial): Map<string, number> {
  const names = [
    ...rows.map(({ method }) => method),
    ...(dataset?.result.funnels ?? []).map(({ method }) => method),
    ...(dataset?.result.repetition ?? []).map(({ method }) => method),
    ...(failureAnalysis?.result.table ?? []).map(({ method }) => method),
    ...(failureAnalysis?.result.buckets ?? []).map(({ method }) => method),
  ];
  return new Map([...new Set(names)].sort().map((name, at) => [name, at]));
}
