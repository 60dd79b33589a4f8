import type { RepoSetupResult } from '../../../src/contract';
import { inFull } from '../../support/counts';
import {
  act,
  folderOf,
  mendOf,
  move,
  projectOf,
  readChain,
  removeFolders,
  setUp,
  shell,
  TESTS,
} from '../../support/set-up';

import { World } from '../../support/world';

const charge = (claim: string, command: string) => move('charge', { kind: 'claim', claim, command });
/** Without a command it is the charge's own that runs again. */
const rerun = (of: number, command?: string) => move('rerun', { charge: of, command });
const find = (of: number, upheld: boolean, ground = upheld ? 'reproduced' : 'not_declared') =>
  move('find', { charge: of, upheld, ground, why: 'so I find' });
const conclude = move('conclude', { success: true, hint: 'all is well' });
const two = [charge('one thing is wrong', 'false'), charge('another is', 'echo wrong; exit 3'), move('rest')];
/** All that it can reach it changes, and says yes without having run a test. */
const meddle = `${mendOf('calc')}; echo broken > /repo/calc.py; touch /usr/lib/x /etc/x /root/x /tmp/x; pip install toml`;

const models = {
  agent: {
    turns: [act('finish', { message: 'done' }), shell(mendOf('calc')), act('finish'), act('verify', { hint: TESTS })],
  },
  early: {
    turns: [
      act('verify'),
      act('finish'),
      shell('cat /repo/calc.py; ls /usr/lib/x /etc/x /root/x /tmp/x /opt/calc 2>&1'),
      act('finish', { success: false }),
    ],
  },
  meddler: {
    turns: [
      move('look', { command: meddle }),
      {
        raw: JSON.stringify({ move: 'smoke', path: '/tmp/../repo/x.sh', content: 'true', command: 'bash /tmp/x.sh' }),
        slip: true,
      },
      conclude,
    ],
  },
  down: { turns: [move('rest')], faults: [{ kind: 'rejected', status: 401, code: 'no', message: 'nobody there' }] },
  tireless: { turns: [], end: move('examine', { command: 'true' }) },
  unfounded: { turns: [charge('the house is on fire', 'true'), move('rest')] },
  founded: { turns: two },
  /** Acquits of one, is silent about the other. */
  silent: { turns: [rerun(1), find(1, false)], end: rerun(1) },
  /** Acquits of both, without having run anything about the second, whatever it is told. */
  hasty: { turns: [rerun(1), find(1, false)], end: find(2, false) },
  /** Runs something that always succeeds and acquits in words that contradict each other, until it is told better. */
  careless: {
    turns: [
      rerun(1, 'true'),
      find(1, false, 'reproduced'),
      find(1, false, 'not_reproduced'),
      rerun(1),
      find(1, true),
      rerun(2),
      find(2, false, 'not_reproduced'),
      find(2, false),
    ],
  },
  strict: { turns: [rerun(1), rerun(1), rerun(1), find(1, false), rerun(2), find(2, true)] },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  const profiles = Object.fromEntries(Object.keys(models).map((name) => [name, {}]));
  world = await World.start({ script: { models }, profiles });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

const run = (id: string, roles: object, more: object = {}): Promise<RepoSetupResult> =>
  setUp(world, id, {
    source,
    roles: { agent: 'agent', ...roles },
    experience: { mode: 'off' },
    limits: { roleSteps: 5 },
    ...more,
  });

// There `finish` ended the run whenever it was said.
test('B10: finish is refused while no verify has passed', async () => {
  const result = await run('gated', {}, { limits: {} });
  expect(result).toMatchObject({ status: 'verified', steps: 4, tests: { passed: 1 } });
  const { told } = await readChain(world, result.head);
  expect([told[0], told[2]]).toEqual([
    expect.stringMatching(/^finish is refused/),
    expect.stringMatching(/^finish is refused/),
  ]);
});

// There the verifier worked as root in the very container that it examined, and its word was the result.
test('B10: what a verifier does is gone with its copy, a path out of /tmp is refused, and its word alone is no pass', async () => {
  const result = await run('meddled', { agent: 'early', verifier: 'meddler' });
  expect(result).toMatchObject({ status: 'gave_up', verifier: { success: false }, formatRetries: 1 });
  expect(result.verifier!.hint).toContain('no test was collected');
  const { told } = await readChain(world, result.head);
  expect(told[1]).toMatch(/^finish is refused/);
  expect(told[2]).toMatch(/^LEVEL = 3\n/);
  expect(told[2]!.match(/No such file or directory/g)).toHaveLength(5);
});

// There an outage, a step cap and a missing review all counted as a pass.
inFull(
  'B11: an absent prosecutor, one without an end and a judge who is silent on a charge are errors, never a pass',
  async () => {
    const judged = (id: string, roles: object) => run(id, roles, { judge: true, limits: { roleSteps: 5 } });
    const [down, tireless, silent, hasty] = await Promise.all([
      judged('down', { verifier: 'builtin:rules', prosecutor: 'down' }),
      judged('tireless', { prosecutor: 'tireless' }),
      judged('silent', { prosecutor: 'founded', judge: 'silent' }),
      judged('hasty', { prosecutor: 'founded', judge: 'hasty' }),
    ]);
    for (const result of [down, tireless, silent, hasty])
      expect([result.status, result.verdict!.verdict]).toEqual(['verified', 'error']);
    expect(down.verdict!.detail).toContain('nobody there');
    expect(tireless.verdict!.detail).toContain('5 moves without an end');
    // What it had found by then is not lost.
    expect(hasty.verdict).toMatchObject({
      findings: [{ charge: 1 }],
      detail: expect.stringContaining('5 moves without'),
    });
  },
);

// There the judge's closing word decided, whatever it had found, and no cap on its runs was kept.
test('B11: the verdict follows from the findings and these from their runs, a third run is refused, an unfounded charge is none', async () => {
  const [strict, careless, unfounded] = await Promise.all([
    run('strict', { prosecutor: 'founded', judge: 'strict' }, { judge: true, limits: { roleSteps: 8 } }),
    run('careless', { prosecutor: 'founded', judge: 'careless' }, { judge: true, limits: { roleSteps: 8 } }),
    run('unfounded', { prosecutor: 'unfounded' }, { judge: true }),
  ]);
  expect(strict.verdict).toMatchObject({
    verdict: 'guilty',
    findings: [
      { charge: 1, upheld: false },
      { charge: 2, upheld: true },
    ],
  });
  expect(strict.verdict!.findings[0]!.evidence).toHaveLength(2);
  expect((await readChain(world, strict.verdict!.heads.judge)).told[2]).toMatch(/was run 2 times already/);
  expect(careless.verdict).toMatchObject({
    verdict: 'guilty',
    findings: [
      { charge: 1, upheld: true, evidence: [{ command: 'true' }, { command: 'false', exitCode: 1 }] },
      { charge: 2, upheld: false, ground: 'not_declared', evidence: [{ exitCode: 3 }] },
    ],
  });
  const { told } = await readChain(world, careless.verdict!.heads.judge);
  expect([told[1], told[2], told[6]]).toEqual([
    expect.stringContaining('contradict each other'),
    expect.stringContaining("needs the charge's own command"),
    expect.stringContaining('no run for charge 2 succeeded'),
  ]);
  expect(unfounded.verdict).toMatchObject({ verdict: 'not_guilty', charges: [] });
});
