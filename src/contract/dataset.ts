import { z } from 'zod';
import { HandOverReason } from './hand-over';
import { DatasetFormat } from './names';
import { ProfileName, View } from './profile';
import { Funnel, LossReason, RolloutSource, SwitchSurvival } from './rollout-row';
import { Author, Ref } from './step';

/** The paper's filters; each can be taken off, which the card then says. */
export const DatasetFilters = z.strictObject({
  /** Rejection sampling: all tests pass. */
  resolved: z.boolean().default(true),
  /**
   * Least graded reward: the share of FAIL_TO_PASS that passed times that of PASS_TO_PASS. Of use with `resolved: false`; what is not valid
   * has none.
   */
  gradedReward: z.number().min(0).max(1).optional(),
  /** Ended by `submit`. */
  submitted: z.boolean().default(true),
  /**
   * Reasons for which the expert took over that are let in, without it all. Only `policy` is the paper's random switch; after another one the
   * expert's part is on-policy all the same.
   */
  handOvers: z.array(HandOverReason).min(1).optional(),
  /** Rows in which a turn that is trained was made by a person and no model: left out, or they alone; both where nothing is said. */
  human: z.enum(['none', 'only']).optional(),
  /** No suspicion that nobody accepted, and controls that ran: see `pointsman rollout review`. */
  doubtful: z.boolean().default(true),
  /** The same action, arguments included, so many times in a row; 0 takes it off. */
  identicalActions: z.int().min(0).default(3),
  /** File-reading commands so many times in a row; 0 takes it off. */
  fileReads: z.int().min(0).default(20),
});
export type DatasetFilters = z.infer<typeof DatasetFilters>;

/** Rows that were not made by rollouts of ours, mixed in as they are. */
const ExtraRows = z.strictObject({
  /** Name in the mixture and in the card. */
  name: z.string().min(1),
  /** JSONL in the `universal` format; a message without `train` is trained when an assistant wrote it. */
  path: z.string().min(1),
  licence: z.string().optional(),
});

export const Mixture = z.union([
  /** Shares by method or extra name: `{oec: 1, bc: 1}`. As large as the scarcest allows. What is not named is left out. */
  z.strictObject({ ratio: z.record(z.string(), z.number().positive()) }),
  /** Rows by method or extra name, or fewer where there are fewer, which the card says. */
  z.strictObject({ counts: z.record(z.string(), z.int().min(1)) }),
]);
export type Mixture = z.infer<typeof Mixture>;

export const DatasetInput = z.strictObject({
  /** Name of the folder under `datasets` in the home. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,80}$/, 'lower-case letters, digits, ".", "_" and "-"'),
  sources: z.array(RolloutSource).min(1),
  extra: z.array(ExtraRows).default([]),
  filters: DatasetFilters.prefault({}),
  /**
   * Whose turns are trained, by method. The expert's where nothing is said; a method without an expert needs
   * `["student"]` here, or nothing of it is trained.
   */
  train: z.record(z.string(), z.array(Author).min(1)).default({}),
  /** The format that the model is trained in: a view, or the profile whose view it is. Defaults to the student's profile. */
  view: z.union([z.string().min(1), View]).optional(),
  /** Rows of one instance, whatever the method; null for no cap. */
  perInstance: z.int().min(1).nullable().default(3),
  deduplicate: z.boolean().default(true),
  mixture: Mixture.optional(),
  /** Tokens of a row; longer ones are dropped and reported, never cut. */
  maxTokens: z.int().min(256).default(32_768),
  /** Folder with `tokenizer.json` and `tokenizer_config.json`; without it lengths are estimated, and the card says so. */
  tokenizer: z.string().optional(),
  /**
   * What a row of the format `tokens` trains: `all` its trained turns, where nothing is said; the `last` of them; or `each` in a
   * row of its own. Chat templates that render a turn otherwise once more follows leave only the latter two.
   */
  tokenTurns: z.enum(['all', 'last', 'each']).optional(),
  /**
   * Who says of the format `distill` how likely the sampled tokens are: a profile whose server scores given tokens (vLLM, SGLang)
   * and has the vocabulary of those who sampled them.
   */
  teacher: z
    .strictObject({
      profile: ProfileName,
      /** In USD; scoring ends where it is reached, and what was scored is kept for the next run. */
      costUsd: z.number().positive().optional(),
    })
    .optional(),
  formats: z.array(DatasetFormat).min(1).default(['universal', 'openai', 'trl', 'axolotl']),
  /** Whether each file is written as Parquet too. */
  parquet: z.boolean().default(true),
  /** Share of instances whose rows go to `validation` files. By instance, so that none is in both. */
  validation: z.number().min(0).max(0.5).default(0),
  /** Seeds which rows a cap or a mixture takes, and their order. */
  seed: z.int().default(0),
});
export type DatasetInput = z.infer<typeof DatasetInput>;

/** What a file holds of tokens as they were sampled. */
export const SampledFigures = z.strictObject({
  /** Rows whose ids are those that the model sampled. */
  rows: z.int(),
  /** Rows that were tokenised from their text instead, by why. */
  tokenised: z.record(z.string(), z.int()),
  /** Sequences that the sampled rows became, and those of them that began since a prompt did not begin with what came before. */
  samples: z.int(),
  breaks: z.int(),
  /** Sampled answers in them. */
  answers: z.int(),
  /** Trained turns whose text was tokenised again, and those of them that gave other ids than were sampled. */
  compared: z.int(),
  drifted: z.int(),
  /** Of the rows' calls, what servers did not give or gave in lengths that do not fit, by what it was. */
  dropped: z.record(z.string(), z.int()),
});
export type SampledFigures = z.infer<typeof SampledFigures>;

