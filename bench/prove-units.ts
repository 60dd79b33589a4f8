import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { PointsmanError } from '../src/contract';
import { errorSignature } from '../src/setup/error-signature';
import { type Digested, PROVED, type Proof, type Proved, readProofs, readProved, readUnits } from './units/proof';
import { prove } from './units/prove';
import { ProofRoom } from './units/room';

/**
 * `npm run bench units [--keep-layers] [IDS…]`: shows that each shipped unit helps, in a fresh container each, and writes
 * experience/proved.json. Without ids: every unit whose row or proof changed since it was proved last. `--keep-layers`
 * leaves what the proofs prepared for the next run; without it nothing is left.
 */
export async function benchUnits(args: string[]): Promise<void> {
  const kept = args.includes('--keep-layers');
  const ids = args.filter((arg) => !arg.startsWith('--'));
  const proved = new Map(readProved().map((row) => [row.unit, row]));
  const units = new Map(readUnits().map((unit) => [unit.id, unit]));
  const proofs = readProofs().filter((proof) => {
    const unit = units.get(proof.unit);
    if (!unit)
      throw new PointsmanError(
        'InvalidInput',
        `the proof of ${proof.unit} has no unit`,
        'Add it, or remove the proof.',
      );
    return ids.length > 0 ? ids.some((id) => matches(id, unit.id)) : !isProved(proved.get(unit.id), unit, proof);
  });
  const room = new ProofRoom(kept ? 'prove-units-kept' : randomUUID());
  const failed: string[] = [];
  console.log('| unit | proved | s | failure |\n|---|---|---|---|');
  try {
    for (const proof of byLayer(proofs)) {
      const unit = units.get(proof.unit)!;
      const started = Date.now();
      const verdict = await prove(room, unit, proof);
      const seconds = Math.round((Date.now() - started) / 100) / 10;
      const said = verdict.proved ? errorSignature(verdict.before) : verdict.why;
      console.log(`| ${unit.id} | ${verdict.proved ? 'yes' : 'NO'} | ${seconds} | ${said.replaceAll('|', '\\|')} |`);
      if (!verdict.proved) failed.push(unit.id);
      else proved.set(unit.id, provedRow(unit, proof, verdict.before, verdict.seconds));
      save([...proved.values()].filter((row) => units.has(row.unit)));
    }
  } finally {
    if (!kept) await room.close();
  }
  if (failed.length > 0)
    throw new PointsmanError('InvalidInput', `not proved: ${failed.join(', ')}`, 'Correct the unit or its proof.');
}

function isProved(row: Proved | undefined, unit: Digested<object>, proof: Digested<Proof>): boolean {
  return row?.unitSha256 === unit.sha256 && row.proofSha256 === proof.sha256;
}

function provedRow(unit: Digested<{ id: string }>, proof: Digested<Proof>, before: string, seconds: number): Proved {
  return {
    unit: unit.id,
    unitSha256: unit.sha256,
    proofSha256: proof.sha256,
    date: new Date().toISOString().slice(0, 10),
    seconds,
    signature: errorSignature(before),
    before,
  };
}

/** `py-*` names many. */
function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}

/** Proofs that share layers come after one another. */
function byLayer(proofs: Digested<Proof>[]): Digested<Proof>[] {
  const key = ({ prepare }: Proof) => prepare.join('\n');
  return [...proofs].sort((a, b) => key(a).localeCompare(key(b)));
}

function save(rows: Proved[]): void {
  const sorted = rows.sort((a, b) => a.unit.localeCompare(b.unit));
  writeFileSync(PROVED, `${JSON.stringify(sorted, null, 2)}\n`);
}
