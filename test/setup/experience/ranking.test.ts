import type { RepositoryFacts, Suggestion } from '../../../src/contract';
import {
  applies,
  type Candidate,
  checkedChoice,
  cosine,
  embedNgrams,
  literalText,
  rank,
  reliability,
  rerankByRules,
  situationText,
  unitText,
} from '../../../src/setup/experience';
import { FACTS, PEP_668, PG_CONFIG, PG_SITUATION, unitLike } from '../../store/experience/support/units';

const candidate = (unit: Candidate['unit'], fields: Partial<Candidate> = {}): Candidate => ({
  unit,
  cosine: null,
  text: null,
  patterns: {},
  ...fields,
});
const offered = (candidates: readonly Candidate[]): Suggestion[] =>
  rank(candidates, PG_SITUATION, FACTS).map((each) => ({ ...each, commands: [] }));

test('B8: what was proved outranks what was never tried, and what failed comes last, whatever was shown how often', () => {
  const similar = (id: string, hits: number, successes: number, failures: number) =>
    candidate(unitLike(id, { telemetry: { hits, successes, failures } }), { cosine: 0.6 });
  const ranked = offered([similar('untried', 0, 0, 0), similar('failing', 9, 0, 6), similar('proved', 500, 10, 1)]);
  expect(ranked.map(({ unit }) => unit)).toEqual(['proved', 'untried', 'failing']);
});

test('reliability is a lower bound: it grows with evidence, and one failure is no verdict', () => {
  const of = (successes: number, failures: number) => reliability({ successes, failures });
  expect(of(0, 0)).toBeCloseTo(0.5);
  expect(of(1, 0)).toBeGreaterThan(of(0, 0));
  expect(of(20, 2)).toBeGreaterThan(of(10, 1));
  expect(of(0, 1)).toBeGreaterThan(0.3);
  expect(of(0, 100)).toBeLessThan(0.1);
  expect(of(1e6, 0)).toBeLessThanOrEqual(1);
});

test('an exact match comes first even before a better record, and a bare word is no match', () => {
  const exact = candidate(PG_CONFIG, { patterns: { 'pg_config executable not found': 'key' } });
  const proved = candidate(unitLike('proved', { telemetry: { hits: 50, successes: 40, failures: 0 } }), {
    cosine: 0.65,
  });
  const word = candidate(unitLike('word', {}, { regex: ['error'] }), { patterns: { error: 'key' } });
  const { chosen } = rerankByRules(offered([proved, word, exact]), PG_SITUATION);
  expect(chosen.map(({ unit }) => unit)).toEqual(['pg-config', 'proved']);
  expect(chosen[0]!.why).toContain('pg_config executable not found');
});

test('B8c: nothing relevant is an answer', () => {
  const weak = [candidate(PEP_668, { text: 0.3 }), candidate(unitLike('far'), { cosine: 0.46 })];
  expect(rerankByRules(offered(weak), PG_SITUATION)).toEqual({ chosen: [] });
});

test('a failing record is a reference: it does not drop an exact match', () => {
  const failing = { ...PG_CONFIG, telemetry: { hits: 9, successes: 0, failures: 9 } };
  const { chosen } = rerankByRules(
    offered([candidate(failing, { patterns: { 'pg_config executable not found': 'key' } })]),
    PG_SITUATION,
  );
  expect(chosen.map(({ unit }) => unit)).toEqual(['pg-config']);
});

test('of a pattern in the decisive lines and a short one in the rest of the log, the first counts more', () => {
  const [key, whole] = [
    candidate(unitLike('key', {}, { regex: ['postgres'] }), { patterns: { postgres: 'key' as const } }),
    candidate(unitLike('whole', {}, { regex: ['postgres'] }), { patterns: { postgres: 'whole' as const } }),
  ];
  expect(offered([whole, key]).map(({ unit }) => unit)).toEqual(['key', 'whole']);
});

