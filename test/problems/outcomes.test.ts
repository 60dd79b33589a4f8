import type { TestOutcome } from '../../src/contract';
import { REPORTERS } from '../../src/grading/reporters';
import { tallyOf } from '../../src/grading/verdict';
import { compareRuns, resolves } from '../../src/problems/outcomes';

const readJunit = (xml: string) => REPORTERS.junit.read({ file: xml, stdout: '', stderr: '' }, []);

describe('outcomes', () => {
  it('count only a pass as a pass, and nothing as no pass', () => {
    const outcomes: Record<string, TestOutcome> = { a: 'passed', b: 'xpassed', c: 'skipped' };
    expect(tallyOf(['a', 'b', 'c', 'gone', 'constructor'], outcomes)).toEqual({
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
