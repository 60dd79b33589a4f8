import { ExperienceUnit } from '../../contract';
import { pythonRuntimes, repaired } from './peer-row';

export interface Imported {
  readonly units: ExperienceUnit[];
  /** Rows that were brought into shape; they are among `units`. */
  readonly repaired: { readonly line: number; readonly unit: string; readonly repairs: readonly string[] }[];
  /** Rows that are no units: where, why, and the row, so that nothing is lost silently. */
  readonly quarantined: { readonly line: number; readonly reason: string; readonly text: string }[];
}

export interface ImportOptions {
  /** ISO time that units without one are given. */
  readonly created?: string;
}

/**
 * Reads experience as JSON lines: our own export, and the peer's `xpu` rows with all that drifted in them. Lines are counted
 * from 1; empty ones are skipped, and so is the mark that some editors put before the first.
 */
export function importPeer(jsonl: string, { created = '1970-01-01T00:00:00.000Z' }: ImportOptions = {}): Imported {
  const units: ExperienceUnit[] = [];
  const mended: Imported['repaired'][number][] = [];
  const quarantined: Imported['quarantined'][number][] = [];
  const lineOf = new Map<string, number>();
  for (const [at, text] of jsonl
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (text.trim() === '') continue;
    const line = at + 1;
    const read = readRow(text, created);
    if ('reason' in read) quarantined.push({ line, reason: read.reason, text });
    else if (lineOf.has(read.unit.id)) {
      quarantined.push({ line, reason: `the id ${read.unit.id} is on line ${lineOf.get(read.unit.id)} already`, text });
    } else {
      lineOf.set(read.unit.id, line);
      units.push(read.unit);
      if (read.repairs.length > 0) mended.push({ line, unit: read.unit.id, repairs: read.repairs });
    }
  }
  return { units, repaired: mended, quarantined };
}

function readRow(text: string, created: string): { unit: ExperienceUnit; repairs: string[] } | { reason: string } {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch (error) {
    return { reason: `no JSON: ${(error as Error).message}` };
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { reason: 'no object' };
  const ours = ExperienceUnit.safeParse(row);
  if (ours.success && namesItsRuntimes(ours.data)) return { unit: ours.data, repairs: [] };
  const mended = repaired(row as Record<string, unknown>, created);
  const read = ExperienceUnit.safeParse(mended.row);
  if (read.success) return { unit: read.data, repairs: mended.repairs };
  return { reason: read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') };
}

/** A row of the peer's may happen to have all of our fields, but it says elsewhere which versions of Python it is about. */
function namesItsRuntimes({ signals }: ExperienceUnit): boolean {
  const { python, runtime } = signals.applicability;
  return pythonRuntimes(python).every((each) => runtime.includes(each));
}

/** One unit a line, as `importPeer` reads them back. */
export function exportUnits(units: readonly ExperienceUnit[]): string {
  return units.map((unit) => `${JSON.stringify(unit)}\n`).join('');
}
