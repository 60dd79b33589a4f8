import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const { PENDING_ACTIVITY_STATE_STARTED } = temporal.api.enums.v1.PendingActivityState;

const hang = [{ kind: 'hang', turns: [1], perTurn: 100 }];
const turns = [{ thought: 'Go on.', tool: 'bash', args: { command: 'true' } }];
const script = { models: { silent: { turns, end: 'submit', faults: hang } } };
const shelf = () => join(world.home, 'run', 'in-hand', encodeURIComponent(hostname()));

/** Workflows of whose turns the process has one in hand, as it noted. */
const inHandOf = ({ pid }: ChildProcess): string[] =>
  readdirSync(shelf())
    .filter((name) => name.startsWith(`${pid}-`))
    .flatMap((name) => readdirSync(join(shelf(), name)).flatMap((file) => workflowIn(join(shelf(), name, file))));

function workflowIn(file: string): string[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')).workflowId as string];
  } catch {
    // The socket, or one that has ended just now.
    return [];
  }
}

let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { silent: {} }, workers: 0 });
});
afterAll(async () => {
  // Told to end, they would wait for the model.
  await world?.killWorkers();
  await world?.close();
});

/** Starts a rollout and waits until its model is being asked. */
async function asking(workflowId: string): Promise<string> {
  const problem = await tinyProblem('in-hand');
  await world.begin('rollout', { problem, student: 'silent', handOver: { never: true }, grade: false }, workflowId);
  while ((await turnOf(workflowId))?.state !== PENDING_ACTIVITY_STATE_STARTED) await sleep(100);
  return workflowId;
}

async function turnOf(workflowId: string) {
  const { raw } = await world.client.workflow.getHandle(workflowId).describe();
  return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'takeTurn');
}

test('what a killed worker had in hand is given back by the next one on its host, and no other worker is disturbed', async () => {
  const first = world.startWorker();
  await world.workerReady();
  const lost = await asking('first');
  const second = world.startWorker();
  let kept = '';
  // Either may take it.
  for (let at = 1; !inHandOf(second).includes(kept); at++) kept = await asking(`later-${at}`);
  expect(inHandOf(first)).toContain(lost);

  first.kill('SIGKILL');
  world.startWorker();
  while ((await turnOf(lost))?.attempt === 1) await sleep(100);
  expect((await turnOf(lost))?.lastFailure).toMatchObject({
    message: 'the worker that had it in hand was killed',
    applicationFailureInfo: { type: 'HostLost' },
  });
  expect((await turnOf(kept))?.attempt).toBe(1);
  expect(inHandOf(second)).toContain(kept);
  while (inHandOf(first).length > 0) await sleep(100);
});
