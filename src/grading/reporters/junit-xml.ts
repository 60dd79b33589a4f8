import { XMLParser } from 'fast-xml-parser';
import type { TestOutcome } from '../../contract';

/** One `testcase` of a JUnit report; attributes that are not there are empty. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly file: string;
  /** Names of the suites that it lies in, from outside; what some runners call a suite is the whole run. */
  readonly suites: readonly string[];
  readonly outcome: TestOutcome;
  /** `message` of what it failed, broke or was skipped with. */
  readonly message: string;
  /** What else it says of that: a traceback as a rule. */
  readonly text: string;
}

/** Paths are not needed, and numbers and blanks stay as they are written. 60,000 cases take some 0.4 s. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  trimValues: false,
  // Numeric references (`&#10;`) are read only with it.
  htmlEntities: true,
  jPath: false,
  isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
});

/**
 * Cases of a JUnit XML report in their order, out of suites as deep as a framework nests them. Several reports one after
 * the other are as good as one. The last case of a report that is cut off is left out; what is no XML has none.
 */
export function junitCases(xml: string): JunitCase[] {
  const text = xml.replace(/<\?xml[^<>]*\?>/g, '').trim();
  // The parser closes what is left open, and a test that was running would be taken for one that passed.
  const isWhole = /<\/testsuites?>$|^<testsuites?\b[^>]*\/>$/.test(text);
  const whole = isWhole ? text : text.slice(0, Math.max(0, text.lastIndexOf('<testcase')));
  const cases: JunitCase[] = [];
  try {
    collect(parser.parse(`<reports>${whole}</reports>`), [], cases);
  } catch {
    // Not well formed: what was read before stands.
  }
  return cases;
}

function collect(element: unknown, suites: readonly string[], cases: JunitCase[]): void {
  if (typeof element !== 'object' || element === null) return;
  for (const [name, children] of Object.entries(element)) {
    if (!Array.isArray(children)) continue;
    for (const child of children) {
      if (name === 'testcase') cases.push(caseOf(child, suites));
      else collect(child, name === 'testsuite' ? [...suites, attribute(child, 'name')] : suites, cases);
    }
  }
}

/** An element without attributes and children is its text. */
function caseOf(element: unknown, suites: readonly string[]): JunitCase {
  const [error, failure, skipped] = ['error', 'failure', 'skipped'].map((name) => childOf(element, name));
  const said = error ?? failure ?? skipped;
  const type = attribute(skipped?.value, 'type');
  const outcome = (): TestOutcome => {
    // Node's runner says so of a test that is still to be done, whatever became of it.
    if (type === 'todo') return 'skipped';
    if (error) return 'error';
    if (failure) return 'failed';
    if (type === 'pytest.xfail') return 'xfailed';
    // CTest has no element for tests that it was told to leave out.
    return skipped || /^(disabled|notrun)$/.test(attribute(element, 'status')) ? 'skipped' : 'passed';
  };
  return {
    name: attribute(element, 'name'),
    classname: attribute(element, 'classname'),
    file: attribute(element, 'file'),
    suites,
    outcome: outcome(),
    message: attribute(said?.value, 'message'),
    text: textIn(said?.value),
  };
}

function childOf(element: unknown, name: string): { readonly value: unknown } | undefined {
  if (typeof element !== 'object' || element === null || !Object.hasOwn(element, name)) return undefined;
  const children: unknown = Reflect.get(element, name);
  return { value: Array.isArray(children) ? children[0] : children };
}

function textIn(element: unknown): string {
  if (typeof element === 'string') return element;
  if (typeof element !== 'object' || element === null) return '';
  return String(Reflect.get(element, '#text') ?? '');
}

function attribute(element: unknown, name: string): string {
  const key = `@${name}`;
  if (typeof element !== 'object' || element === null || !Object.hasOwn(element, key)) return '';
  return String(Reflect.get(element, key));
}
