import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportPeer, exportUnits, importPeer } from '../../../src/setup/experience';

/** Rows of our own writing in the peer's shape, with every kind of drift that its file is known to have. */
const FIXTURE = readFileSync(join(__dirname, 'fixtures', 'xpu.jsonl'), 'utf8');
const lines = FIXTURE.trim().split('\n');

test('every row of the peer is a unit, repaired, or quarantined with a reason: none is lost', () => {
  const { units, repaired, quarantined } = importPeer(FIXTURE, { created: '2026-11-22T00:00:00.000Z' });
  expect(units.length + quarantined.length).toBe(lines.length);
  expect(quarantined.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
    expect.stringMatching(/^7: no JSON/),
    expect.stringMatching(/^8: the id drift-plain is on line 1 already/),
    expect.stringMatching(/^9: advice_nl/),
    expect.stringMatching(/^10: no object/),
    expect.stringMatching(/^11: id/),
  ]);
  for (const { line, text } of quarantined) expect(text).toBe(lines[line - 1]);
  const repairs = Object.fromEntries(repaired.map((each) => [each.unit, each.repairs.join('; ')]));
  expect(repairs['drift-long']).toContain('7 pieces of advice');
  expect(repairs['drift-atoms']).toContain('poetry_install');
  expect(repairs['drift-inside']).toContain('inside of signals');
  expect(repairs['drift-regex']).toContain('1 patterns that cannot be used');
  expect(repairs['drift-plain']).toBeUndefined();
});

test('what does not fit is kept beside, unknown fields too, and goes back with the export', () => {
  const { units } = importPeer(FIXTURE);
  const rows = new Map(
    exportPeer(units)
      .trim()
      .split('\n')
      .map((line) => [JSON.parse(line).id, JSON.parse(line)]),
  );
  for (const id of ['drift-plain', 'drift-long', 'drift-atoms']) {
    const before = JSON.parse(lines.find((line) => line.includes(`"${id}"`))!);
    const after = rows.get(id);
    expect(after.advice_nl).toEqual(before.advice_nl);
    expect(after.telemetry).toEqual(before.telemetry);
    expect(after.signals.applicability).toMatchObject(before.signals.applicability);
    for (const atom of before.atoms) expect(after.atoms).toContainEqual(atom);
  }
  expect(Object.keys(rows.get('drift-plain')).sort()).toEqual(['advice_nl', 'atoms', 'id', 'signals', 'telemetry']);
});

test('the peer names versions of Python, we name runtimes', () => {
  const { units } = importPeer(FIXTURE);
  expect(units.find(({ id }) => id === 'drift-plain')!.signals.applicability.runtime).toEqual([
    'python3.10',
    'python3.11',
  ]);
});

test('what we export we import as it was', () => {
  const { units } = importPeer(FIXTURE);
  expect(importPeer(exportUnits(units))).toEqual({ units, repaired: [], quarantined: [] });
});

test('the mark of a byte order at the start of a file is no part of its first unit', () => {
  const { units } = importPeer(FIXTURE);
  expect(importPeer(`\ufeff${exportUnits(units)}`)).toMatchObject({ units, quarantined: [] });
});
