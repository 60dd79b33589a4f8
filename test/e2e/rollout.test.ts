import { randomUUID } from 'node:crypto';
import type { RolloutInput, RolloutProgress, RolloutResult } from '../../src/contract';
import { firstValue, headInHistory } from '../../src/store/history';
import { NOTHING } from '../support/chaos';
import { leftOf } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string, thought = 'Look.') => ({ thought, tool: 'bash', args: { command } });
const script = {
  models: {
    student: {
      dialect: 'xml',
      position: 'turn',
      turns: [
        bash('ls'),
        bash('cat README.md'),
        bash('cd src && export SEEN=1'),
        { malformed: 'prose' },
        bash('pwd; echo $SEEN'),
        bash('grep -rn add .'),
        bash('true'),
      ],
      end: 'repeat',
    },
    'student.lost': { dialect: 'xml', turns: [bash('ls')], end: { raw: 'I am <think>lost', slip: true } },
    'student.full': { dialect: 'xml', turns: [bash('ls'), bash('cat README.md')], end: 'repeat', contextTokens: 1_700 },
    'student.slow': {
      dialect: 'tools',
      turns: [bash('echo quick >> log'), bash('sleep 1.5; echo slow >> log')],
      end: 'submit',
    },
    'student.loose': {
      dialect: 'tools',
      turns: [
        {
          raw: '<think>hm</think>\nLook.\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
        },
      ],
    },
    expert: {
      dialect: 'tools',
      position: 'match',
      turns: [
        bash('cat calc.py', 'The function subtracts.'),
        {
          thought: 'Fix it.',
          tool: 'str_replace_editor',
          args: { command: 'str_replace', path: '/testbed/src/calc.py', old_str: 'a - b', new_str: 'a + b' },
        },
        bash('python3 -c "from calc import add; print(add(2, 3))"'),
      ],
      end: 'submit',
    },
  },
};

let world: World;
beforeAll(async () => {
  world = await World.start({
    script,
    profiles: Object.fromEntries(
      Object.entries(script.models).map(([name, { dialect }]) => [name, { view: { dialect } }]),
    ),
  });
});
afterAll(async () => {
  await world?.close();
});

const input = async (more: Partial<RolloutInput> = {}) => ({
  problem: await tinyProblem(),
  student: 'student',
  expert: 'expert',
  handOver: { at: 4 },
  grade: false,
  ...more,
});

test('student turns, hand-over in the same sandbox, expert fixes and submits', async () => {
  const handle = await world.begin('rollout', await input(), 'oec');
  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({
    status: 'submitted',
    handOver: { sampled: 4, expertFrom: 5 },
    turns: { total: 8, student: 4, expert: 4, formatRetries: 1 },
    recovered: { sandboxes: 0, redoneSteps: 0 },
  });
  const patch = (await world.blobs.get(result.patch!.sha256)).toString();
  expect(patch).toContain('+    return a + b');
  const transcript = await world.transcripts.load(result.head);
  expect(transcript.steps.map((step) => step.turn.author)).toEqual([
    'student',
    'student',
    'student',
    'student',
    'expert',
    'expert',
    'expert',
    'expert',
  ]);
  expect(transcript.steps[3]!.observation).toBe('/testbed/src\n1\n');
  expect(transcript.steps[6]!.observation).toBe('5\n');
  expect(await leftOf(world, 'oec')).toEqual(NOTHING);
});

