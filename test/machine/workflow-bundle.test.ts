import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
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
});

test('what holds the extensions of a home stays in that home', async () => {
  const extension = join(homes[0]!, 'extension.cjs');
  writeFileSync(extension, 'module.exports = { default: {} };\n');
  expect((await bundleOf(homes[0]!, [extension])).startsWith(homes[0]!)).toBe(true);
});

test('the schemas are made once for all workflows, and every workflow has its own of all else', async () => {
  const code = readFileSync(await bundleOf(homes[0]!), 'utf8');
  const made = { contract: 0, rollout: 0 };
  const counting = (bundle: string, file: string, what: keyof typeof made) => {
    const at = new RegExp(`^/\\*+/ "./dist/${file}"[^]*?^\\(.*\\) \\{`, 'm').exec(bundle)!;
    const body = at.index + at[0].length;
    return `${bundle.slice(0, body)} made("${what}");${bundle.slice(body)}`;
  };
  class Counting extends ReusableVMWorkflowCreator {
    override injectGlobals(context: object): void {
      super.injectGlobals(context);
      Object.assign(context, { made: (what: keyof typeof made) => void made[what]++ });
    }
  }
  const counted = counting(counting(code, 'contract/index.js', 'contract'), 'workflows/rollout/index.js', 'rollout');
  const creator = await Counting.create(
    { code: counted, filename: 'bundle.js', sourceMap: { version: 3, sources: [], names: [], mappings: '' } as never },
    60_000,
    new Set(),
  );
  for (const runId of ['one', 'other', 'third']) {
    const info = { runId, workflowId: runId, workflowType: 'rollout', taskQueue: 'q', historyLength: 0 };
    const started = { info, randomnessSeed: [1], now: 0, showStackTraceSources: false };
    const workflow = await creator.createWorkflow(started as never);
    await workflow.dispose();
  }
  expect(made).toEqual({ contract: 1, rollout: 3 });
  await creator.destroy();
});
