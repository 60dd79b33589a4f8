import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { TestOutcome } from '../contract/problem';

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  trimValues: false,
  // Numeric references (`&#10;`) are read only with it.
  htmlEntities: true,
  isArray: (_name, _path, _leaf, isAttribute) => !isAttribute,
});

/**
 * Outcomes of a JUnit XML report by `classname::name`. A test that appears twice must pass twice. Of a report that is cut
 * off, the test that it ends in has no outcome; what is no XML has none at all.
 */
export function readJunit(xml: string): Record<string, TestOutcome> {
  const outcomes = new Map<string, TestOutcome>();
  for (const test of testsIn(documentOf(xml))) {
    const [name, owner] = [String(test['@name'] ?? ''), String(test['@classname'] ?? '')];
    const id = owner ? `${owner}::${name}` : name;
    const outcome = outcomeOf(test);
    if (!outcomes.has(id) || outcome !== 'passed') outcomes.set(id, outcome);
  }
  return Object.fromEntries(outcomes);
}

type Element = Readonly<Record<string, unknown>>;

function documentOf(xml: string): Element {
  // Several reports one after the other are as good as one.
  const root = `<reports>${xml.replace(/<\?xml[^>]*\?>/g, '')}</reports>`;
  // The parser closes what is left open, and a test that was running would be taken for one that passed.
  const whole = XMLValidator.validate(root) === true ? root : root.slice(0, Math.max(0, root.lastIndexOf('<testcase')));
  try {
    return parser.parse(whole) as Element;
  } catch {
    return {};
  }
}

/** Suites lie in suites as deep as a framework likes. */
function testsIn(element: Element): Element[] {
  return Object.entries(element).flatMap(([name, children]) =>
    Array.isArray(children)
      ? (children as unknown[]).flatMap((child) => {
          // An element without attributes or children is its text.
          const inner: Element = typeof child === 'object' && child !== null ? (child as Element) : {};
          return name === 'testcase' ? [inner] : testsIn(inner);
        })
      : [],
  );
}

function outcomeOf(test: Element): TestOutcome {
  if ('error' in test) return 'error';
  if ('failure' in test) return 'failed';
  return 'skipped' in test ? 'skipped' : 'passed';
}
