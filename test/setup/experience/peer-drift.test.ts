import fc from 'fast-check';
import { exportPeer, importPeer } from '../../../src/setup/experience';
import { unitLike } from '../../store/experience/support/units';
import { examples } from '../../support/counts';

type Row = Record<string, unknown>;
const ROW = { id: 'x', signals: { keywords: ['foo'] }, advice_nl: ['Install foo.'], atoms: [], telemetry: {} };

/** A row through import and export, with what was said about it. */
function through(row: Row) {
  const { units, repaired, quarantined } = importPeer(JSON.stringify(row));
  const [unit] = units;
  const repairs = (repaired[0]?.repairs ?? []).join('; ');
  const back = unit ? (JSON.parse(exportPeer([unit])) as Row & { signals: Row }) : undefined;
  return { unit, back: back!, repairs, quarantined };
}

test('sixty keywords come back, and the note says which are beside', () => {
  const keywords = Array.from({ length: 60 }, (_, at) => `word-${at}`);
  const { unit, back, repairs } = through({ ...ROW, signals: { keywords } });
  expect(unit!.signals.keywords).toEqual(keywords.slice(0, 40));
  expect(unit).toMatchObject({ keywords_more: keywords.slice(40) });
  expect(back.signals.keywords).toEqual(keywords);
  expect(repairs).toMatch(/20 of 60 keywords .*keywords_more.*word-40/);
});

test('what is too long is used in no cut form, and comes back whole', () => {
  const long = 'k'.repeat(300);
  const { unit, back, repairs } = through({
    ...ROW,
    signals: { keywords: ['a', long], situation_triggers: [long, long + long] },
  });
  expect(unit!.signals).toMatchObject({ keywords: ['a'], situation_triggers: [long] });
  expect(back.signals).toMatchObject({ keywords: ['a', long], situation_triggers: [long, long + long] });
  expect(repairs).toMatch(/1 of 2 keywords.*1 of 2 situation_triggers/);
});

test('advice of 5,000 characters is used in pieces and comes back as one', () => {
  const long = Array.from({ length: 500 }, (_, at) => `${String(at).padStart(8, ' ')}\u{1f40d}`).join('');
  const advice = ['first', long, 'last', 'more', 'and more'];
  const { unit, back, repairs } = through({ ...ROW, advice_nl: advice });
  expect(unit!.advice_nl).toHaveLength(5);
  expect(unit!.advice_nl.every((each) => each.length <= 2_000 && encodeURI(each) !== '')).toBe(true);
  expect(back.advice_nl).toEqual([advice[0], long.trim(), ...advice.slice(2)]);
  expect(repairs).toMatch(/advice_long.*pieces of advice/);
});

test.each<[string, Row, string, unknown]>([
  ['a list', { name: 'pip_install', args: ['foo'] }, 'pip_install', { packages: ['foo'] }],
  ['a text', { name: 'apt_install', args: 'gcc make' }, 'apt_install', { packages: 'gcc make' }],
  ['a command', { name: 'shell', args: 'make' }, 'shell', { cmd: 'make' }],
  ['commands', { name: 'shell', args: ['a', 'b'] }, 'shell', { commands: ['a', 'b'] }],
  ['a variable', { name: 'set_env', args: 'A=b=c' }, 'set_env', { key: 'A', value: 'b=c' }],
  ['flags', { name: 'set_pytest_flag', args: ['-p', 'x'] }, 'set_pytest_flag', { flags: ['-p', 'x'] }],
  ['nothing', { name: 'npm_install' }, 'npm_install', {}],
  ['beside the name', { name: 'set_umask', value: '022' }, 'set_umask', { value: '022' }],
])('arguments that are %s become named ones, with a note', (_, atom, name, args) => {
  const { unit, repairs } = through({ ...ROW, atoms: [atom] });
  expect(unit!.atoms).toMatchObject([{ name, args }]);
  expect(repairs).toContain(name);
});

test('arguments that nobody can read put the atom aside, whole', () => {
  const atoms = [{ name: 'set_env', args: ['A'] }, { name: 'pip_install', args: 7 }, 'pip install foo', null];
  const { unit, back, repairs } = through({ ...ROW, atoms });
  expect(unit!.atoms).toEqual([]);
  expect(back.atoms).toEqual(atoms);
  expect(repairs).toContain('atoms_unknown');
});

test.each<[string, Row, Row]>([
  ['advice', { advice_nl: ['a', { text: 'b' }] }, { advice_unreadable: [{ text: 'b' }] }],
  ['triggers', { signals: { situation_triggers: ['t', { a: 1 }] } }, { situation_triggers_unreadable: [{ a: 1 }] }],
  ['keywords', { signals: { keywords: [{ a: 1 }, true] } }, { keywords_unreadable: [{ a: 1 }, true] }],
  ['patterns', { signals: { regex: ['ok', { a: 1 }] } }, { regex_unreadable: [{ a: 1 }] }],
  ['signals', { signals: 'oops' }, { signals_unreadable: 'oops' }],
  ['applicability', { signals: { applicability: ['python'] } }, { applicability_unreadable: ['python'] }],
  [
    'parts of applicability',
    { signals: { applicability: { lang: 5, os: ['linux', {}] } } },
    { applicability_unreadable: { lang: 5, os: [{}] } },
  ],
  ['counts', { telemetry: { hits: 'many', successes: 2 } }, { telemetry_unreadable: { hits: 'many' } }],
  ['telemetry', { telemetry: 'none' }, { telemetry_unreadable: 'none' }],
  ['provenance', { provenance: 'a paper' }, { provenance_unreadable: 'a paper' }],
  [
    'status and version',
    { status: 'golden', version: '1.2' },
    { status_unreadable: 'golden', version_unreadable: '1.2' },
  ],
])('%s that cannot be read are kept beside, with a note', (_, drift, beside) => {
  const { unit, back, repairs, quarantined } = through({ ...ROW, ...drift });
  expect(quarantined).toEqual([]);
  expect(unit).toMatchObject(beside);
  for (const name of Object.keys(beside)) expect(repairs).toContain(name);
  // Those of lists go back into their lists.
  const lists = [back.advice_nl, ...Object.values(back.signals)].flat();
  for (const [name, value] of Object.entries(beside))
    if (back[name] === undefined) expect(lists).toEqual(expect.arrayContaining(value as unknown[]));
    else expect(back[name]).toEqual(value);
});