/** What a teacher said of the sampled tokens of the chosen rows. */
export const ScoredFigures = z.strictObject({
  profile: z.string(),
  /** Sequences that it scored, the tokens that it read for that, and what those cost, whichever run paid. */
  sequences: z.int(),
  tokens: z.int(),
  usd: z.number(),
  /** Rows that it could not score, by reason. */
  left: z.array(z.strictObject({ reason: z.string(), count: z.int() })),
});
export type ScoredFigures = z.infer<typeof ScoredFigures>;

export const DatasetFile = z.strictObject({
  /** Relative to the folder. */
  path: z.string(),
  format: DatasetFormat,
  split: z.enum(['train', 'validation']),
  /** Records: a format may make several of a row, or leave it out. */
  rows: z.int(),
  /** Of a folder (`traj`): of the lines `sha256  path` of its files, sorted by path. */
  sha256: z.string(),
  bytes: z.int(),
  /** Rows, or parts of them, that the format cannot hold, by reason. */
  left: z.array(z.strictObject({ reason: z.string(), count: z.int() })).default([]),
  /** Of formats that hold tokens; absent where no row has any that were sampled. */
  sampled: SampledFigures.optional(),
});
export type DatasetFile = z.infer<typeof DatasetFile>;

/** A rollout that is not in the data set: a line of `dropped.jsonl`. */
export const DroppedRow = z.strictObject({
  id: z.string(),
  instance: z.string(),
  method: z.string(),
  stage: z.string(),
  reason: LossReason,
  /** What shows it: the action that repeats, the tokens counted, the row that it equals. */
  detail: z.string(),
});
export type DroppedRow = z.infer<typeof DroppedRow>;

export const DatasetResult = z.strictObject({
  id: z.string(),
  /** Absolute path on the host that wrote it. */
  folder: z.string(),
  rows: z.int(),
  /** Assistant turns, and those of them that are trained. */
  turns: z.int(),
  trainedTurns: z.int(),
  /** Rows in which a person made a turn that is trained; absent where there are none. */
  humanRows: z.int().optional(),
  tokens: z.int(),
  funnels: z.array(z.strictObject({ method: z.string(), funnel: Funnel })),
  survival: z.array(SwitchSurvival),
  /** Of rollouts that passed, the share that the repetition filter dropped, by method. */
  repetition: z.array(z.strictObject({ method: z.string(), passed: z.int(), dropped: z.int(), rate: z.number() })),
  mixture: z.array(z.strictObject({ name: z.string(), rows: z.int() })),
  files: z.array(DatasetFile),
  /** What a look at the first rows found of the tokenizer's chat template, a sentence each. */
  template: z.array(z.string()).optional(),
  /** Of the format `distill`. */
  scored: ScoredFigures.optional(),
  dropped: Ref,
  /** The card as Markdown. */
  card: Ref,
});
export type DatasetResult = z.infer<typeof DatasetResult>;

/** Where a row comes from: a line of `rows.jsonl`, in the order of the files. */
export const DatasetOrigin = z.strictObject({
  id: z.string(),
  /** Empty for rows that name none. */
  instance: z.string(),
  method: z.string(),
  split: z.enum(['train', 'validation']),
  /** Hash of the chain's last step; null for extra rows. */
  head: z.string().nullable(),
  /** As in the metadata of the row: false after an outage, a lost environment, or a judge that could not judge. */
  valid: z.boolean().optional(),
  reason: z.string().optional(),
  /** The problem as the campaign read it; its image is named there. */
  problem: Ref.nullable(),
  /** Turns of the rollout that are trained, from 1. */
  trained: z.array(z.int()),
  turns: z.int(),
  tokens: z.int(),
  /** Digest of the prompt and the assistant's turns: equal ones are duplicates. */
  content: z.string(),
});
export type DatasetOrigin = z.infer<typeof DatasetOrigin>;

/** `manifest.json` of a data set: what it was made of and by, and what each file must be. */
export const DatasetManifest = z.strictObject({
  name: z.string(),
  /** Version of Pointsman. */
  madeBy: z.string(),
  input: DatasetInput,
  /** The view that the rows are rendered in, and the digest of its prompts. */
  view: View,
  prompts: z.string(),
  /** Digest of the tokenizer's files; null when lengths are estimated. */
  tokenizer: z.string().nullable(),
  /** Digest of the rollout rows that it was made of, sorted by id. */
  rollouts: z.string(),
  rows: z.strictObject({ train: z.int(), validation: z.int() }),
  result: DatasetResult.omit({ id: true, folder: true, dropped: true, card: true }),
  /** Every file but this one. */
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() })),
});
export type DatasetManifest = z.infer<typeof DatasetManifest>;

/** Where the making of a data set is. Answer of the query `progress`. */
export interface DatasetProgress {
  readonly phase: string;
  /** Rollouts and extra rows; null until the sources have been read. */
  readonly rows: number | null;
  readonly judged: number;
  /** Of those judged, what the filters of a single row let through. */
  readonly passed: number;
  /** Rows of the data set; null until they are chosen. */
  readonly kept: number | null;
  readonly files: number;
  readonly filesWritten: number;
  /** Chosen rows that a teacher has scored; absent without one. */
  readonly scored?: number;
  /** As in `DatasetResult`. */
  readonly template?: readonly string[];
}

/** Answer of `dataset check FILE`. */
export interface DatasetCheck {
  readonly rows: number;
  readonly turns: number;
  readonly trainedTurns: number;
  /** Null where the file's format does not say who wrote a turn. */
  readonly expertTurns: number | null;
  /** How people call the format; null for a file without records. */
  readonly format: string | null;
  /** Who is trained, in a sentence; null where the file's mask says it. */
  readonly mask: string | null;
  readonly problems: readonly string[];
}
