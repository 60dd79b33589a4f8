import { Pointsman } from 'pointsman';

/** Starts a rollout with all of it, and reads what became of it: `{ id, status, turns, workflow }` on standard output. */
async function main(problem: string): Promise<void> {
  const pointsman = await Pointsman.open({ queue: 'user', log: (line) => console.error(line) });
  const input = { problem, student: 'json-student', expert: 'json-expert', handOver: { everyNth: 2 }, limits: { steps: 4 } };
  const run = await pointsman.start('rollout', input as never, { id: 'rollout/user' });
  const { status } = await run.result();
  const { steps } = await pointsman.trajectory(run.id);
  const turns = steps.map(({ turn, exitCode }) => [turn.author, turn.action.tool, exitCode]);
  console.log(JSON.stringify({ id: run.id, status, turns, workflow: await run.status() }));
  await pointsman.close();
}

void main(process.argv[2] ?? '');
