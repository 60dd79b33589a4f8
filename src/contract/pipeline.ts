import { z } from 'zod';
import { CovariateShiftInput, CovariateShiftResult, FailureAnalysisInput, FailureAnalysisResult } from './analysis';
import { CampaignInput, CampaignResult } from './campaign';
import { DatasetInput, DatasetResult } from './dataset';
import { FunctionProblemsInput } from './function-problem';
import { ProblemSource } from './problem';
import { ReportInput, ReportResult } from './report';
import { RepoSetupInput } from './setup';
import { SourceName } from './source';

/** Where one repository gets onto the line: at its source, at a set-up that is done, or at problems that are built. */
export const PipelineRepository = z.union([
  z.strictObject({ source: SourceName }),
  /** Workflow id of a `repoSetup` that has ended. */
  z.strictObject({ setup: z.string().min(1) }),
  /** Workflow id of a `functionProblems` that has ended. */
  z.strictObject({ build: z.string().min(1) }),
]);
export type PipelineRepository = z.infer<typeof PipelineRepository>;

/** Two methods of the campaign whose histories are compared. */
const ShiftMethods = z.strictObject({
  /** Method whose histories are the expert's own. */
  expert: z.string(),
  students: z.array(z.string()).min(1),
  settings: CovariateShiftInput.omit({ expert: true, students: true }).prefault({}),
});

/**
 * From repositories to a data set and a report. A stage that is left out is skipped, and so is what needs it; a stage that
 * was done elsewhere is named by its workflow id. Names of methods and profiles are checked before anything starts.
 */
export const PipelineInput = z
  .strictObject({
    /** Names the folders of the data set and of the report. */
    name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,80}$/, 'lower-case letters, digits, ".", "_" and "-"'),
    repositories: z
      .array(PipelineRepository)
      .max(500, 'more repositories than one history should hold: start several lines')
      .default([]),
    /** Problems from elsewhere, beside those that are built. */
    problems: z.array(ProblemSource).default([]),
    /** Repositories worked on at once. */
    concurrency: z.int().min(1).max(64).default(2),
    /** How each source is set up. */
    setup: RepoSetupInput.omit({ source: true }).prefault({}),
    /** How problems are made of each set-up. */
    build: FunctionProblemsInput.omit({ environment: true, carry: true }).prefault({}),
    /** The rollouts; without it the line ends with problems. */
    campaign: z.strictObject(CampaignInput.shape).omit({ problems: true, only: true, carry: true }).optional(),
    /** A campaign that was run elsewhere, by workflow id, in place of `campaign`. */
    campaignDone: z.string().min(1).optional(),
    dataset: DatasetInput.omit({ name: true, sources: true }).optional(),
    failureAnalysis: FailureAnalysisInput.omit({ sources: true, methods: true }).optional(),
    covariateShift: ShiftMethods.optional(),
    /** The page at the end; null leaves it out. */
    report: ReportInput.pick({ title: true, rehearsal: true, links: true }).nullable().prefault({}),
  })
  .refine(({ repositories, problems, campaignDone }) => repositories.length + problems.length > 0 || campaignDone, {
    path: ['repositories'],
    message: 'a repository, a problem or a campaign that is done is needed',
  })
  .refine(({ campaign, campaignDone }) => !(campaign && campaignDone), {
    path: ['campaignDone'],
    message: 'a campaign to run and one that is done exclude each other',
  })
  .refine(
    ({ campaign, campaignDone, dataset, failureAnalysis, covariateShift }) =>
      campaign || campaignDone || !(dataset || failureAnalysis || covariateShift),
    { path: ['campaign'], message: 'a data set and analyses need rollouts' },
  )
  .refine(
    ({ campaign, covariateShift: shift }) =>
      !campaign ||
      !shift ||
      [shift.expert, ...shift.students].every((name) => campaign.methods.some((method) => method.name === name)),
    { path: ['covariateShift'], message: 'names a method that the campaign does not have' },
  );
export type PipelineInput = z.infer<typeof PipelineInput>;

/** How far one repository came. */
export const PipelineStation = z.strictObject({
  repository: z.string(),
  setup: z.string().nullable(),
  /** `verified`, and the verdict where there is one; null where nothing was set up. */
  setupStatus: z.string().nullable(),
  build: z.string().nullable(),
  /** Problems that were admitted. */
  admitted: z.int(),
  /** Why it went no further. The line goes on without it. */
  trouble: z.string().optional(),
});
export type PipelineStation = z.infer<typeof PipelineStation>;

export const PipelineResult = z.strictObject({
  id: z.string(),
  /**
   * `complete`: every stage that was asked for is done. `partial`: see `troubles`. `nothing_to_roll_out`: no problem was left
   * for the campaign. `abandoned`: a person ended it between two stages.
   */
  status: z.enum(['complete', 'partial', 'nothing_to_roll_out', 'abandoned']),
  stations: z.array(PipelineStation),
  problems: z.int(),
  campaign: CampaignResult.nullable(),
  dataset: DatasetResult.nullable(),
  failureAnalysis: FailureAnalysisResult.nullable(),
  covariateShift: CovariateShiftResult.nullable(),
  report: ReportResult.nullable(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  /** Stages that failed, with why. What did not need them was done all the same. */
  troubles: z.array(z.strictObject({ stage: z.string(), trouble: z.string() })),
});
export type PipelineResult = z.infer<typeof PipelineResult>;

/** Where a line is. Answer of the query `progress`. */
export interface PipelineProgress {
  readonly phase: string;
  readonly stations: readonly PipelineStation[];
  readonly problems: number;
  /** Workflows that work now, each to be watched by its own command. */
  readonly working: readonly { readonly stage: string; readonly id: string }[];
  readonly done: readonly { readonly stage: string; readonly id: string; readonly outcome: string }[];
  readonly paused: boolean;
}
