import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { openSandboxes } from '../../src/sandbox';
import { removeContainer } from '../../src/sandbox/docker/container';
import { runInGuest } from '../../src/sandbox/docker/guest';
import { JournalStream } from '../../src/sandbox/docker/journal';
import { Diverged, type Journal } from '../../src/sandbox/sandbox';
import { tinyProblem } from '../support/tiny-problem';
import { JournalSandbox } from './journal-sandbox';

const its = new JournalSandbox();
const { sandboxes, name, run, text, request, others, slowOnce, fastAgain } = its;

/** One that no sandbox of ours is in, for a test that spoils it. */
async function container(more: Docker.HostConfig = {}): Promise<Docker.Container> {
  const { image: Image } = await tinyProblem();
  const HostConfig = { Init: true, CapAdd: ['SETPCAP'], ...more };
  const made = await new Docker().createContainer({ Image, Entrypoint: [], Cmd: ['sleep', 'infinity'], HostConfig });
  await made.start();
  return made;
}

test('directory, exported variables and functions persist; what is only in the shell does not', async () => {
  await run('cd /tmp; export WORD="two words"; plain=1; greet() { echo "hi $1"; }');
  expect(await text('pwd; echo "$WORD|${plain-unset}"; greet you')).toBe('/tmp\ntwo words|unset\nhi you\n');
  await run('unset WORD; cd /testbed');
  expect(await text('echo ${WORD-gone} $PWD')).toBe('gone /testbed\n');
});

test('a command that opens its own output anew takes nothing of it away, and the order stays', async () => {
  const command =
    "echo one; echo two > /dev/stderr; echo three > /proc/self/fd/1; python3 -c \"open('/dev/stdout', 'w').write('four\\n')\"; echo five >&2";
  expect(await text(command)).toBe('one\ntwo\nthree\nfour\nfive\n');
});

test('all that was written before a command ended is its output; what its children write later holds nobody up', async () => {
  const many = await run('seq 200000; (sleep 30; echo late) & exit 3');
  expect(many.exitCode).toBe(3);
  expect(many.durationMs).toBeLessThan(15_000);
  const lines = many.output.toString('utf8').trimEnd().split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([200_000, '200000']);
});

test('a command that was killed for want of memory is told from one that failed', async () => {
  const killed = await run(`python3 -c "b'x' * (700 << 20)"`);
  expect(killed.exitCode).toBe(137);
  expect(killed.output.toString()).toMatch(/\nout of memory: .* 512 MiB \(memoryMiB of the sandbox\)\n$/);
  expect(await text('exit 137')).toBe('');
});

test('state survives failure, exit, set -e and a virtual environment is kept', async () => {
  expect((await run('export KEPT=1; set -e; false; export KEPT=2')).exitCode).toBe(1);
  expect(await text('echo $KEPT')).toBe('1\n');
  expect((await run('export KEPT=3; exit 7')).exitCode).toBe(7);
  expect(await text('echo $KEPT')).toBe('3\n');
});

test('the same id runs once, on this stream and on another', async () => {
  const asked = request('echo ran >> /tmp/count; sleep 1; cat /tmp/count', { id: 'once' });
  const second = await its.another();
  const [a, b] = await Promise.all([its.journal.run(asked), second.run(asked)]);
  second.close();
  expect([a.output.toString(), b.output.toString()]).toEqual(['ran\n', 'ran\n']);
  expect((await its.journal.run(asked)).output.toString()).toBe('ran\n');
});

test('a command outlives the stream that started it, and is followed to its real exit code', async () => {
  const dying = await its.another();
  const asked = request('for i in 1 2 3 4 5 6; do echo $i; sleep 0.25; done; exit 9', { id: 'orphan' });
  const abandoned = dying.run(asked).catch((error: Error) => error);
  await new Promise((resolve) => setTimeout(resolve, 400));
  dying.close();
  expect(await abandoned).toBeInstanceOf(Error);
  const followed = await its.journal.run(asked);
  expect(followed.exitCode).toBe(9);
  expect(followed.output.toString()).toBe('1\n2\n3\n4\n5\n6\n');
});

test('an output that is long or holds NULs is the same for whoever asks, however often', async () => {
  const long = 'head -c 96000 /dev/zero | tr "\\0" x | fold -w 127';
  const whole = (await run(long)).output;
  for (const command of [long, 'printf "a\\0b"', `sleep 0.5; ${long}`, 'sleep 0.5; printf "a\\0b"']) {
    const asked = request(command);
    const both = await others(2);
    const given = await Promise.all([its.journal, ...both].map((each) => each.run(asked)));
    given.push(await its.journal.run(asked));
    for (const each of both) each.close();
    const wanted = command.includes('fold') ? whole : Buffer.from('a\0b');
    expect(given.map(({ output }) => output.equals(wanted))).toEqual([true, true, true, true]);
  }
  const capped = request('seq 400000', { headBytes: 10, tailBytes: 10 });
  const other = await its.another();
  const given = await Promise.all([its.journal.run(capped), other.run(capped)]);
  other.close();
  expect(given.map(({ output }) => output.toString())).toEqual(Array(2).fill('1\n2\n3\n4\n5\n99\n400000\n'));
});

