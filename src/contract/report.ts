import { z } from 'zod';
import { CovariateShiftResult, FailureAnalysisResult } from './analysis';
import { CampaignResult } from './campaign';
import { DatasetResult } from './dataset';
import { FunctionProblemsResult } from './function-problem';
import { RolloutSource } from './rollout-row';
import { RepoSetupResult } from './setup';

/** Results that a report is made of; what is not given is left out of it. Strings are workflow ids of runs that have ended. */
export const ReportInput = z.strictObject({
  /** Name of the folder under `reports` in the home. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,80}$/, 'lower-case letters, digits, ".", "_" and "-"'),
  title: z.string().min(1).max(200).optional(),
  campaigns: z.array(z.union([z.string().min(1), CampaignResult])).default([]),
  /** Rollouts that no campaign named here has. */
  rollouts: z.array(RolloutSource).default([]),
  dataset: z.union([z.string().min(1), DatasetResult]).optional(),
  covariateShift: z.union([z.string().min(1), CovariateShiftResult]).optional(),
  failureAnalysis: z.union([z.string().min(1), FailureAnalysisResult]).optional(),
  setups: z.array(z.union([z.string().min(1), RepoSetupResult])).default([]),
  problems: z.array(z.union([z.string().min(1), FunctionProblemsResult])).default([]),
  /** Printed where models are scripted, so that nobody takes a rehearsal for a result. Profiles that play scripts set it themselves. */
  rehearsal: z.boolean().default(false),
  /** Addresses that the page links to. */
  links: z
    .strictObject({
      /** Of a namespace in the Temporal UI: `http://127.0.0.1:8233/namespaces/default`. */
      temporalUi: z.url({ protocol: /^https?$/ }).optional(),
      /** Of `pointsman view`. */
      viewer: z.url({ protocol: /^https?$/ }).optional(),
    })
    .prefault({}),
});
export type ReportInput = z.infer<typeof ReportInput>;

export const ReportResult = z.strictObject({
  id: z.string(),
  /** Absolute path on the host that wrote it. */
  folder: z.string(),
  /** The page: one file, no network. Its path is relative to the folder. */
  page: z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() }),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() })),
  /** Headings of the parts that it has. */
  parts: z.array(z.string()),
});
export type ReportResult = z.infer<typeof ReportResult>;