test('advice on both levels is all advice', () => {
  const { back } = through({ ...ROW, signals: { advice_nl: ['inside'] } });
  expect(back.advice_nl).toEqual(['Install foo.', 'inside']);
});

test('unknown fields go back with the export, and so do runtimes that are not Python', () => {
  const unit = unitLike(
    'y',
    { seen: [1], provenance: { created: '2026-01-01T00:00:00Z', run: 'r', note: 'n' } },
    {
      more: true,
      applicability: { lang: 'node', runtime: ['node18', 'python3.11'], arch: 'arm64' },
    },
  );
  const row = JSON.parse(exportPeer([unit]));
  expect(row).toMatchObject({
    seen: [1],
    provenance: { note: 'n' },
    signals: { more: true, applicability: { runtime: ['node18'], python: ['3.11'], arch: 'arm64' } },
  });
  const { units } = importPeer(JSON.stringify(row));
  expect(units[0]!.signals.applicability.runtime).toEqual(['node18', 'python3.11']);
});

test('a row that has all of our fields is still read as its own names for versions of Python', () => {
  const provenance = { created: '2026-01-01T00:00:00Z' };
  const { unit } = through({ ...ROW, provenance, signals: { applicability: { lang: 'python', python: ['3.9'] } } });
  expect(unit!.signals.applicability.runtime).toEqual(['python3.9']);
});

/** What is in a list, or alone in its place, as it is compared: without the space around texts. */
function items(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list
    .map((each) => JSON.stringify(typeof each === 'string' || typeof each === 'number' ? String(each).trim() : each))
    .sort();
}

const object = (value: unknown): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {};
const junk = fc.oneof(fc.record({ a: fc.integer() }), fc.constantFrom(null, true, '  ', []), fc.array(fc.integer()));
const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 150, maxLength: 700 }) },
  { weight: 1, arbitrary: fc.integer() },
);
const longText = fc.integer({ min: 1_900, max: 7_000 }).map((length) => '0123456789'.repeat(700).slice(0, length));
const drifted = (item: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: item }, junk), { maxLength: 70, size: 'max' }) },
    { weight: 1, arbitrary: item },
    { weight: 1, arbitrary: junk },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
const unknown = fc.dictionary(fc.constantFrom('x_a', 'x_b', 'source', 'created_at_ms'), fc.jsonValue());
const signals = fc
  .record({
    more: unknown,
    keywords: drifted(text),
    regex: drifted(fc.oneof(text, fc.constantFrom('(', '[a', 'No module named .*'))),
    situation_triggers: drifted(text),
    advice_nl: fc.option(drifted(fc.oneof(text, longText)), { nil: undefined }),
    applicability: fc.oneof(
      junk,
      fc.tuple(
        unknown,
        fc.record({ lang: fc.oneof(fc.constant('python'), junk), os: drifted(text), python: drifted(text) }),
      ),
    ),
  })
  .map(({ more, applicability, ...known }) => ({
    ...more,
    ...known,
    applicability: Array.isArray(applicability)
      ? { ...object(applicability[0]), ...object(applicability[1]) }
      : applicability,
  }));
const row = fc
  .record({
    more: unknown,
    signals: fc.oneof({ weight: 9, arbitrary: signals }, junk),
    advice: drifted(fc.oneof(text, longText)),
  })
  .map(({ more, advice, ...known }): Row => {
    const readable = 'Some advice that can be read.';
    const advice_nl = Array.isArray(advice)
      ? [readable, ...advice]
      : advice === undefined
        ? readable
        : [readable, advice];
    return JSON.parse(JSON.stringify({ id: 'generated', ...more, ...known, advice_nl }));
  });

test('property: whatever a row has, it has again after import and export, and every change was noted', () => {
  fc.assert(
    fc.property(row, (before) => {
      const { unit, back, repairs, quarantined } = through(before);
      expect(quarantined).toEqual([]);
      const said = object(before.signals);
      const lists = { keywords: said.keywords, regex: said.regex, situation_triggers: said.situation_triggers };
      for (const [name, value] of Object.entries(lists)) {
        expect([name, items(back.signals[name])]).toEqual([name, items(value)]);
        const used = unit!.signals[name as keyof typeof lists];
        if (JSON.stringify(used) !== JSON.stringify(value ?? [])) expect(repairs).toContain(name);
      }
      const advice = [before.advice_nl, said.advice_nl].flatMap((each) => (Array.isArray(each) ? each : (each ?? [])));
      expect(items(back.advice_nl)).toEqual(items(advice));
      if (JSON.stringify(unit!.advice_nl) !== JSON.stringify(advice)) expect(repairs).toContain('advice');
      const { signals: _, advice_nl: __, ...others } = before;
      expect(back).toMatchObject(others);
      const { keywords, regex, situation_triggers, advice_nl, applicability, ...more } = said;
      expect(back.signals).toMatchObject(more);
      const { lang, os, python, ...known } = object(applicability);
      expect(back.signals.applicability).toMatchObject(known);
      // And a second time nothing changes any more.
      expect(through(back).back).toEqual(back);
    }),
    { numRuns: examples(100, 300) },
  );
});
