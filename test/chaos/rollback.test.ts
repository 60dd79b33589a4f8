import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { type Frame, SandboxProfile } from '../../src/contract';
import { openSandboxes } from '../../src/sandbox';
import { runName } from '../../src/sandbox/labels';
import { dice, labelled, NOTHING } from '../support/chaos';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';

const owner = { workflowId: `test/rollback/${randomUUID()}`, firstRunId: randomUUID() };
const docker = new Docker();
const sandboxes = openSandboxes('test');
const name = runName(owner, 'main');
const spec = { owner, role: 'main', workdir: '/testbed', profile: SandboxProfile.parse({}) };
let jobs = 0;
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
  sandboxes.close();
}, 600_000);

async function run(command: string): Promise<string> {
  const request = { id: `r${++jobs}`, after: '*', command, timeoutMs: 60_000 };
  return (await sandboxes.at(name).journal((journal) => journal.run(request))).output.toString();
}

const push = (index: number): Promise<Frame> => sandboxes.at(name).snapshot({ owner, index, label: `frame ${index}` });

async function back(frame: Frame): Promise<void> {
  await sandboxes.restore(spec, frame);
}

/** Every file outside of the kernel's and our own folders with its mode, owner and content; directory and variables. */
const print = () =>
  run(
    'cd_was=$PWD; (cd / && find . -xdev \\( -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/lib/pointsman -o -path ./usr \\) -prune -o -printf "%p %y %m %U %l\\n" | sort | sha256sum; find testbed opt root home srv etc -xdev -type f | sort | xargs -d "\\n" sha256sum | sha256sum); echo "$cd_was"; export -p | grep " X_"',
  );

const pick = <T>(random: () => number, among: readonly T[]): T => among[Math.floor(random() * among.length)]!;

/** What a step does to the sandbox: writes, deletes, renames, links, modes, a directory to be in, variables. */
function change(random: () => number, n: number): string {
  const place = pick(random, ['/testbed', '/opt', '/root', '/srv', '/home']);
  return [
    `mkdir -p ${place}/d${n}/e && echo ${n} > ${place}/d${n}/e/f && ln -sfn d${n} ${place}/newest`,
    pick(random, [
      `cd ${place}/d${n}`,
      `export X_${n % 7}="value ${n}"`,
      `unset X_${(n + 3) % 7}`,
      `chmod 700 ${place}/d${n}/e/f`,
      `rm -rf ${place}/d${n - 5}`,
      `mv ${place}/d${n} ${place}/m${n}`,
      `head -c 200000 /dev/urandom > ${place}/noise`,
    ]),
  ].join('; ');
}

test(
  'any frame of a deep stack can be gone back to, in any order: files, directory and variables are those of the frame',
  async () => {
    const { image, workdir } = await tinyProblem();
    const random = dice('rollback');
    await sandboxes.claim({ owner, role: 'main', image, workdir, profile: spec.profile });
    const frames: { frame: Frame; seen: string }[] = [];
    let flattened = 0;
    for (let index = 0; index < COUNTS.frames; index++) {
      await run(change(random, index));
      const seen = await print();
      const frame = await push(index);
      frames.push({ frame, seen });
      const { RootFS } = await docker.getImage(frame.image).inspect();
      if (index > 0 && RootFS.Layers!.length === 1) flattened++;
      // The next layer lies on this frame: so deep the engine's own limit is passed.
      await back(frame);
    }
    const differ: string[] = [];
    for (let jump = 0; jump < COUNTS.jumps; jump++) {
      const { frame, seen } = pick(random, frames);
      await run(change(random, COUNTS.frames + jump));
      await back(frame);
      if ((await print()) !== seen) differ.push(`jump ${jump} to frame ${frame.index}`);
    }
    figures('10 rollback is exact', { frames: frames.length, jumps: COUNTS.jumps, flattened, differ: differ.length });
    expect(differ).toEqual([]);
    if (COUNTS.frames > 125) expect(flattened).toBeGreaterThan(0);
    await sandboxes.removeAll(owner.firstRunId);
    expect(await labelled(`pointsman.run=${owner.firstRunId}`)).toEqual(NOTHING);
  },
  minutes(5, 40),
);
