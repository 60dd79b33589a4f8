import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { REPOSITORY } from '../../src/home';
import { workflowBundle } from '../../src/machine/workflow-bundle';
import { figures } from '../support/figures';
import { crossing, scenarios } from './scenarios';

const FOLDER = join(__dirname, 'histories');
const files = readdirSync(FOLDER).sort();
const nameOf = (file: string) => file.replace('.pb.gz', '');
const historyOf = (file: string) =>
  temporal.api.history.v1.History.decode(gunzipSync(readFileSync(join(FOLDER, file))));

beforeAll(() => {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
});
afterAll(() => Runtime.instance().shutdown());

test('there is a history of every scenario, and of every run that was continued', () => {
  for (const { name } of scenarios) expect(files).toContain(`${name}.pb.gz`);
  for (const { name } of crossing) expect(files.filter((file) => file.startsWith(name)).length).toBeGreaterThan(1);
});

test('histories recorded earlier run on this code', async () => {
  const bundle = await workflowBundle();
  const failed: string[] = [];
  for (const file of files) {
    // Continued runs share the id of the first; elsewhere the file is named after the workflow.
    const workflowId = nameOf(file).replace(/^(\w+-continued)-\d+$/, '$1');
    await Worker.runReplayHistory({ workflowBundle: bundle }, historyOf(file), workflowId).catch((error: Error) => {
      failed.push(`${file}: ${error.message}`);
    });
  }
  figures('4 histories replayed', { histories: files.length, failed: failed.length });
  expect(failed).toEqual([]);
}, 400_000);

test('an edit that breaks runs in flight is noticed', async () => {
  // In the repository, so that the copy finds the packages.
  mkdirSync(join(REPOSITORY, '.pointsman'), { recursive: true });
  const copy = mkdtempSync(join(REPOSITORY, '.pointsman', 'replay-'));
  try {
    for (const room of ['src', 'packages']) cpSync(join(REPOSITORY, room), join(copy, room), { recursive: true });
    const file = join(copy, 'src', 'workflows', 'rollout', 'index.ts');
    const text = readFileSync(file, 'utf8');
    const edited = text
      .replace(/^(export async function rollout\(.*\{)$/m, '$1\n  await extraSleep(1000);')
      .replace(/^/, "import { sleep as extraSleep } from '@temporalio/workflow';\n");
    expect(edited).toContain('await extraSleep');
    writeFileSync(file, edited);
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: join(copy, 'src', 'workflows', 'index.ts'),
      logger: new DefaultLogger('ERROR'),
    });
    const replay = Worker.runReplayHistory({ workflowBundle }, historyOf('rollout-ok.pb.gz'), 'rollout-ok');
    await expect(replay).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}, 400_000);
