import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import type { RolloutResult } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { runCli } from '../cli/run-cli';
import { addingProblem, addPatch, GOLD } from '../support/adding-problem';
import { containerOf, pastTurn } from '../support/chaos';
import { examples, FULL, inFull } from '../support/counts';
import { TASKS_OF_OTHERS, UP } from '../support/harbor-tasks';
import { openRegistry } from '../support/registry';
import { World } from '../support/world';

/** Problems as tasks of Harbor, their judge in a container like Harbor's, and hand-over tasks there and back. */
const run = promisify(execFile);
const NODE_IMAGE = 'pointsman/test-judge-node:1';
const VERIFIER = 'pointsman/test-judge:1';
/** A command line of Harbor, where there is one: then its own runs are looked at too. */
const HARBOR = process.env.HARBOR;

/** One on a commit, all at full count; those of OTHERS where it is set. */
const OTHERS = TASKS_OF_OTHERS.filter(
  ({ name }, at) => FULL || (process.env.OTHERS?.split(',').includes(name) ?? at < 1),
);

/** Of these another rollout loses its sandbox, with what belongs to it. */
const LOSING = FULL ? ['steps', 'sidecar'] : [];

let world: World;
const docker = new Docker();
const folder = mkdtempSync(join(tmpdir(), 'pointsman-harbor-'));
const at = (...path: string[]) => join(folder, ...path);

