import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PROVED, readProofs, readProved, readUnits, signalsIn, UNITS } from '../../bench/units/proof';
import { prove } from '../../bench/units/prove';
import { ProofRoom } from '../../bench/units/room';
import type { ExperienceUnit, GuestFacts } from '../../src/contract';
import { importPeer, renderAtoms } from '../../src/setup/experience';

const units = readUnits();
const proofs = new Map(readProofs().map((proof) => [proof.unit, proof]));
const proved = new Map(readProved().map((row) => [row.unit, row]));
const unitOf = (id: string) => units.find((unit) => unit.id === id)!;

const DEBIAN: GuestFacts = {
  python: '/venv/bin/python',
  venv: '/venv',
  packageManager: 'apt',
  node: 'npm',
  conda: false,
  workdir: '/work',
};

test('there are enough units, each with a name of its own that begins with its ecosystem', () => {
  const ids = units.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(70);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^(py|node|go|rust|c|java|sys)(-[a-z0-9]+)+$/.test(id))).toEqual([]);
});

test('the store reads every row as it is written', () => {
  const { units: read, quarantined } = importPeer(readFileSync(UNITS, 'utf8'));
  expect(quarantined).toEqual([]);
  expect(read).toEqual(units.map(({ sha256: _, ...unit }) => unit));
});

test('units come as shipped, active and never judged', () => {
  const odd = units.filter(
    ({ provenance, status, telemetry }) =>
      provenance.shipped !== true ||
      provenance.repository !== undefined ||
      Number.isNaN(Date.parse(provenance.created)) ||
      status !== 'active' ||
      telemetry.hits + telemetry.successes + telemetry.failures > 0,
  );
  expect(odd.map(({ id }) => id)).toEqual([]);
});

test('every unit was proved as it is now', () => {
  const stale = units.filter(({ id, sha256 }) => {
    const row = proved.get(id);
    return row?.unitSha256 !== sha256 || row.proofSha256 !== proofs.get(id)?.sha256;
  });
  // `npm run bench units` proves them again.
  expect(stale.map(({ id }) => id)).toEqual([]);
  expect([...proofs.keys()].sort()).toEqual(units.map(({ id }) => id).sort());
  expect([...proved.keys()].sort()).toEqual(units.map(({ id }) => id).sort());
});

test.each(units.map(({ id }) => id))('%s is found by the error that it was proved on', (id) => {
  const { before } = proved.get(id)!;
  expect(before).toMatch(new RegExp(proofs.get(id)!.expect, 'im'));
  expect(signalsIn(unitOf(id), before)).not.toEqual([]);
});

test('no unit catches the errors of many others', () => {
  const others = (unit: ExperienceUnit) =>
    [...proved.values()].filter((row) => row.unit !== unit.id && signalsIn(unit, row.before).length > 0);
  const greedy = units.map((unit) => ({ unit: unit.id, catches: others(unit).map((row) => row.unit) }));
  expect(greedy.filter(({ catches }) => catches.length > 3)).toEqual([]);
});

test('every error finds its own unit first, or second after one that is about the same line', () => {
  const strength = (unit: ExperienceUnit, error: string) =>
    Math.max(0, ...signalsIn(unit, error).map((hit) => hit.strength));
  const misled = [...proved.values()].filter((row) => {
    const own = strength(unitOf(row.unit), row.before);
    return units.filter((unit) => strength(unit, row.before) > own).length > 1;
  });
  expect(misled.map((row) => row.unit)).toEqual([]);
});

test('every atom can be rendered; a unit without atoms was proved with an adapted command', () => {
  const refused = units.flatMap(({ id, atoms }) => renderAtoms(atoms, DEBIAN).refused.map((why) => `${id}: ${why}`));
  expect(refused).toEqual([]);
  const idle = units.filter(({ id, atoms }) => atoms.length === 0 && proofs.get(id)?.adapt === undefined);
  expect(idle.map(({ id }) => id)).toEqual([]);
});

test('no unit names a repository, no file an address', () => {
  const repository = /\bgit@|\b(?:git(?:hub|lab)|bitbucket)\.(?:com|org)\b|\bregistry\.|\bpypi\.org\b/i;
  expect(units.map((unit) => JSON.stringify(unit)).filter((row) => repository.test(row))).toEqual([]);
  const lines = [UNITS, PROVED].flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  expect(lines.filter((line) => /\bhttps?:\/\//i.test(line))).toEqual([]);
});

describe('in a container', () => {
  const room = new ProofRoom(randomUUID());
  afterAll(() => room.close());

  test.each(['sys-git-identity-unset', 'sys-crlf-scripts', 'py-pep668-managed-environment'])('%s helps', async (id) => {
    expect(await prove(room, unitOf(id), proofs.get(id)!)).toMatchObject({ proved: true });
  });

  test('a unit that changes nothing is not proved, nor one that the error does not find', async () => {
    const [unit, proof] = [unitOf('sys-git-identity-unset'), proofs.get('sys-git-identity-unset')!];
    const idle = { ...unit, atoms: [{ name: 'shell' as const, args: { cmd: 'true' } }] };
    expect(await prove(room, idle, proof)).toMatchObject({
      proved: false,
      why: expect.stringContaining('still fails'),
    });
    const deaf = { ...unit, signals: { ...unit.signals, regex: ['never printed'], keywords: [] } };
    expect(await prove(room, deaf, proof)).toMatchObject({ proved: false, why: expect.stringContaining('no signal') });
  });
});
