import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { World } from '../support/world';
import { crossing, profiles, type Scenario, scenarios, script } from './scenarios';

/** Records the histories that `replay.test.ts` replays: `npx tsx test/replay/record.ts [name…]`. */
// As the server's own bytes: the SDK's JSON reader needs one shared copy of protobufjs, which npm does not install.
const { History } = temporal.api.history.v1;
const FOLDER = join(__dirname, 'histories');
const named = process.argv.slice(2);

async function record(chosen: readonly Scenario[], serverConfig: string[] = []): Promise<void> {
  const wanted = chosen.filter(({ name }) => named.length === 0 || named.includes(name));
  if (wanted.length === 0) return;
  const world = await World.start({ script, profiles, serverConfig, env: { POINTSMAN_HOST: 'replay' } });
  try {
    for (const { name, type, input, during } of wanted) {
      const handle = await world.begin(type, await input(world), name);
      await during?.(handle, world);
      const outcome = await handle.result().then(
        (result) => (result as { status?: string } | null)?.status ?? 'completed',
        (error: Error) => error.message,
      );
      await recordChildren(world, name);
      const runs: string[] = [];
      for await (const { runId } of world.client.workflow.list({ query: `WorkflowId = '${name}'` })) runs.push(runId);
      // Visibility lists the newest first and may lag by a moment; the run that began it is known for certain.
      const ids = [...new Set([handle.firstExecutionRunId, ...runs.reverse()])];
      for (const [index, runId] of ids.entries()) {
        const history = await world.client.workflow.getHandle(name, runId).fetchHistory();
        const file = `${name}${ids.length > 1 ? `-${index + 1}` : ''}.pb.gz`;
        writeFileSync(join(FOLDER, file), gzipSync(History.encode(history).finish(), { level: 9 }));
        console.info(`${file}  ${history.events?.length} events, ${outcome}`);
      }
    }
  } finally {
    await world.close();
  }
}

/** Children that are workflows of a type of their own. */
async function recordChildren(world: World, parent: string): Promise<void> {
  for (const type of ['functionProblem', 'problemControls']) {
    for await (const { workflowId, runId, raw } of world.client.workflow.list({ query: `WorkflowType = '${type}'` })) {
      if (raw.parentExecution?.workflowId !== parent) continue;
      const history = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const file = `${type}-of-${parent}.pb.gz`;
      writeFileSync(join(FOLDER, file), gzipSync(History.encode(history).finish(), { level: 9 }));
      console.info(`${file}  ${history.events?.length} events`);
    }
  }
}

async function main(): Promise<void> {
  if (named.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await record(scenarios);
  await record(crossing, ['limit.historyCount.suggestContinueAsNew=70']);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
