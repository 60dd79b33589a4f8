import { z } from 'zod';
import { CampaignResult } from './campaign';
import { CovariateShiftResult } from './covariate-shift';
import { DatasetResult } from './dataset';
import { FailureAnalysisResult } from './failure-analysis';
import { FunctionProblemsResult } from './function-problem';
import { RepoSetupResult } from './setup';

/** Results that a report is made of; what is not given is left out of it. Strings are workflow ids. */
export const ReportInput = z.strictObject({
  /** Name of the folder under `reports` in the home. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,80}$/, 'lower-case letters, digits, ".", "_" and "-"'),
  title: z.string().min(1).optional(),
  campaigns: z.array(z.union([z.string(), CampaignResult])).default([]),
  dataset: z.union([z.string(), DatasetResult]).optional(),
  covariateShift: z.union([z.string(), CovariateShiftResult]).optional(),
  failureAnalysis: z.union([z.string(), FailureAnalysisResult]).optional(),
  setups: z.array(z.union([z.string(), RepoSetupResult])).default([]),
  problems: z.array(z.union([z.string(), FunctionProblemsResult])).default([]),
  /** Printed where models are scripted, so that nobody takes a rehearsal for a result. */
  rehearsal: z.boolean().default(false),
});
export type ReportInput = z.infer<typeof ReportInput>;

export const ReportResult = z.strictObject({
  id: z.string(),
  folder: z.string(),
  /** The page: one file, no network. */
  page: z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() }),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() })),
});
export type ReportResult = z.infer<typeof ReportResult>;