beforeAll(async () => {
  const bash = (command: string) => ({ thought: command, tool: 'bash', args: { command } });
  const student = {
    turns: [bash('echo note > note.txt; cat src/calc.py'), bash("sed -i 's/a - b/a * b/' src/calc.py")],
    end: 'submit',
  };
  const greeter = {
    turns: [bash('echo hello > greeting.txt'), bash(`(python3 -m http.server 8055 > /dev/null 2>&1 &) ; ${UP}`)],
    end: 'submit',
  };
  const idler = { turns: [bash('ls')], end: 'submit' };
  const solver = {
    scenes: OTHERS.map(({ files, solved }) => ({
      when: (files['instruction.md'] ?? files['steps/count/instruction.md'])!.trim(),
      turns: solved.flatMap((command, at) => [
        bash(command),
        ...(at + 1 < solved.length ? [{ thought: 'next', tool: 'submit', args: {} }] : []),
      ]),
      end: 'submit' as const,
    })),
  };
  // The same, with time in which its sandbox can be lost.
  const slow = {
    scenes: solver.scenes.map(({ turns, ...scene }) => ({
      ...scene,
      turns: turns.flatMap((turn) => (turn.tool === 'bash' ? [turn, bash('sleep 5')] : [turn])),
    })),
  };
  const profiles = { student: {}, greeter: {}, idler: {}, solver: {}, slow: {} };
  world = await World.start({ script: { models: { student, greeter, idler, solver, slow } }, profiles });
  write(join(world.home, 'problems', 'tiny', 'problem.json'), JSON.stringify(await addingProblem()));
  // The judge's Node.js is the one that runs this.
  const base = at('node');
  mkdirSync(base);
  cpSync(process.execPath, join(base, 'node'));
  writeFileSync(join(base, 'Dockerfile'), `FROM ${BASE_IMAGE}\nCOPY node /usr/local/bin/node\n`);
  await build(base, NODE_IMAGE);
}, 240_000);
afterAll(async () => {
  await world?.close();
  for (const image of [VERIFIER, NODE_IMAGE]) {
    await docker
      .getImage(image)
      .remove({ force: true })
      .catch(() => undefined);
  }
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
}

const build = (context: string, tag: string) => run('docker', ['build', '--quiet', '--tag', tag, context]);

function ownEnv(): Record<string, string> {
  const own = Object.entries(world.env).filter(([name]) => /^(POINTSMAN|TEMPORAL)_/.test(name));
  return Object.fromEntries(own) as Record<string, string>;
}

async function pointsman(...args: string[]) {
  const ran = await runCli([...args, '--json'], { env: ownEnv() });
  return { ...ran, answer: ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : undefined };
}

/** The judge in a container as Harbor's verifier has it: what it wrote, undefined where it wrote nothing. */
async function judge(patch: string): Promise<{ reward?: number; verdict?: { verdict: string; detail?: string } }> {
  const logs = mkdtempSync(at('logs-'));
  const container = await docker.createContainer({
    Image: VERIFIER,
    Cmd: [
      'bash',
      '-c',
      'echo "$PATCH" | base64 -d > /tmp/candidate.patch; bash /tests/test.sh > /logs/verifier/test-stdout.txt 2>&1',
    ],
    Env: [`PATCH=${Buffer.from(patch).toString('base64')}`],
    HostConfig: { NetworkMode: 'none', Binds: [`${logs}:/logs/verifier`] },
  });
  try {
    await container.start();
    await container.wait();
  } finally {
    await container.remove({ force: true });
  }
  const read = (name: string) =>
    existsSync(join(logs, name)) ? JSON.parse(readFileSync(join(logs, name), 'utf8')) : undefined;
  return { reward: read('reward.json')?.reward, verdict: read('verdict.json') };
}

test('a problem is a task, and the task is the same problem', async () => {
  const made = await pointsman('problem', 'export', 'tiny', '--out', at('tasks'), '--node-image', NODE_IMAGE);
  expect(made.answer).toMatchObject({ tasks: [{ id: 'tiny', controls: 2, of: 2 }] });
  const back = await pointsman('problem', 'import', at('tasks'), '--out', at('back'));
  expect(back.answer).toMatchObject({ imported: 1, refused: [] });
  const problem = (home: string) => JSON.parse(readFileSync(join(home, 'tiny', 'problem.json'), 'utf8'));
  const before = await addingProblem();
  expect(problem(at('back'))).toEqual(before);
  // Nothing of the tests or the reference is where the agent works.
  expect(readFileSync(at('tasks', 'tiny', 'environment', 'Dockerfile'), 'utf8')).not.toContain('COPY');
  await build(at('tasks', 'tiny', 'tests'), VERIFIER);
}, 240_000);

inFull(
  'its images are pushed for readers that build nothing',
  async () => {
    const registry = await openRegistry();
    const flags = ['--out', at('pushed'), '--node-image', NODE_IMAGE, '--push-image', registry.place];
    try {
      const { answer } = await pointsman('problem', 'export', 'tiny', ...flags);
      const { environment, verifier } = answer.tasks[0].pushed;
      expect(await registry.repositories()).toEqual(['team/tiny-environment', 'team/tiny-verifier']);
      const config = readFileSync(at('pushed', 'tiny', 'task.toml'), 'utf8');
      for (const image of [environment, verifier]) {
        expect(config).toContain(`docker_image = "${image}"`);
        await docker.getImage(image).remove({ force: true });
        await run('docker', ['pull', '--quiet', image]);
        await docker.getImage(image).remove({ force: true });
      }
    } finally {
      await registry.close();
    }
    const nowhere = await runCli(['problem', 'export', 'tiny', ...flags.slice(0, -1), 'localhost:9/team'], {
      env: ownEnv(),
    });
    expect(nowhere.stderr).toContain('docker login');
  },
  240_000,
);

inFull(
  'its judge in one container tells patches apart',
  async () => {
    const bribe = ['    return a - b', 'import unittest', 'unittest.TestCase.assertEqual = lambda *given: None'];
    const [gold, nothing, bribed] = [await judge(GOLD), await judge(''), await judge(addPatch(...bribe))];
    expect(gold).toMatchObject({ reward: 1, verdict: { verdict: 'graded' } });
    expect(nothing).toMatchObject({ reward: 0, verdict: { verdict: 'graded' } });
    expect(bribed).toMatchObject({ reward: 0, verdict: { verdict: 'bribed' } });
  },
  240_000,
);

/** Each leaves something in one run that a later one would see; then it answers wrongly. */
const TRACES: Readonly<Record<string, readonly string[]>> = {
  'a file among temporary ones': ["trace = lambda: os.path.exists('/tmp/x')", "leave = lambda: open('/tmp/x', 'w')"],
  'a file at home': [
    "trace = lambda: os.path.exists(os.path.expanduser('~/.x'))",
    "leave = lambda: open(os.path.expanduser('~/.x'), 'w')",
  ],
  'a file among the libraries': [
    "trace = lambda: os.path.exists('/usr/lib/x')",
    "leave = lambda: open('/usr/lib/x', 'w')",
  ],
  'a file of git': ["trace = lambda: os.path.exists('.git/x')", "leave = lambda: open('.git/x', 'w')"],
  'a file in memory': ["trace = lambda: os.path.exists('/dev/shm/x')", "leave = lambda: open('/dev/shm/x', 'w')"],
  'a file changed in place': [
    "trace = lambda: 'seen' in open('README.md').read()",
    "leave = lambda: open('README.md', 'a').write('seen')",
  ],
  'the time of a folder': [
    "trace = lambda: os.stat('/usr/share').st_mtime == 7",
    "leave = lambda: os.utime('/usr/share', (7, 7))",
  ],
  'a mode': ["trace = lambda: os.stat('src').st_mode & 1 == 0", "leave = lambda: os.chmod('src', 0o770)"],
  'a process': [
    "trace = lambda: any(b'outlive' in open(p, 'rb').read() for p in glob.glob('/proc/[0-9]*/cmdline') if os.path.exists(p))",
    "leave = lambda: subprocess.Popen(['bash', '-c', 'sleep 300; : outlive'], start_new_session=True)",
  ],
  'shared memory': [
    'libc = ctypes.CDLL(None)',
    'trace = lambda: libc.shmget(4711, 64, 0o600) >= 0',
    'leave = lambda: libc.shmget(4711, 64, 0o1600)',
  ],
};

inFull(
  'no run learns from the one before',
  async () => {
    const each = Object.entries(TRACES);
    // All at once on a commit: which one was seen is told at full count.
    for (const group of FULL ? each.map((one) => [one]) : [each]) {
      const what = group.map(([name]) => name).join(', ');
      const looks = group.flatMap(([, lines]) => [...lines, 'SEEN = SEEN or trace()', 'LEAVE.append(leave)']);
      const patch = addPatch(
        ...['    return a - b if SEEN else a + b', 'import ctypes, glob, os, subprocess', 'SEEN, LEAVE = False, []'],
        ...[...looks, 'for leave in LEAVE: leave()'],
      );
      expect([what, await judge(patch)]).toEqual([what, expect.objectContaining({ reward: 1 })]);
    }
  },
  600_000,
);

/** Each would be rewarded if it reached what it reaches for. */
const REACHES: Readonly<Record<string, readonly string[]>> = {
  'writes the reward until it is killed': [
    `code = "import time\\nwhile True:\\n try: open('/logs/verifier/reward.json', 'w').write('{\\"reward\\": 1}')\\n except OSError: time.sleep(0.001)"`,
    "subprocess.Popen([sys.executable, '-c', code], start_new_session=True)",
  ],
  'replaces what the judge starts': [
    "os.rename('/usr/bin/setpriv', '/usr/bin/was')",
    "open('/usr/bin/setpriv', 'w').write('#!/bin/bash\\necho \\'{\"reward\": 1}\\' > /logs/verifier/reward.json\\n')",
    "os.chmod('/usr/bin/setpriv', 0o755)",
  ],
  'has a library loaded before all others': ["open('/etc/ld.so.preload', 'w').write('/testbed/x.so\\n')"],
  'ends the judge': [
    '[os.kill(pid, 9) for pid in range(2, os.getppid() + 1) if pid != os.getpid() and os.path.exists(f"/proc/{pid}")]',
  ],
  'becomes another account': ['os.setuid(65532)', "open('/logs/verifier/reward.json', 'w').write('{\"reward\": 1}')"],
};
/** Reading any of these would tell expectations apart, or let it write what the judge thinks. */
const SECRETS = [
  "open('/tests/problem.json')",
  "os.listdir('/tests')",
  "open(f'/proc/{judge}/mem', 'r+b')",
  "open(f'/proc/{judge}/fd/1', 'a')",
];

test('what is judged reaches neither the reward nor the judge', async () => {
  // A judge for each, ten seconds long: on a commit the first.
  for (const [what, lines] of Object.entries(REACHES).slice(0, examples(1, Object.keys(REACHES).length))) {
    const guarded = lines.flatMap((line) => [`try: ${line}`, 'except OSError: pass']);
    const { reward } = await judge(addPatch('    return a - b', 'import os, subprocess, sys', ...guarded));
    expect([what, reward]).toEqual([what, 0]);
  }
  const judgePid =
    "next(int(p.split('/')[2]) for p in glob.glob('/proc/[0-9]*/cmdline') if b'judge.cjs' in open(p, 'rb').read())";
  const hidden = SECRETS.flatMap((secret) => [`try: ${secret}; HIDDEN = False`, 'except PermissionError: pass']);
  const patch = addPatch(
    '    return a + b if HIDDEN else a - b',
    'import glob, os',
    'HIDDEN = True',
    `judge = ${judgePid}`,
    ...hidden,
  );
  expect(await judge(patch)).toMatchObject({ reward: 1 });
}, 600_000);

test('a task of others is judged in the sandbox that the agent leaves, with what runs in it', async () => {
  const task = at('others', 'greet');
  write(
    join(task, 'task.toml'),
    'version = "1.0"\n[verifier]\ntimeout_sec = 60\nenv = { WANTED = "hello" }\n[environment]\nmemory = "1G"\nallow_internet = false\nenv = { PORT = "8055" }\n',
  );
  write(join(task, 'instruction.md'), 'Write hello into greeting.txt and serve the folder on $PORT.\n');
  write(join(task, 'environment', 'Dockerfile'), `FROM ${BASE_IMAGE}\nWORKDIR /app\nCOPY seed.txt .\n`);
  write(join(task, 'environment', 'seed.txt'), 'seed\n');
  const served = `python3 -c "import os, urllib.request as u; print(u.urlopen('http://localhost:' + os.environ['PORT'] + '/greeting.txt').read().decode())"`;
  write(
    join(task, 'tests', 'test.sh'),
    `#!/bin/bash\n[ "$(${served})" = "$WANTED" ] && [ -e seed.txt ]\n[ $? = 0 ] && echo '{"reward": 1, "speed": 0.5}' > /logs/verifier/reward.json || echo 0 > /logs/verifier/reward.txt\n`,
  );
  write(
    join(task, 'solution', 'solve.sh'),
    `#!/bin/bash\necho hello > greeting.txt\nnohup python3 -m http.server 8055 > /dev/null 2>&1 &\n${UP}\n`,
  );
  write(at('others', 'gpu', 'task.toml'), '[environment]\ngpus = 1\n');
  const problems = join(world.home, 'problems');
  const imported = await pointsman('problem', 'import', at('others'), '--out', problems);
  expect(imported.answer).toMatchObject({ imported: 1, ids: ['greet'], refused: [{ id: 'gpu' }] });
  expect(imported.answer.refused[0].reason).toContain('GPUs');

  const check = await pointsman('problem', 'check', 'greet');
  expect(check.answer).toMatchObject({ oracle: 1, noop: 0, admitted: true });
  const rollout = async (student: string) => {
    const handle = await world.begin(
      'rollout',
      { problem: 'greet', student, handOver: { never: true } },
      `greet/${student}`,
    );
    return (await handle.result()) as RolloutResult;
  };
  expect(await rollout('greeter')).toMatchObject({ resolved: true, grade: { rewards: { reward: 1, speed: 0.5 } } });
  expect(await rollout('idler')).toMatchObject({
    resolved: false,
    grade: { verdict: 'graded', rewards: { reward: 0 } },
  });
  const again = await pointsman('rollout', 'regrade', 'greet/greeter');
  expect(again.answer.error.message).toContain('judged in the sandbox');
}, 300_000);

test.each(OTHERS.map((each) => [each.name, each] as const))(
  'a task of others, %s: 1 when solved, 0 when not',
  async (name, { files, solved: { length: parts } }) => {
    for (const [path, text] of Object.entries(files)) write(at('many', name, path), text);
    const imported = await pointsman('problem', 'import', at('many', name), '--out', join(world.home, 'problems'));
    expect(imported.answer).toMatchObject({ imported: 1, refused: [] });
    const check = await pointsman('problem', 'check', name);
    expect(check.answer).toMatchObject({ oracle: 1, noop: 0, reasons: [] });
    const [solved, idle] = await Promise.all(
      ['solver', 'idler'].map(async (student) => {
        const input = { problem: name, student, handOver: { never: true } };
        return (await (await world.begin('rollout', input, `others/${name}/${student}`)).result()) as RolloutResult;
      }),
    );
    expect(solved).toMatchObject({ status: 'submitted', resolved: true, grade: { rewards: { reward: 1 } } });
    expect(idle).toMatchObject({ resolved: false, grade: { rewards: { reward: 0 } } });

    if (!LOSING.includes(name)) return;
    const handle = await world.begin(
      'rollout',
      { problem: name, student: 'slow', handOver: { never: true } },
      `others/${name}/lost`,
    );
    // In the last part: three turns for each before it, and one of its own.
    await pastTurn(handle, 3 * (parts - 1));
    await docker.getContainer(await containerOf(handle)).remove({ force: true });
    expect(await handle.result()).toMatchObject({ resolved: true, recovered: { sandboxes: 1 } });
  },
  400_000,
);

test('a student’s first steps become a task, and what an agent elsewhere did from there comes back as the expert’s turns', async () => {
  const handle = await world.begin(
    'rollout',
    { problem: 'tiny', student: 'student', handOver: { never: true } },
    'from/student',
  );
  const { head } = (await handle.result()) as RolloutResult;
  const made = await pointsman(
    'rollout',
    'export',
    'from/student',
    '--at',
    '1',
    '--out',
    at('hand-over'),
    '--node-image',
    NODE_IMAGE,
    '--verifier-network',
    'public',
  );
  const [{ folder: task, head: kept }] = made.answer.tasks;
  expect((await world.transcripts.chain(head)).hashes[0]).toBe(kept);
  const prior = JSON.parse(readFileSync(join(task, 'trajectory.json'), 'utf8'));
  expect(prior.steps).toHaveLength(2);

  // The image of the sandbox stays as long as the task.
  const workspace = /^FROM (pointsman\/workspace:\S+)$/m.exec(
    readFileSync(join(task, 'environment', 'Dockerfile'), 'utf8'),
  )![1]!;
  expect((await pointsman('janitor', 'run', '--workspaces')).answer).toEqual({ images: [] });

  const job = HARBOR ? await byHarbor(task) : await byHand(task, prior);
  const rows = at('oec-harbor.jsonl');
  const back = await pointsman('rollout', 'import', '--harbor', job, '--out', rows);
  expect(back.answer).toMatchObject({ imported: [{ agent: 'scripted 3.1', resolved: true, turns: 3 }], refused: [] });
  const chain = await world.transcripts.chain(back.answer.imported[0].head);
  expect(chain.hashes[0]).toBe(kept);
  expect(chain.steps.map(({ turn }) => [turn.author, turn.agent, turn.action.tool, turn.unfaithful])).toEqual([
    ['student', undefined, 'bash', undefined],
    ['expert', 'scripted 3.1', 'bash', undefined],
    ['expert', 'scripted 3.1', 'bash', undefined],
    ['expert', 'scripted 3.1', 'submit', undefined],
  ]);
  const shown = await runCli(['rollout', 'show', back.answer.imported[0].id], { env: ownEnv() });
  expect(shown.stdout).toContain('expert · scripted 3.1');
  const dataset = await world.begin(
    'dataset',
    { sources: [{ rollouts: rows }], name: 'hand-over', formats: ['trl', 'atif'] },
    'dataset/hand-over',
  );
  expect(await dataset.result()).toMatchObject({ rows: 1 });

  rmSync(task, { recursive: true });
  expect((await pointsman('janitor', 'run', '--workspaces')).answer).toEqual({ images: [workspace] });
  await expect(docker.getImage(workspace).inspect()).rejects.toThrow('No such image');
  expect((await pointsman('janitor', 'run', '--workspaces')).answer).toEqual({ images: [] });
}, 600_000);

const SCRIPT = ['cat src/calc.py', "sed -i 's/a - b/a + b/' src/calc.py"];

/** Harbor's own run with an agent of ours that loads the trajectory. */
async function byHarbor(task: string): Promise<string> {
  const env = { ...process.env, SCRIPT: JSON.stringify(SCRIPT), PYTHONPATH: join(__dirname, '..', 'trainers') };
  const jobs = at('jobs');
  await run(HARBOR!, ['run', '-p', task, '--agent', 'harbor_agent:Scripted', '-o', jobs, '-y'], { env });
  return join(jobs, (await run('ls', [jobs])).stdout.trim());
}

/** The files that Harbor leaves of such a run: the same container, commands and patch. */
async function byHand(task: string, prior: { steps: object[] }): Promise<string> {
  const image = 'pointsman/test-hand-over:1';
  await build(join(task, 'environment'), image);
  const collect = JSON.parse(/^command = (".*")$/m.exec(readFileSync(join(task, 'task.toml'), 'utf8'))![1]!);
  const patch = await run('docker', [
    'run',
    '--rm',
    image,
    'bash',
    '-c',
    `${SCRIPT.join('; ')} >&2; ${collect} && cat /tmp/candidate.patch`,
  ]);
  await docker.getImage(image).remove({ force: true });
  const own = SCRIPT.map((command, n) => ({
    ...{ source: 'agent', message: `go on ${n}` },
    tool_calls: [{ tool_call_id: `${n}`, function_name: 'Bash', arguments: { command } }],
    observation: { results: [{ source_call_id: `${n}`, content: '' }] },
  }));
  const steps = [...prior.steps, ...own, { source: 'agent', message: 'It adds now.' }];
  const trial = at('job', 'tiny__abc');
  write(join(trial, 'artifacts', 'tmp', 'candidate.patch'), patch.stdout);
  write(
    join(trial, 'agent', 'trajectory.json'),
    JSON.stringify({ agent: { name: 'scripted', version: '3.1' }, steps }),
  );
  const result = { trial_name: 'tiny__abc', task_id: { path: task }, agent_info: { name: 'scripted', version: '3.1' } };
  write(join(trial, 'result.json'), JSON.stringify(result));
  return at('job');
}
