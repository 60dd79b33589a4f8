// Kind 5: the pipe of the journal belonged to the judged. Commands are root in their sandbox and write where they like; whatever
// they do to the journal ends as what really happened, or as `Tampered`, and never as a result that they made up.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSandboxes } from '../../src/sandbox';
import { JournalSandbox } from '../sandbox/journal-sandbox';

const its = new JournalSandbox();
const { sandboxes, name, request, run, text } = its;
const JOBS = '/var/lib/pointsman/jobs';

/** Runs a job that really ends with 7: it says so, or that the journal was tampered with. */
async function truth(command: string, id: string): Promise<string> {
  await its.reopen();
  const result = await its.journal.run(request(command, { id })).catch((error: { code?: string }) => error);
  if (!('exitCode' in result)) return String(result.code);
  return `${result.reason} ${result.exitCode}`;
}
const TRUE = /^(exit 7|Tampered)$/;
const done = (id: string) => `done ${id} 0 exit 1 2 0 - 6\nforged\n`;

test('no command reaches the pipe of the server or of a keeper, their memory, or them as a debugger', async () => {
  const probe = `
import ctypes, glob, os
libc = ctypes.CDLL(None, use_errno=True)
mine, seen = os.getpid(), []
for folder in glob.glob('/proc/[0-9]*'):
    pid = int(folder[6:])
    line = open(folder + '/cmdline', 'rb').read()
    if b'journal' not in line.split(b'\\0')[3:6]: continue
    seen.append(pid)
    for what in ('fd/0', 'fd/1', 'fd/3', 'fd/4', 'fd/7', 'mem', 'environ', 'maps'):
        try:
            if what == 'environ': open(folder + '/environ').read()
            else: os.close(os.open(folder + '/' + what, os.O_RDWR if what == 'mem' else os.O_WRONLY))
            print('reached', what)
        except OSError as error: print(what, error.errno)
    for request in (16, 0x4206):
        if libc.ptrace(request, pid, 0, 0) == 0: print('reached ptrace')
    if libc.syscall(438, libc.syscall(434, pid, 0), 4, 0) >= 0: print('reached pidfd_getfd')
print('seen', len(seen) >= 2)
`;
  const said = await text(`cat > /tmp/probe.py << 'END'\n${probe}\nEND\npython3 /tmp/probe.py`);
  expect(said).toContain('seen True');
  expect(said).not.toContain('reached');
  expect(await text('grep CapBnd /proc/self/status; (setsid grep CapEff /proc/self/status)')).toBe(
    'CapBnd:\t00000000000000fb\nCapEff:\t00000000000000fb\n',
  );
});

test('an answer written into every pipe in reach is not believed', async () => {
  const forge = `for fd in /proc/[0-9]*/fd/*; do [[ -p $fd ]] && printf '%b' "$1" 2> /dev/null > $fd & done; sleep 0.3`;
  expect(await truth(`forge() { ${forge}; }; forge '${done('pipes')}'; exit 7`, 'pipes')).toMatch(TRUE);
});

test('what git is told to run by the repository reaches no pipe either', async () => {
  await run(
    `cd /testbed; printf '* filter=evil\\n' > .gitattributes; git config core.fsmonitor /tmp/evil; git config filter.evil.clean '/tmp/evil; cat'; ` +
      `printf '#!/bin/bash\nfor fd in /proc/[0-9]*/fd/[0134]; do printf "${'ready 1 0\\\\n'.repeat(2)}" > $fd; done 2> /dev/null; timeout 1 cat > /tmp/stolen\n' > /tmp/evil; chmod +x /tmp/evil`,
  );
  await its.reopen();
  for (const id of ['git-1', 'git-2']) {
    const { exitCode } = await its.journal.run(
      request('echo x >> /testbed/README.md; exit 7', { id, workdir: '/testbed' }),
    );
    expect(exitCode).toBe(7);
  }
  expect(
    await text(
      'cat /tmp/stolen 2>/dev/null; rm -rf /testbed/.gitattributes /tmp/evil; cd /testbed && git config --unset filter.evil.clean; git config --unset core.fsmonitor',
    ),
  ).not.toMatch(/run git/);
});

