import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { indexRepository, openPython } from '@pointsman/python';
import { readPythonFiles } from '../../../src/cli/functions';
import { considerFunctions, DEFAULT_FILTERS, resolveFilters } from '../../../src/problems/extraction';

const PACKAGES = ['python-graphs==1.2.3', 'toolz==0.12.1', 'humanize==4.12.2'];
const folder = mkdtempSync(join(tmpdir(), 'extraction-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The folder of a package's source distribution; undefined without a network. */
function fetched(name: string): string | undefined {
  const into = mkdtempSync(join(folder, 'p-'));
  try {
    execFileSync('pip', ['download', '-q', '--no-deps', '--no-binary', ':all:', '-d', into, name], {
      timeout: 120_000,
      stdio: 'ignore',
    });
    execFileSync('tar', ['-xzf', readdirSync(into)[0]!], { cwd: into });
  } catch {
    console.warn(`${name} cannot be had: its test is skipped`);
    return undefined;
  }
  return join(into, readdirSync(into).find((each) => !each.endsWith('.gz'))!);
}

async function extraction(dir: string, table: object = {}) {
  const index = indexRepository(await openPython(), readPythonFiles(dir));
  return considerFunctions(index, resolveFilters(table));
}

test.each(PACKAGES)('%s: every function is taken or left out for a reason, twice alike', async (name) => {
  const dir = fetched(name);
  if (!dir) return;
  const { taken, considered, funnel } = await extraction(dir);
  expect(taken.length).toBeGreaterThan(10);
  expect(considered.filter(({ why, rejectedBy }) => (why === '') !== (rejectedBy === null))).toEqual([]);
  expect(considered.filter(({ rejectedBy }) => rejectedBy === null)).toHaveLength(taken.length);
  expect(funnel.reduce((sum, { rejected }) => sum + rejected, taken.length)).toBe(considered.length);
  const again = await extraction(dir);
  expect(again.considered).toEqual(considered);
});

/**
 * What R2E's own extraction was measured to give on this package: 83 functions and 222 methods before any filter; 11
 * and 45 after all of them, with a call graph.
 */
test('python-graphs beside R2E: as many are looked at, about as many are taken', async () => {
  const dir = fetched('python-graphs==1.2.3');
  if (!dir) return;
  const { taken, considered, funnel } = await extraction(dir);
  const nested = funnel.find(({ rule }) => rule === 'nested')!.rejected;
  const methods = taken.filter(({ kind }) => kind !== 'function').length;
  console.info(
    `python-graphs: ${considered.length} looked at, taken ${taken.length - methods} functions and ${methods} methods`,
  );
  expect(considered.length - nested).toBeGreaterThanOrEqual(83 + 222);
  expect(taken.length).toBeGreaterThanOrEqual(45);
  // Switching a rule off lets only more through.
  for (const field of ['docstringWords', 'bodyWords', 'namePrefixes', 'decorators', 'minLines', 'maxLines'] as const) {
    expect((await extraction(dir, { [field]: null })).taken.length).toBeGreaterThanOrEqual(taken.length);
  }
  const off = {
    docstringWords: null,
    bodyWords: null,
    namePrefixes: null,
    decorators: null,
    minLines: null,
    maxLines: null,
  };
  const all = {
    ...off,
    requireDocstring: false,
    requireDependency: false,
    requireInputAndOutput: false,
    excludeFiles: null,
  };
  const open = await extraction(dir, all);
  expect(open.funnel.length).toBeLessThan(funnel.length);
  expect(open.taken.length).toBeGreaterThan(200);
  expect(DEFAULT_FILTERS.excludeFiles.length).toBeGreaterThan(0);
}, 180_000);