test('a student that loses the format ends its own part where the policy says so, and the run where it does not', async () => {
  const lost = { student: 'student.lost', handOver: { at: 9 } } as const;
  const alone = (await (await world.begin('rollout', await input(lost), 'lost-alone')).result()) as RolloutResult;
  expect(alone).toMatchObject({
    status: 'format_exhausted',
    detail: expect.stringContaining('3 replies in a row could not be read (unclosed_reasoning ×3)'),
    handOver: { sampled: 9, expertFrom: null },
    turns: { total: 1, student: 1, expert: 0, formatRetries: 3 },
  });
  const kept = await Promise.all(alone.refused!.map((hash) => world.transcripts.rejected(hash)));
  expect(kept.map(({ error }) => error.code)).toEqual(Array(3).fill('unclosed_reasoning'));

  const on = { ...lost, handOver: { at: 9, on: ['format_exhausted'] } } as const;
  const saved = (await (await world.begin('rollout', await input(on), 'lost-saved')).result()) as RolloutResult;
  expect(saved).toMatchObject({
    status: 'submitted',
    handOver: { sampled: 9, expertFrom: 2, reason: 'format_exhausted' },
    turns: { student: 1, expert: 4, formatRetries: 3 },
  });
  expect(saved.refused).toBeUndefined();
  const { steps } = await world.transcripts.load(saved.head);
  expect(steps[1]!.turn.rejected.map(({ author }) => author)).toEqual(Array(3).fill('student'));
});

test('a student whose window is full hands over where the policy says so', async () => {
  const full = { student: 'student.full', handOver: { never: true, on: ['limit_context'] } } as const;
  const result = (await (await world.begin('rollout', await input(full), 'full')).result()) as RolloutResult;
  expect(result).toMatchObject({ status: 'submitted', handOver: { sampled: null, reason: 'limit_context' } });
  expect(result.turns.student).toBeGreaterThan(0);
  expect(result.turns.expert).toBeGreaterThan(1);
});

test('calls that come as text are read, with their reasoning apart, and the run says so once', async () => {
  const loose = { student: 'student.loose', handOver: { never: true } } as const;
  const result = (await (await world.begin('rollout', await input(loose), 'loose')).result()) as RolloutResult;
  expect(result).toMatchObject({ status: 'submitted', lenient: { call_as_text: 1 }, turns: { formatRetries: 0 } });
  const { steps } = await world.transcripts.load(result.head);
  expect(steps[0]!.turn).toMatchObject({ thought: 'Look.', reasoning: 'hm', lenient: ['call_as_text'] });
});

test('a turn is one activity, and a command that takes its time is another, which follows what was begun', async () => {
  const slow = { student: 'student.slow', handOver: { never: true } } as const;
  const handle = await world.begin('rollout', await input(slow), 'slow');
  const result = (await handle.result()) as RolloutResult;
  expect((await world.blobs.get(result.patch!.sha256)).toString()).toContain('+quick\n+slow\n');
  const { events } = await handle.fetchHistory();
  const named = events!.flatMap(({ activityTaskScheduledEventAttributes: scheduled, userMetadata }) => {
    const summary = userMetadata?.summary && firstValue<string>({ payloads: [userMetadata.summary] });
    return scheduled && summary?.startsWith('turn ') ? [`${scheduled.activityType?.name}: ${summary}`] : [];
  });
  expect(named).toEqual([
    'takeTurn: turn 1 · student student.slow',
    'takeTurn: turn 2 · student student.slow',
    'runTool: turn 2 · bash sleep 1.5; echo slow >> log',
    'takeTurn: turn 3 · student student.slow',
  ]);
  expect(await headInHistory(handle)).toBe(result.head);
  expect(await leftOf(world, 'slow')).toEqual(NOTHING);
});

test('the same run again has the same head', async () => {
  const [a, b] = (await Promise.all(
    ['same-a', 'same-b'].map(async (id) => (await world.begin('rollout', await input(), id)).result()),
  )) as RolloutResult[];
  expect(a!.head).toBe(b!.head);
});

test('pause, hand-over by a person, setBudget, resume, queries', async () => {
  const handle = await world.begin(
    'rollout',
    await input({ handOver: { never: true }, limits: { steps: 200 } as RolloutInput['limits'] }),
    'steered',
  );
  await handle.executeUpdate('pause');
  let progress = (await handle.query('progress')) as RolloutProgress;
  for (let i = 0; i < 100 && progress.phase !== 'Paused'; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    progress = (await handle.query('progress')) as RolloutProgress;
  }
  expect(progress.phase).toBe('Paused');
  const { turn } = (await handle.executeUpdate('handOver')) as { turn: number };
  await handle.executeUpdate('setBudget', { args: [{ steps: 150 }] });
  await expect(handle.executeUpdate('setBudget', { args: [{ stepz: 1 }] })).rejects.toThrow();
  await handle.executeUpdate('resume');
  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({ status: 'submitted', handOver: { expertFrom: turn } });
});