test.each([
  ['a code', (id: string) => `echo '0 exit 1 2' > ${JOBS}/${id}.code`],
  ['a code without a tag, as it once was', (id: string) => `echo '0 1' > ${JOBS}/${id}.code`],
  ['a record', (id: string) => `printf '1 - run 1 1 4 5\\ntrue' > ${JOBS}/${id}.cmd`],
  ['an output', (id: string) => `echo forged > ${JOBS}/${id}.out`],
  ['a final answer', (id: string) => `echo '0 7 /tmp/forged' > ${JOBS}/${id}.final`],
  ['a reason', (id: string) => `echo timeout > ${JOBS}/${id}.reason`],
  ['a pipe for a code', (id: string) => `mkfifo ${JOBS}/${id}.code`],
  ['a link for an output', (id: string) => `ln -s /etc/passwd ${JOBS}/${id}.out`],
  ['arithmetic that runs something', (id: string) => `echo 'a[$(touch /tmp/ran-by-server)]' > ${JOBS}/${id}.rotated`],
])('%s that is made before its job is asked for is not believed', async (_, forge) => {
  const id = `early-${Math.random().toString(36).slice(2)}`;
  await run(forge(id));
  expect(await truth('exit 7', id)).toMatch(TRUE);
});

test.each([
  ['a code', (id: string) => `echo '0 exit 1 2' > ${JOBS}/${id}.code`],
  ['a reason', (id: string) => `echo timeout > ${JOBS}/${id}.reason`],
  ['a start in the past', (id: string) => `sed -i '1s/^[0-9]*/1/' ${JOBS}/${id}.cmd`],
  [
    'arithmetic that runs something',
    (id: string) =>
      `sed -i '1s/^[0-9]*/a[$(touch \\/tmp\\/ran-by-server)]/' ${JOBS}/${id}.cmd; echo 'a[$(touch /tmp/ran-by-server)]' | tee ${JOBS}/${id}.{rotated,keeper,final}`,
  ],
  ['a folder for a code', (id: string) => `mkdir ${JOBS}/${id}.code`],
  ['a pipe for the state', (id: string) => `trap - EXIT; mkfifo ${JOBS}/${id}.env`],
  [
    'the order as a pipe',
    () =>
      `rm /var/lib/pointsman/state/order; mkfifo /var/lib/pointsman/state/order; { sleep 2; rm /var/lib/pointsman/state/order; } & true`,
  ],
])('%s that a command forges for itself is not believed', async (_, forge) => {
  const id = `own-${Math.random().toString(36).slice(2)}`;
  expect(await truth(`${forge(id)}; sleep 0.6; exit 7`, id)).toMatch(TRUE);
  await sleep(2000);
  await its.reopen();
  expect(await text('ls /tmp/ran-by-server 2>&1')).toMatch(/No such file/);
});

test('a process that an earlier command left behind forges nothing for a later one', async () => {
  await run(
    `cat > /tmp/lurk << 'END'
while [[ ! -e ${JOBS}/later.cmd ]]; do sleep 0.01; done
for i in {1..300}; do
  echo '0 exit 1 2' > ${JOBS}/later.code; echo timeout > ${JOBS}/later.reason
  for fd in /proc/[0-9]*/fd/[14]; do [[ -p $fd ]] && printf '${done('later').replaceAll('\n', '\\n')}' > $fd; done 2> /dev/null
done
END
setsid bash /tmp/lurk > /dev/null 2>&1 &`,
  );
  expect(await truth('sleep 1; exit 7', 'later')).toMatch(TRUE);
  await its.reopen();
  await run('pkill -f lurk');
});

test('programs put in the place of ours between commands are not run, and a deadline holds whatever the command writes', async () => {
  await run(
    'mkdir -p /opt/pointsman; for f in journal shell memory serve; do echo "trap \'exit 0\' EXIT; exit 0" > /opt/pointsman/$f.sh; done',
  );
  expect(await truth('exit 7', 'scripts')).toBe('exit 7');
  const late = await its.journal.run(
    request(
      `trap 'echo x > ${JOBS}/late.reason; exit 0' TERM; echo timeout > ${JOBS}/late.reason; for i in {1..100}; do sleep 0.1; done`,
      { id: 'late', timeoutMs: 1500 },
    ),
  );
  expect(late.reason).toBe('timeout');
});

test('the server that is killed is succeeded, and another worker with the same secret follows its commands', async () => {
  const asked = request('sleep 2; exit 7', { id: 'followed' });
  const first = its.journal.run(asked).catch(() => undefined);
  await sleep(500);
  const stream = await its.another();
  expect((await stream.run(asked)).exitCode).toBe(7);
  stream.close();
  await first;
  const other = openSandboxes('test', randomBytes(32));
  await expect(other.at(name).journal((on) => on.run(asked))).rejects.toMatchObject({ code: 'Tampered' });
  other.close();
  await expect(sandboxes.at(name).journal((on) => on.run(asked))).resolves.toMatchObject({ exitCode: 7 });
});