test('the head of a long output is whole, however long one of two servers takes to set it aside', async () => {
  await slowOnce('head', 2);
  const both = await others(2);
  const command = 'echo FIRST; seq 500000; sleep 4; echo LAST';
  const asked = request(command, { headBytes: 6, tailBytes: 5 });
  const given = await Promise.all(both.map((each) => each.run(asked)));
  for (const each of both) each.close();
  await fastAgain('head');
  expect(given.map(({ output }) => output.toString())).toEqual(Array(2).fill('FIRST\nLAST\n'));
  expect(await text(`cd /var/lib/pointsman/jobs; ls | grep ${asked.id}.head`)).toBe('');
});

test('where no hole can be punched, one server cuts the output, and the next when that one is gone', async () => {
  const punch = '/usr/local/bin/fallocate';
  await run(`printf '#!/bin/sh\nexit 1\n' > ${punch}; chmod +x ${punch}`);
  await slowOnce('tail', 1);
  const both = await others(2);
  const command = 'echo FIRST; for i in 1 2 3 4 5 6; do seq 200000; sleep 0.7; done; echo LAST';
  const asked = request(command, { headBytes: 6, tailBytes: 12 });
  const given = await Promise.all(both.map((each) => each.run(asked)));
  for (const each of both) each.close();
  await fastAgain('tail');
  await run(`rm ${punch}`);
  expect(given.map(({ output }) => output.toString())).toEqual(Array(2).fill('FIRST\n200000\nLAST\n'));
  // What is written in the very moment of a cut is lost to the count; never as much as one of the six bursts.
  for (const { elidedBytes } of given) expect(elidedBytes).toBeGreaterThan(5 * 1_288_895);
});

test('an output that was punched, and then has to be cut, is counted once', async () => {
  const punch = '/usr/local/bin/fallocate';
  const bursts = (n: number) => `for i in $(seq ${n}); do seq 200000; sleep 0.7; done`;
  const stopped = `printf '#!/bin/sh\nexit 1\n' > ${punch}; chmod +x ${punch}`;
  const { output, elidedBytes } = await run(`echo FIRST; ${bursts(3)}; ${stopped}; ${bursts(3)}; echo LAST`, {
    headBytes: 6,
    tailBytes: 12,
  });
  await run(`rm ${punch}`);
  expect(output.toString()).toBe('FIRST\n200000\nLAST\n');
  expect(elidedBytes).toBeGreaterThan(5 * 1_288_895);
  expect(elidedBytes).toBeLessThanOrEqual(6 * 1_288_895 - 7);
});

test('of a stream that broke the words of the sandbox are told, and nothing of commands that ended well', async () => {
  const lost = await container();
  try {
    const journal = await JournalStream.open(lost, its.secret);
    const jobs = ['echo one', 'no-such-command', 'echo three'].map((command) => request(command));
    for (const job of jobs) await journal.run(job);
    const last = journal.run(request('sleep 60'));
    await Promise.all([
      expect(last).rejects.toMatchObject({ code: 'SandboxLost', message: 'the stream into the sandbox broke' }),
      sleep(500).then(() => lost.kill()),
    ]);
  } finally {
    await removeContainer(new Docker(), lost.id);
  }
});

test('a timeout kills the whole tree, wherever it fled to, and keeps the partial output', async () => {
  const result = await run(
    'echo before; (sleep 321 & setsid sleep 322 & nohup sleep 323 & env -i setsid sleep 324 &); ' +
      'python3 -c "import signal,time,sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(325)"',
    { timeoutMs: 800 },
  );
  expect(result.reason).toBe('timeout');
  expect(result.output.toString()).toBe('before\n1\n');
  // Anything but the deadline would have taken minutes.
  expect(result.durationMs).toBeLessThan(120_000);
  expect(
    await text('for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline 2>/dev/null; echo; done | grep -c "slee[p] 32"'),
  ).toBe('0\n');
});

