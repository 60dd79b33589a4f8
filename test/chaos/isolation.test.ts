import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { RepoSetupResult, RolloutResult } from '../../src/contract';
import { LABEL } from '../../src/sandbox/labels';
import { type Leftovers, labelled } from '../support/chaos';
import { COUNTS, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { act, folderOf, giveUp, readChain, removeFolders, shell } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

/** Each run writes its own name everywhere that another run on the same engine might see, waits, and looks around. */
const turnsOf = (name: string) => [
  {
    thought: 'mark',
    tool: 'bash',
    args: {
      command: `echo ${name} | tee -a /testbed/mine.txt /tmp/mine /var/tmp/mine /dev/shm/mine; export WHO=${name}`,
    },
  },
  { thought: 'wait', tool: 'bash', args: { command: 'sleep 1; hostname > /testbed/host.txt' } },
  {
    thought: 'look',
    tool: 'bash',
    args: {
      command:
        'cat /testbed/mine.txt /tmp/mine /var/tmp/mine /dev/shm/mine; echo $WHO; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep ^WHO= | sort -u',
    },
  },
];
const names = ['left', 'right'];
const rollouts = names.map((name) => [name, { turns: turnsOf(name), end: 'submit' }] as const);
/** The same of a set-up, with a frame below its mark and a rollback over what it did after it. */
const setups = names.map((name) => {
  const mark = `echo ${name} | tee -a /repo/mine.txt /var/tmp/mine; export WHO=${name}`;
  const look =
    'cat /repo/mine.txt /var/tmp/mine; echo $WHO; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep ^WHO= | sort -u';
  const turns = [mark, 'mkdir -p /opt/a && rm -r /opt/a && echo undone >> /repo/mine.txt; sleep 1'].map(shell);
  return [`set-${name}`, { turns: [...turns, act('rollback'), shell(look), giveUp()] }] as const;
});
const script = { models: Object.fromEntries<object>([...rollouts, ...setups]) };
const docker = new Docker();
let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf({ 'setup.py': '# nothing\n' })}`;
  world = await World.start({
    script,
    profiles: Object.fromEntries(Object.keys(script.models).map((name) => [name, {}])),
  });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

inFull(
  'two runs of one repository on one engine never meet, rollouts and set-ups',
  async () => {
    const problem = await tinyProblem();
    let things = 0;
    for (let pair = 0; pair < COUNTS.pairs; pair++) {
      const begun = names.flatMap((name) => [
        world.begin(
          'rollout',
          { problem, student: name, handOver: { never: true }, grade: false, sandbox: { checkpointEvery: 1 } },
          `pair-${pair}-${name}`,
        ),
        world.begin('repoSetup', { source, roles: { agent: `set-${name}` } }, `set-up-${pair}-${name}`),
      ]);
      const handles = await Promise.all(begun);
      const seen = handles.map(() => new Set<string>());
      let open = true;
      const ends = Promise.all(handles.map((handle) => handle.result())).finally(() => {
        open = false;
      });
      while (open) {
        const looks = await Promise.all(
          handles.map((handle) => labelled(`${LABEL.run}=${handle.firstExecutionRunId}`, docker)),
        );
        looks.forEach((look, i) => {
          for (const thing of flat(look)) seen[i]!.add(thing);
        });
        await sleep(100);
      }
      const results = await ends;
      const all = seen.flatMap((set) => [...set]);
      things += all.length;
      expect(new Set(all).size).toBe(all.length);
      for (const set of seen) expect(set.size).toBeGreaterThan(1);
      for (const [i, name] of names.entries()) {
        await expectRollout(results[2 * i] as RolloutResult, name, names[1 - i]!);
        await expectSetup(results[2 * i + 1] as RepoSetupResult, name);
      }
    }
    const left = await labelled(`${LABEL.scope}=${await world.scope()}`, docker);
    figures('8 pairs of runs', { pairs: 2 * COUNTS.pairs, things, shared: 0, left: flat(left).length });
    expect(flat(left)).toEqual([]);
  },
  minutes(3, 20),
);

async function expectRollout(result: RolloutResult, name: string, other: string): Promise<void> {
  expect(result).toMatchObject({ status: 'submitted', recovered: { sandboxes: 0 } });
  const { steps } = await world.transcripts.load(result.head);
  expect(steps[2]!.observation).toBe(`${`${name}\n`.repeat(5)}WHO=${name}\n`);
  expect((await world.blobs.get(result.patch!.sha256)).toString()).not.toContain(other);
}

async function expectSetup(result: RepoSetupResult, name: string): Promise<void> {
  expect(result).toMatchObject({ status: 'gave_up', rollbacks: 1, notes: [] });
  expect((await readChain(world, result.head)).of('sort -u')).toBe(`${`${name}\n`.repeat(3)}WHO=${name}\n`);
}

function flat(look: Leftovers): string[] {
  return Object.values(look).flat() as string[];
}