test('a unit on probation is offered behind one that worked elsewhere', () => {
  const fresh = candidate(unitLike('fresh', { status: 'quarantined' }), { cosine: 0.7 });
  const known = candidate(unitLike('known'), { cosine: 0.6 });
  expect(offered([fresh, known]).map(({ unit }) => unit)).toEqual(['known', 'fresh']);
});

test.each<[string, Partial<RepositoryFacts>, object, boolean]>([
  ['another language', {}, { lang: 'go' }, false],
  ['any language', {}, { lang: 'any' }, true],
  ['a second runtime of the repository', { runtime: ['python3.11', 'node18'] }, { lang: 'javascript' }, true],
  ['another system', {}, { os: ['macos', 'windows'] }, false],
  ['a sibling of the system', {}, { os: ['ubuntu'] }, true],
  ['linux', {}, { os: ['linux'] }, true],
  ['another minor version', {}, { runtime: ['python3.10'] }, true],
  ['another major version', {}, { runtime: ['python2.7'] }, false],
  ['a version that only begins alike', { runtime: ['python3.11'] }, { runtime: ['python31'] }, false],
  ['a runtime that is not there', {}, { runtime: ['node18'] }, true],
  ['tools restrict nothing', {}, { tools: ['poetry'] }, true],
])('applicability: %s', (_, facts, applicability, expected) => {
  const unit = unitLike('x', {}, { applicability });
  expect(applies(unit.signals.applicability, { ...FACTS, ...facts })).toBe(expected);
});

test('another minor version is a reason to rank lower', () => {
  const [same, near] = ['python3.11', 'python3.9'].map((runtime) =>
    candidate(unitLike(runtime, {}, { applicability: { runtime: [runtime] } }), { cosine: 0.6 }),
  );
  expect(offered([near!, same!]).map(({ unit }) => unit)).toEqual(['python3.11', 'python3.9']);
});

test('the built-in embedding is the same everywhere, of length 1, and near for texts that say the same', () => {
  expect(embedNgrams('pg_config').slice(0, 3)).toEqual(embedNgrams('pg_config').slice(0, 3));
  for (const text of ['', 'ä', 'No module named x', 'x'.repeat(10_000)]) {
    expect(Math.hypot(...embedNgrams(text))).toBeCloseTo(1);
  }
  const query = embedNgrams(situationText(PG_SITUATION));
  expect(cosine(query, embedNgrams(unitText(PG_CONFIG)))).toBeGreaterThan(
    cosine(query, embedNgrams(unitText(PEP_668))),
  );
  const repeated = {
    ...PG_CONFIG,
    advice_nl: ['Building psycopg2 from source needs pg_config: install libpq-dev or use psycopg2-binary.'],
  };
  expect(cosine(embedNgrams(unitText(repeated)), embedNgrams(unitText(PG_CONFIG)))).toBeGreaterThan(0.85);
  expect(cosine(embedNgrams(unitText(PEP_668)), embedNgrams(unitText(PG_CONFIG)))).toBeLessThan(0.45);
});

test("a model's choice is held to what was offered", () => {
  const list = offered([candidate(PG_CONFIG, { patterns: { 'pg_config executable not found': 'key' } })]);
  const answer = {
    chosen: [
      { unit: 'invented', why: '' },
      { unit: 'pg-config', why: 'a' },
      { unit: 'pg-config', why: 'b' },
    ],
  };
  expect(checkedChoice(list, answer)).toEqual([{ unit: 'pg-config', why: 'a' }]);
});

test('a pattern that is named like what every object has is no hit by that', () => {
  const odd = unitLike('odd', {}, { regex: ['constructor', 'toString'] });
  expect(rank([candidate(odd)], PG_SITUATION, FACTS)).toEqual([]);
});

test('how often something repeats is no text of a pattern', () => {
  expect(literalText('foo.{1,80}bar\\d{2}(?:x){10,}')).toBe('foo bar x');
});