test('cancelling kills the job from a second process', async () => {
  const running = run('echo on; sleep 300', { id: 'cancel-me' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await sandboxes.at(name).kill('cancel-me');
  expect(await running).toMatchObject({ reason: 'cancelled', exitCode: 143 });
});

test('a journal that the command kills is no loss: the job is reported killed and the next one runs', async () => {
  const answer = await run('echo bye; kill -9 $PPID; sleep 30', { timeoutMs: 5_000 });
  expect(answer.reason).toBe('killed');
  const broken = sandboxes.at(name).journal((open) =>
    open.run({
      id: 'all',
      after: '*',
      command:
        'pkill -9 bash; for p in /proc/[0-9]*; do read -r c < $p/comm; [[ $c == bash && ${p#/proc/} != $$ ]] && kill -9 ${p#/proc/}; done; echo over',
      timeoutMs: 5_000,
    }),
  );
  expect((await broken).reason).toBe('killed');
  expect(
    (
      await sandboxes
        .at(name)
        .journal((open) => open.run({ id: 'after-all', after: '*', command: 'echo here', timeoutMs: 5_000 }))
    ).output.toString(),
  ).toBe('here\n');
  await its.reopen();
});

test('of a command that met a full disk nobody says how it ended, also when there is room again', async () => {
  const small = await container({ Tmpfs: { '/var/lib/pointsman': 'size=256k' } });
  const journals: JournalStream[] = [];
  try {
    const open = async () => {
      journals.push(await JournalStream.open(small, its.secret));
      return journals.at(-1)!;
    };
    const [first, second] = [await open(), await open()];
    expect((await first.run(request('echo there is room'))).output.toString()).toBe('there is room\n');
    const full = 'cat /dev/zero > /var/lib/pointsman/filler';
    const silent = request(`${full}; sleep 0.5`);
    await expect(first.run(silent)).rejects.toThrow(new Diverged(`the sandbox's last job is ${silent.id}(full)`));
    const asked = second.run(silent);
    await runInGuest(small, { command: 'rm /var/lib/pointsman/filler' });
    await expect(asked).rejects.toThrow('(full)');
    const cut = request(`${full}; seq 10000; rm /var/lib/pointsman/filler`);
    await expect(second.run(cut)).rejects.toThrow('(full)');
    await expect(first.run(cut)).rejects.toThrow('(full)');
    expect((await first.run(request('echo there is room'))).output.toString()).toBe('there is room\n');
  } finally {
    for (const journal of journals) journal.close();
    await removeContainer(new Docker(), small.id);
  }
});

test('output is capped: head and tail are kept, the rest counted, the disk spared', async () => {
  const result = await run('echo FIRST; head -c 300000000 /dev/zero | tr "\\0" x; echo; echo LAST', {
    headBytes: 1000,
    tailBytes: 1000,
  });
  expect(result.output.length).toBe(2000);
  expect(result.output.toString().startsWith('FIRST\n')).toBe(true);
  expect(result.output.toString().endsWith('LAST\n')).toBe(true);
  expect(result.elidedBytes).toBe(300_000_012 - 2000);
  expect(Number(await text('du -sm /var/lib/pointsman | cut -f1'))).toBeLessThan(50);
});

test('bytes pass exactly: NUL, invalid UTF-8, no final newline, and names with spaces and newlines', async () => {
  expect((await run('printf "a\\0b\\xff\\n\\n"')).output).toEqual(Buffer.from([97, 0, 98, 255, 10, 10]));
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256));
  const path = '/tmp/a b\n"c';
  const written = await its.journal.apply({ id: 'w1', after: '*', kind: 'write', path, bytes, text: 'é\n' });
  expect([written.exitCode, written.output.toString()]).toEqual([0, 'é\n']);
  expect(await its.journal.look(path)).toEqual({ kind: 'file', parentExists: true, bytes });
  expect(await its.journal.look('/nowhere/x')).toEqual({ kind: 'missing', parentExists: false });
});

test('an edit is applied once: asked again it answers what it answered, and touches nothing', async () => {
  const edit = {
    id: 'edit-1',
    after: '*',
    kind: 'write' as const,
    path: '/tmp/once',
    bytes: Buffer.from('one'),
    text: 'edited',
  };
  await its.journal.apply(edit);
  await run('echo changed > /tmp/once');
  expect((await its.journal.apply({ ...edit, bytes: Buffer.from('two'), text: 'other' })).output.toString()).toBe(
    'edited',
  );
  expect(await text('cat /tmp/once')).toBe('changed\n');
});

test('a job after the wrong one is refused: this container lived another history', async () => {
  await run('true', { id: 'x1' });
  await run('true', { id: 'x2', after: 'x1' });
  await expect(run('true', { id: 'x3', after: 'x1' })).rejects.toThrow(Diverged);
  expect((await run('true', { id: 'x2', after: 'x1' })).exitCode).toBe(0);
});

