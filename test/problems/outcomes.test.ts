import { createHmac } from 'node:crypto';
import type { TestOutcome } from '../../src/contract';
import { makeCanaries } from '../../src/problems/canaries';
import { readEvidence } from '../../src/problems/evidence';
import { readJunit } from '../../src/problems/junit';
import { compareRuns, foldReports, resolves, tally } from '../../src/problems/outcomes';

const phase = (
  id: string,
  when: 'setup' | 'call' | 'teardown',
  outcome: 'passed' | 'failed' | 'skipped',
  expectedFailure = false,
) => ({ id, when, outcome, expectedFailure });

describe('outcomes', () => {
  it('hold a failure against everything, and what was said first against what came later', () => {
    expect(
      foldReports([
        phase('sub', 'call', 'passed'),
        phase('sub', 'call', 'failed'),
        phase('sub', 'call', 'passed'),
        phase('torn', 'call', 'passed'),
        phase('torn', 'teardown', 'failed'),
        phase('x', 'call', 'passed', true),
        phase('y', 'call', 'skipped', true),
        phase('z', 'setup', 'skipped'),
        phase('__proto__', 'call', 'passed'),
      ]),
    ).toEqual(
      Object.fromEntries([
        ['sub', 'failed'],
        ['torn', 'error'],
        ['x', 'xpassed'],
        ['y', 'xfailed'],
        ['z', 'skipped'],
        ['__proto__', 'passed'],
      ]),
    );
  });

  it('count only a pass as a pass, and nothing as no pass', () => {
    const outcomes: Record<string, TestOutcome> = { a: 'passed', b: 'xpassed', c: 'skipped' };
    expect(tally(['a', 'b', 'c', 'gone', 'constructor'], outcomes)).toEqual({
      passed: 1,
      total: 5,
      missing: ['b', 'c', 'gone', 'constructor'],
    });
    expect(resolves({ failToPass: [], passToPass: [] }, outcomes)).toBe(false);
    expect(resolves({ failToPass: ['a'], passToPass: [] }, outcomes)).toBe(true);
  });

  it('split by what the gold patch changes, leaving the unsteady out', () => {
    const before = { a: 'passed', b: 'failed', c: 'passed', d: 'failed' } as const;
    const gold = [
      { a: 'passed', b: 'passed', c: 'passed', d: 'failed', e: 'passed' },
      { a: 'passed', b: 'passed', c: 'failed', d: 'failed' },
    ] as const;
    expect(compareRuns(before, gold)).toEqual({ failToPass: ['b'], passToPass: ['a'], flaky: ['c', 'e'] });
  });

  it('are read from JUnit reports', () => {
    const xml =
      '<testsuite><testcase classname="a.B" name="x &amp; y"/><testcase name="f"><failure>&lt;</failure></testcase><testcase name="s"><skipped/></testcase><testcase name="o"><system-out><![CDATA[<error/>]]></system-out></testcase></testsuite>';
    expect(readJunit(xml)).toEqual({ 'a.B::x & y': 'passed', f: 'failed', s: 'skipped', o: 'passed' });
  });

  it('are read from suites in suites, with every kind of reference, and a test that ran twice must pass twice', () => {
    const xml = `<?xml version="1.0"?>
      <testsuites name="all"><testsuite name="outer"><properties/><testsuite name="inner">
        <testcase classname='k' name='line&#10;two &#x41; &quot;&gt;&quot; > '><error message="x"/></testcase>
        <testcase name="twice"/><testcase name="twice"><failure/></testcase><testcase name="twice"/>
        <testcase></testcase>
      </testsuite></testsuite><testsuite><testcase name="1"/><!-- <testcase name="no"/> --></testsuite></testsuites>`;
    expect(readJunit(xml)).toEqual({
      'k::line\ntwo A ">" > ': 'error',
      twice: 'failed',
      '': 'passed',
      '1': 'passed',
    });
  });

  it.each([
    ['the test that ran', '<testsuite><testcase name="a"/><testcase name="b"><system-out/>'],
    ['its tag', '<testsuite><testcase name="a"/><testcase name="b'],
    ['what it said', '<testsuite><testcase name="a"/><testcase name="b"><system-out><![CDATA[</testcase>'],
  ])('hold what was done where a report is cut off in %s', (_, xml) => expect(readJunit(xml)).toEqual({ a: 'passed' }));

  it('are read from reports one after the other', () => {
    const one = (name: string) => `<?xml version="1.0"?>\n<testsuite><testcase name="${name}"/></testsuite>\n`;
    expect(readJunit(one('a') + one('b'))).toEqual({ a: 'passed', b: 'passed' });
  });

  it.each([
    ['nothing', ''],
    ['no XML', 'no XML <'],
    ['a name that would reach a prototype', '<__proto__ a="1"/>'],
    ['endless nesting', '<a>'.repeat(5_000)],
  ])('are none in %s', (_, xml) => expect(readJunit(xml)).toEqual({}));
});

describe('evidence', () => {
  const secret = 's';
  const sign = (body: string) => `${createHmac('sha256', secret).update(body).digest('hex')} ${body}\n`;
  const report = (n: number, id: string, outcome = 'passed', when = 'call') =>
    sign(JSON.stringify({ kind: 'report', n, id, when, outcome, xfail: false }));
  const begin = sign('{"kind":"begin","n":1,"python":"3","pytest":"9"}');
  const end = (n: number) => sign(`{"kind":"end","n":${n},"exit":0,"collected":1}`);
  const canaries = makeCanaries(['tests/test_a.py::x'], Math.random);
  const honest = (from: number) =>
    Object.entries(Object.assign({}, ...canaries.map((each) => each.expected)) as Record<string, TestOutcome>).map(
      ([id, outcome], at) =>
        report(from + at, id, outcome === 'passed' ? 'passed' : 'failed', outcome === 'error' ? 'setup' : 'call'),
    );

  it('is believed when every record is signed, in turn, and the canaries ended as they must', () => {
    const lines = [begin, report(2, 'tests/test_a.py::x[é\n]'), ...honest(3)];
    const read = readEvidence(`${lines.join('')}${end(lines.length + 1)}`, secret, canaries);
    expect(read).toMatchObject({ forged: [], complete: true, outcomes: { 'tests/test_a.py::x[é\n]': 'passed' } });
  });

  it.each([
    ['an unsigned record', `${begin}${'0'.repeat(64)} {"kind":"report","n":2}\n`, 'report_forged'],
    ['a record sent twice', `${begin}${report(2, 'a')}${report(2, 'a')}`, 'report_forged'],
    ['lost canaries', `${begin}${report(2, 'a')}${end(3)}`, 'canary_lost'],
    ['a record after the end', `${begin}${end(2)}${report(3, 'a')}`, 'report_forged'],
    [
      "the witness's alarm",
      `${begin}${sign('{"kind":"tampered","n":2,"what":"test_replaced","detail":"x"}')}`,
      'test_replaced',
    ],
  ])('is not believed with %s', (_, stream, kind) => {
    expect(readEvidence(stream, secret, canaries).forged.map((flag) => flag.kind)).toContain(kind);
  });
});
