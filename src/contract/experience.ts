import { z } from 'zod';
import { AtomName } from './names';

/**
 * Experience units: what earlier set-ups taught, as signals (when it applies), advice (what to do) and atoms (the same as
 * typed actions). Objects are loose: fields that we do not know are kept, so a file of a newer version survives a round trip.
 */

export const Atom = z.looseObject({ name: AtomName, args: z.record(z.string(), z.unknown()) });
export type Atom = z.infer<typeof Atom>;

/** Where a unit may apply. An empty list restricts nothing. */
export const Applicability = z.looseObject({
  /** `python`, `node`, `go`, `rust`, `c`, `java`, ...; empty: any. */
  lang: z.string().default(''),
  /** `linux` and `any` mean every system that we run on. */
  os: z.array(z.string()).default([]),
  /** A language with a version prefix: `python3.11`, `node18`. */
  runtime: z.array(z.string()).default([]),
  /** Tools that the unit is about. They restrict nothing, because nobody lists a project's tools completely: they help ranking. */
  tools: z.array(z.string()).default([]),
});
export type Applicability = z.infer<typeof Applicability>;

const Pattern = z.string().min(1).max(500).refine(compiles, 'a regular expression of JavaScript');

export const UnitSignals = z.looseObject({
  keywords: z.array(z.string().min(1).max(200)).max(40).default([]),
  /** Matched against the error text, case-insensitive and per line, under a time bound. */
  regex: z.array(Pattern).max(20).default([]),
  situation_triggers: z.array(z.string().min(1).max(500)).max(20).default([]),
  applicability: Applicability.prefault({}),
});
export type UnitSignals = z.infer<typeof UnitSignals>;

/** `hits` counts runs that were shown the unit; the others count verdicts of audits, one a run and anchor. */
export const UnitTelemetry = z.looseObject({
  hits: z.int().min(0).default(0),
  successes: z.int().min(0).default(0),
  failures: z.int().min(0).default(0),
});
export type UnitTelemetry = z.infer<typeof UnitTelemetry>;

export const UnitProvenance = z.looseObject({
  run: z.string().optional(),
  /** Where it was learned: a success elsewhere is what ends its quarantine. */
  repository: z.string().optional(),
  frame: z.string().optional(),
  verdict: z.string().optional(),
  /** ISO 8601. */
  created: z.string(),
  /** `ID@VERSION` of what it replaced. */
  supersedes: z.string().optional(),
  /** Came with the package. */
  shipped: z.boolean().optional(),
});
export type UnitProvenance = z.infer<typeof UnitProvenance>;

export const UnitStatus = z.enum(['active', 'quarantined']);
export type UnitStatus = z.infer<typeof UnitStatus>;

export const ExperienceUnit = z.looseObject({
  id: z.string().min(1).max(200),
  signals: UnitSignals,
  advice_nl: z.array(z.string().min(1).max(2_000)).min(1).max(5),
  atoms: z.array(Atom).max(20).default([]),
  telemetry: UnitTelemetry.prefault({}),
  provenance: UnitProvenance,
  status: UnitStatus.default('active'),
  /** Counts merges; a merge judged on an older version is refused. Absent: 1. */
  version: z.int().min(1).optional(),
});
export type ExperienceUnit = z.infer<typeof ExperienceUnit>;

/** What a run learned, before the store has given it an id. */
export const ExperienceDraft = ExperienceUnit.omit({ id: true, telemetry: true, status: true, version: true });
export type ExperienceDraft = z.infer<typeof ExperienceDraft>;

/** What a stuck set-up agent is looking at. */
export const Situation = z.strictObject({
  /** The failed command's output, as it was. */
  error: z.string(),
  command: z.string().nullable(),
  /** Project, what was done so far, what is wanted next: a few sentences. */
  summary: z.string(),
});
export type Situation = z.infer<typeof Situation>;

/** What was found out about the repository and its container. */
export const RepositoryFacts = z.strictObject({
  lang: z.string(),
  os: z.string(),
  runtime: z.array(z.string()),
  tools: z.array(z.string()),
});
export type RepositoryFacts = z.infer<typeof RepositoryFacts>;

/** What rendering atoms needs to know about the container. Paths are absolute in it. */
export const GuestFacts = z.strictObject({
  /** The active interpreter. */
  python: z.string().nullable(),
  venv: z.string().nullable(),
  packageManager: z.enum(['apt', 'apk', 'dnf']).nullable(),
  node: z.enum(['npm', 'yarn', 'pnpm']).nullable(),
  conda: z.boolean(),
  workdir: z.string(),
  /** `settings`: the module that DJANGO_SETTINGS_MODULE names. */
  django: z.strictObject({ settings: z.string() }).optional(),
});
export type GuestFacts = z.infer<typeof GuestFacts>;

/** A unit as an agent is shown it. */
export const Suggestion = z.strictObject({
  /** Id of the unit. */
  unit: z.string(),
  advice: z.array(z.string()),
  atoms: z.array(Atom),
  /** The atoms rendered for this container; empty where nothing could be. */
  commands: z.array(z.string()),
  /** 0..1: cosine, or what a hit of a signal is worth. */
  similarity: z.number(),
  /** Wilson lower bound of its verdicts, with a prior. */
  reliability: z.number(),
  /** similarity × reliability. */
  score: z.number(),
  /** Why it was found: `regex:…` (exact), `regex-elsewhere:…` (a short one, away from the decisive lines), `keyword:…`, `tool:…`, `vector`, `text`. */
  matched: z.array(z.string()),
  telemetry: UnitTelemetry.optional(),
});
export type Suggestion = z.infer<typeof Suggestion>;

export const Verdict3 = z.enum(['success', 'failure', 'neutral']);
export type Verdict3 = z.infer<typeof Verdict3>;

export const UnitVerdict = z.strictObject({ unit: z.string(), verdict: Verdict3, why: z.string() });
export type UnitVerdict = z.infer<typeof UnitVerdict>;

/** One step of a set-up trajectory as experience sees it. */
export const SetupMoment = z.strictObject({
  turn: z.int().min(0),
  /** Name of the tool. */
  action: z.string(),
  command: z.string().nullable(),
  exitCode: z.int().nullable(),
  output: z.string(),
  /** A rollback took it back. */
  undone: z.boolean(),
  /** The unit that it tried. */
  unit: z.string().optional(),
});
export type SetupMoment = z.infer<typeof SetupMoment>;

/** Whether a draft says what its nearest neighbour says already; `version` is the neighbour's as it was judged. */
export const Judgement = z.strictObject({
  nearest: z.string(),
  version: z.int().min(1),
  same: z.boolean(),
  /** Advice of the merged unit; absent: both lists joined by rule. */
  advice: z.array(z.string().min(1).max(2_000)).min(1).max(5).optional(),
  why: z.string(),
});
export type Judgement = z.infer<typeof Judgement>;

export const ExperienceMode = z.enum(['off', 'frozen', 'learn']);
export type ExperienceMode = z.infer<typeof ExperienceMode>;

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'im');
    return true;
  } catch {
    return false;
  }
}