test('a job knows the tree that it met, and the agent’s own git is left alone', async () => {
  const before = await its.journal.digest('/testbed');
  const first = await run('cd /testbed && echo new > file.txt && git status --porcelain', { workdir: '/testbed' });
  expect(first.tree).toBe(before);
  expect(first.output.toString()).toBe('?? file.txt\n');
  const second = await run('rm file.txt; mkdir -p __pycache__; echo 1 > __pycache__/a.pyc; echo 2 > run.log', {
    workdir: '/testbed',
  });
  expect(second.tree).not.toBe(before);
  expect((await run('true', { workdir: '/testbed' })).tree).toBe(before);
  const { patch } = await its.journal.diff('HEAD', '/testbed');
  expect(patch.toString()).toBe('');
});

test('every change has its tree, however small, quick or undone', async () => {
  const tree = async (command: string) => {
    await run(`cd /testbed && ${command}`, { workdir: '/testbed' });
    return (await run('true', { workdir: '/testbed' })).tree;
  };
  const [none, one, two] = [await tree('true'), await tree('echo 1 > a'), await tree('echo 2 > a')];
  expect(new Set([none, one, two]).size).toBe(3);
  expect(await tree('git add a; git stash -q; git stash pop -q')).toBe(two);
  const program = await tree('chmod +x a');
  expect(new Set([none, one, two, program]).size).toBe(4);
  expect(await tree('chmod -x a; mv a b; ln -s b c')).not.toBe(two);
  expect(await tree('rm c; mv b a; echo 1 > a')).toBe(one);
  expect(await tree('mv .git /var/tmp/own')).toBe(null);
  expect(await tree('mv /var/tmp/own .git; rm a')).toBe(none);
});

test.each([
  ['a repository without a commit', 'git init -q own && echo 1 > own/a'],
  ['a repository that lies elsewhere', 'mkdir own && echo "gitdir: /nowhere" > own/.git && echo 1 > own/a'],
  [
    'a file with a filter that fails',
    "echo 'own filter=no' > .gitattributes; git config filter.no.clean false; git config filter.no.required true; echo 1 > own",
  ],
])('%s in the work directory takes nothing of the rest away', async (_, making) => {
  await run(`cd /testbed && echo kept > kept.txt; ${making}`, { workdir: '/testbed' });
  const { tree, patch } = await its.journal.diff('HEAD', '/testbed');
  await run('cd /testbed && rm -rf own kept.txt .gitattributes; git config --remove-section filter.no');
  expect(patch.toString()).toContain('+kept');
  expect(tree).toMatch(/^[0-9a-f]{40}$/);
});

test('a difference that git cannot tell is no empty one', async () => {
  const base = (await text('git -C /testbed rev-parse HEAD')).trim();
  await run('cd /testbed && echo lost > kept.txt; mv .git/objects /var/tmp/; mkdir .git/objects', {
    workdir: '/testbed',
  });
  await expect(its.journal.diff(base, '/testbed')).rejects.toMatchObject({ code: 'TooLarge' });
  await run('cd /testbed && rm -r kept.txt .git/objects; mv /var/tmp/objects .git/');
});

test('interactive reads see the end of input, and the locale of the container is kept', async () => {
  expect(await text('read -r x || echo "no input"; locale | head -1; echo ${LC_ALL-unset}')).toBe(
    'no input\nLANG=C.UTF-8\nunset\n',
  );
});

describe('a host', () => {
  const job = (id: string, command: string) => (on: Journal) => on.run({ id, after: '*', command, timeoutMs: 20_000 });

  test('opens one stream for all who ask at once, and another when that one breaks', async () => {
    const used = new Set<JournalStream>();
    const seen = (on: Journal) => {
      used.add(on as JournalStream);
      return on.digest('/testbed');
    };
    await Promise.all([
      sandboxes.at(name).journal(seen),
      sandboxes.at(name).journal(seen),
      sandboxes.at(name).journal(seen),
    ]);
    expect(used.size).toBe(1);
    for (const on of used) on.close();
    const { output } = await sandboxes.at(name).journal(job('after-break', 'echo on'));
    expect(output.toString()).toBe('on\n');
  });

  test('that is closed opens none again, whatever was running', async () => {
    const ending = openSandboxes('test', its.secret);
    const running = ending.at(name).journal(job('long', 'touch /tmp/begun; sleep 2; echo done'));
    const broken = expect(running).rejects.toThrow('journal closed');
    const begun = async () => (await sandboxes.at(name).journal((on) => on.look('/tmp/begun'))).kind === 'file';
    while (!(await begun())) await sleep(20);
    ending.close();
    await broken;
    await expect(ending.at(name).journal(job('later', 'true'))).rejects.toMatchObject({ code: 'Unavailable' });
    expect(
      (await sandboxes.at(name).journal(job('long', 'touch /tmp/begun; sleep 2; echo done'))).output.toString(),
    ).toBe('done\n');
  });
});
