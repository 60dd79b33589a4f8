import type { TestOutcome } from '../contract/problem';

/** Outcomes of a JUnit XML report by `classname::name`. A test that appears twice must pass twice. */
export function readJunit(xml: string): Record<string, TestOutcome> {
  const outcomes = new Map<string, TestOutcome>();
  for (const [, attributes, closed, body] of xml.matchAll(
    /<testcase\b((?:[^>"']|"[^"]*"|'[^']*')*?)(?:(\/)>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const name = attribute(attributes!, 'name');
    const owner = attribute(attributes!, 'classname');
    const id = owner ? `${owner}::${name}` : name;
    const content = closed ? '' : (body ?? '').replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, '');
    const outcome = outcomeOf(content);
    if (!outcomes.has(id) || outcome !== 'passed') outcomes.set(id, outcome);
  }
  return Object.fromEntries(outcomes);
}

function outcomeOf(body: string): TestOutcome {
  if (/<error[\s/>]/.test(body)) return 'error';
  if (/<failure[\s/>]/.test(body)) return 'failed';
  return /<skipped[\s/>]/.test(body) ? 'skipped' : 'passed';
}

function attribute(attributes: string, name: string): string {
  const value = new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return (value?.[1] ?? value?.[2] ?? '').replace(/&(#x?[0-9a-f]+|amp|lt|gt|quot|apos);/gi, (_, entity: string) =>
    decode(entity),
  );
}

function decode(entity: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  if (!entity.startsWith('#')) return named[entity.toLowerCase()]!;
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