test('cancelling keeps the work, says so, and leaves nothing behind', async () => {
  const handle = await world.begin(
    'rollout',
    await input({ handOver: { never: true }, limits: { steps: 2000 } as RolloutInput['limits'] }),
    'cancelled',
  );
  for (let turn = 0; turn < 5; turn = ((await handle.query('progress')) as RolloutProgress).turn)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
  const described = await handle.describe();
  expect(described.status.name).toBe('CANCELLED');
  expect(described.memo).toMatchObject({ result: { status: 'cancelled', patch: { bytes: 0 } } });
  expect(await leftOf(world, 'cancelled')).toEqual(NOTHING);
});

test('a fork keeps a prefix and goes on with another author', async () => {
  const handle = await world.begin(
    'rollout',
    await input({ handOver: { at: 0 }, fork: { run: 'oec', step: 3 } }),
    'forked',
  );
  const result = (await handle.result()) as RolloutResult;
  expect(result.status).toBe('submitted');
  const source = await world.transcripts.chain(
    ((await world.client.workflow.getHandle('oec').result()) as RolloutResult).head,
  );
  const forked = await world.transcripts.chain(result.head);
  expect(forked.hashes.slice(0, 3)).toEqual(source.hashes.slice(0, 3));
  expect(forked.steps[3]!.turn.author).toBe('expert');
});

test('a run that is reset to an earlier turn goes on from there: nothing is paid for again, and the head is the same', async () => {
  const first = (await world.client.workflow.getHandle('oec').result()) as RolloutResult;
  const { events } = await world.client.workflow.getHandle('oec').fetchHistory();
  const third = events?.filter(
    (each) => each.activityTaskScheduledEventAttributes?.activityType?.name === 'takeTurn',
  )[2];
  const before = events?.findLast(
    (each) => Number(each.eventId) < Number(third?.eventId) && each.workflowTaskCompletedEventAttributes,
  );
  const asked = world.rehearsal.stats().requests;
  await world.client.workflowService.resetWorkflowExecution({
    namespace: world.client.options.namespace,
    workflowExecution: { workflowId: 'oec', runId: (await world.client.workflow.getHandle('oec').describe()).runId },
    reason: 'test',
    workflowTaskFinishEventId: before?.eventId,
    requestId: randomUUID(),
  });
  const again = (await world.client.workflow.getHandle('oec').result()) as RolloutResult;
  expect(again.head).toBe(first.head);
  expect(again.patch).toEqual(first.patch);
  expect(again.recovered).toEqual({ sandboxes: 1, redoneSteps: 2 });
  expect(world.rehearsal.stats().requests).toBe(asked);
});

test.each([
  [{ studnet: 'x' }, /studnet: unknown field, did you mean "student"/],
  [{ limits: { steps: 0 } }, /limits.steps/],
  [{ student: 'nobody' }, /no model profile "nobody"/],
  [{ problem: 'no-such' }, /no id, folder or file "no-such"/],
  [{ expert: undefined }, /expert/],
  [{ limits: { costUsd: 1 } }, /needs a price/],
])('bad input %j is refused before anything starts', async (more, message) => {
  const handle = await world.begin('rollout', { ...(await input()), ...more }, `bad-${JSON.stringify(more)}`);
  const error = (await handle.result().catch((e: unknown) => e)) as { cause?: { message: string; cause?: Error } };
  expect(`${error.cause?.message} ${error.cause?.cause?.message}`).toMatch(message);
});

test('a mistyped workflow type fails at once with a suggestion', async () => {
  const handle = await world.begin('rolout', {}, 'mistyped');
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('did you mean "rollout"') },
  });
});
