import Docker from 'dockerode';
import type { RolloutResult } from '../../src/contract';
import { LABEL } from '../../src/sandbox/labels';
import { type Leftovers, labelled } from '../support/chaos';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
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
const script = {
  models: Object.fromEntries(names.map((name) => [name, { turns: turnsOf(name), end: 'submit' }])),
};
const docker = new Docker();
let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { left: {}, right: {} } });
}, 90_000);
afterAll(async () => {
  await world?.close();
}, 60_000);

test(
  'two runs of one repository on one engine never meet',
  async () => {
    const problem = await tinyProblem();
    let things = 0;
    for (let pair = 0; pair < COUNTS.pairs; pair++) {
      const handles = await Promise.all(
        names.map((name) =>
          world.begin(
            'rollout',
            { problem, student: name, handOver: { never: true }, grade: false, sandbox: { checkpointEvery: 1 } },
            `pair-${pair}-${name}`,
          ),
        ),
      );
      const seen = handles.map(() => new Set<string>());
      let open = true;
      const ends = Promise.all(handles.map((handle) => handle.result() as Promise<RolloutResult>)).finally(() => {
        open = false;
      });
      while (open) {
        const looks = await Promise.all(
          handles.map((handle) => labelled(`${LABEL.run}=${handle.firstExecutionRunId}`, docker)),
        );
        looks.forEach((look, i) => {
          for (const thing of flat(look)) seen[i]!.add(thing);
        });
      }
      const results = await ends;
      const [left, right] = seen.map((set) => [...set]) as [string[], string[]];
      things += left.length + right.length;
      expect(left.filter((thing) => right.includes(thing))).toEqual([]);
      expect(left.length).toBeGreaterThan(1);
      for (const [i, result] of results.entries()) {
        const name = names[i]!;
        expect(result).toMatchObject({ status: 'submitted', recovered: { sandboxes: 0 } });
        const { steps } = await world.transcripts.load(result.head);
        expect(steps[2]!.observation).toBe(`${`${name}\n`.repeat(5)}WHO=${name}\n`);
        expect((await world.blobs.get(result.patch!.sha256)).toString()).not.toContain(names[1 - i]!);
      }
    }
    const left = await labelled(`${LABEL.scope}=${await world.scope()}`, docker);
    figures('8 pairs of runs', { pairs: COUNTS.pairs, things, shared: 0, left: flat(left).length });
    expect(flat(left)).toEqual([]);
  },
  minutes(2, 15),
);

function flat(look: Leftovers): string[] {
  return Object.values(look).flat() as string[];
}
