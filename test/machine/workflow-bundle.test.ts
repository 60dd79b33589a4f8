import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointsmanHome, REPOSITORY } from '../../src/home';
import { workflowBundle } from '../../src/machine/workflow-bundle';

const usual = process.env.POINTSMAN_HOME;
const homes = ['one', 'other'].map((name) => mkdtempSync(join(tmpdir(), `pointsman-bundle-${name}-`)));
afterEach(() => {
  if (usual === undefined) delete process.env.POINTSMAN_HOME;
  else process.env.POINTSMAN_HOME = usual;
});
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const bundleOf = async (home: string, extensions?: readonly string[]) => {
  process.env.POINTSMAN_HOME = home;
  expect(pointsmanHome()).toBe(home);
  return (await workflowBundle(extensions)).codePath;
};

test('every home starts on the one bundle that lies beside the code', async () => {
  const [one, other] = [await bundleOf(homes[0]!), await bundleOf(homes[1]!)];
  expect(other).toBe(one);
  expect(one.startsWith(join(REPOSITORY, 'dist'))).toBe(true);
  expect(readFileSync(one, 'utf8')).toContain('rollout');
  for (const home of homes) expect(existsSync(join(home, 'bundles'))).toBe(false);
}, 60_000);

test('what holds the extensions of a home stays in that home', async () => {
  const extension = join(homes[0]!, 'extension.cjs');
  writeFileSync(extension, 'module.exports = { default: {} };\n');
  expect((await bundleOf(homes[0]!, [extension])).startsWith(homes[0]!)).toBe(true);
}, 60_000);
