import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ExperienceUnit, parseInput } from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { evidenceOf, type SignalHit, signalHits } from '../../src/setup/experience';

const FOLDER = join(REPOSITORY, 'experience');
export const UNITS = join(FOLDER, 'units.jsonl');
const PROOFS = join(FOLDER, 'proofs.jsonl');
export const PROVED = join(FOLDER, 'proved.json');

/** How a shipped unit is shown to help: a command that fails, then the unit, then the same command again. */
export const Proof = z
  .strictObject({
    /** Id of the unit. */
    unit: z.string(),
    /** Absent: the base image. */
    image: z.string().optional(),
    /** Commands that must succeed before the files are there. Proofs that begin with the same ones share their layers. */
    prepare: z.array(z.string()).default([]),
    /** Text by path, absolute or relative to the work directory. */
    files: z.record(z.string(), z.string()).default({}),
    /** Commands that must succeed once the files are there. */
    given: z.array(z.string()).default([]),
    /** Fails before the unit was applied and passes after it. */
    fails: z.string(),
    /** Regular expression on what `fails` prints. */
    expect: z.string(),
    /** Run instead of the unit's atoms, as a model would write it after reading the advice. */
    adapt: z.string().optional(),
    /** Why the atoms alone cannot do it. */
    adaptWhy: z.string().optional(),
    /** What passes at the end instead of `fails`, where the advice is to run something else. */
    adjusted: z.string().optional(),
    /** Why that shows as much. */
    adjustedWhy: z.string().optional(),
  })
  .refine((proof) => !proof.adapt === !proof.adaptWhy, 'adapt and adaptWhy belong together')
  .refine((proof) => !proof.adjusted === !proof.adjustedWhy, 'adjusted and adjustedWhy belong together');
export type Proof = z.infer<typeof Proof>;

/** What a proof left: the test suite holds units and proofs to it. */
export const Proved = z.strictObject({
  unit: z.string(),
  unitSha256: z.string(),
  proofSha256: z.string(),
  /** ISO 8601, day only. */
  date: z.string(),
  /** Of the proof itself, without the layers that it shares. */
  seconds: z.number(),
  /** Key line of the failure. */
  signature: z.string(),
  /** What the failing command printed: its beginning and its end, without addresses. */
  before: z.string(),
});
export type Proved = z.infer<typeof Proved>;

/** A row with what names its exact content. */
export type Digested<T> = T & { readonly sha256: string };

export function readUnits(): Digested<ExperienceUnit>[] {
  return rows(UNITS, ExperienceUnit);
}

export function readProofs(): Digested<Proof>[] {
  return rows(PROOFS, Proof);
}

export function readProved(): Proved[] {
  if (!existsSync(PROVED)) return [];
  return parseInput(z.array(Proved), JSON.parse(readFileSync(PROVED, 'utf8')), 'proved.json');
}

/** The signals of a unit that an error text shows, matched as the store does. */
export function signalsIn({ signals }: ExperienceUnit, error: string): SignalHit[] {
  const evidence = evidenceOf({ error });
  const hits: Record<string, 'key' | 'whole'> = {};
  for (const source of signals.regex) {
    const pattern = new RegExp(source, 'im');
    if (pattern.test(evidence.key)) hits[source] = 'key';
    else if (pattern.test(evidence.whole)) hits[source] = 'whole';
  }
  return signalHits(signals, evidence, hits);
}

/** The digest is of the row as it is written, so a default that the schema gains changes no digest. */
function rows<T>(file: string, schema: z.ZodType<T>): Digested<T>[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line, index) => {
    const row = JSON.parse(line) as unknown;
    const sha256 = createHash('sha256').update(JSON.stringify(row)).digest('hex');
    return { ...parseInput(schema, row, `${basename(file)}:${index + 1}`), sha256 };
  });
}
