// Workers were killed with SIGKILL at every moment, and the exec journal broke in four ways. Half a request was run as a
// whole command; a job whose record was just being written was taken for a job of another history; an edit whose server died
// was never ended; and two servers that were sent one edit both did it, the second over what had come after. Each once.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalStream } from '../../src/sandbox/docker/journal';
import { guestProgram } from '../../src/sandbox/guest';
import { JournalSandbox } from './journal-sandbox';

const its = new JournalSandbox();
const { container, request, run, text, others, slowOnce, fastAgain, begun } = its;

test('a record that another stream has begun is waited for; one that nobody ends is another history', async () => {
  const body = 'echo theirs';
  const begun = (id: string) => `cd /var/lib/pointsman/jobs; exec 3> ${id}.cmd`;
  const boot = (await text("cut -d' ' -f22 /proc/1/stat")).trim();
  const asked = request(body, { id: 'late' });
  const record = its.sealed('late', `${Date.now()}000 - run ${boot} 1 ${body.length}`, 'record');
  const code = its.sealed('late', `0 exit ${Date.now()}000`, 'code');
  const now = its.journal.run(
    request(
      `${begun('late')}; (sleep 2; printf '${record}\n${body}' >&3; echo theirs > late.out; sleep 0.3; echo '${code}' > late.code) &`,
    ),
  );
  await now;
  const followed = await its.journal.run(asked);
  expect([followed.reason, followed.output.toString()]).toEqual(['exit', 'theirs\n']);

  await run(`${begun('never')}; printf '12 - run' >&3; ${begun('neither')}`);
  await expect(run('echo mine', { id: 'never' })).rejects.toThrow('never(interrupted)');
  const file = { kind: 'write', path: '/tmp/mine', bytes: Buffer.from('mine'), text: '' } as const;
  await expect(its.journal.apply({ id: 'neither', after: '*', ...file })).rejects.toThrow('neither(interrupted)');
  expect(await text('cat /tmp/mine 2>&1')).toMatch(/No such file/);
});

test('a request that was cut off with its worker is no request', async () => {
  const cutOff = async (words: string) => {
    const Cmd = ['bash', '-p', '-c', `${guestProgram('memory.sh')}\n${guestProgram('journal.sh')}`, '-', 'serve', ''];
    const exec = await container.exec({ Cmd, AttachStdin: true, AttachStdout: true });
    const stream = await exec.start({ hijack: true, stdin: true });
    stream.write(`token\n${words}`);
    stream.end();
    while ((await exec.inspect()).Running) await sleep(50);
  };
  await cutOff('run cut-1 * 0 20000 100 100 40 1 2 3 4 5\necho half');
  expect(await text('echo all of it', { id: 'cut-1' })).toBe('all of it\n');
  await cutOff(`apply cut-2 * 0 write 4 8 9000 1 2 3 4 5\ntext/tmp/cut${'x'.repeat(500)}`);
  const bytes = Buffer.from('y'.repeat(9000));
  const written = await its.journal.apply({
    id: 'cut-2',
    after: '*',
    kind: 'write',
    path: '/tmp/cut',
    bytes,
    text: 'text',
  });
  expect([written.exitCode, written.output.toString()]).toEqual([0, 'text']);
  expect(await text('wc -c < /tmp/cut; grep -c x /tmp/cut')).toBe('9000\n0\n');
  expect(await text('cd /var/lib/pointsman/jobs; ls | grep -c cut-2.bytes')).toBe('1\n');
});

test('two servers that are sent one edit apply it once, and it comes last once', async () => {
  await slowOnce('ln', 2);
  const [late, next, third] = (await others(3)) as [JournalStream, JournalStream, JournalStream];
  const edit = {
    id: 'edit-late',
    after: '*',
    kind: 'write',
    path: '/tmp/late',
    bytes: Buffer.from('1'),
    text: 'ok',
  } as const;
  const first = late.apply(edit);
  await begun();
  expect((await next.apply(edit)).output.toString()).toBe('ok');
  const after = await next.run({ id: 'after-late', after: edit.id, command: 'echo 2 > /tmp/late', timeoutMs: 20_000 });
  expect([(await first).exitCode, after.exitCode]).toEqual([0, 0]);
  expect(await third.position()).toBe('after-late');
  for (const each of [late, next, third]) each.close();
  await fastAgain('ln');
  expect(await text('cat /tmp/late; grep -c edit-late /var/lib/pointsman/state/order')).toBe('2\n1\n');
});

test('an edit whose server died on it is ended by the next one, wherever it had come to', async () => {
  await slowOnce('ln', 20);
  const dying = await its.another();
  const edit = { after: '*', kind: 'write', path: '/tmp/dead', bytes: Buffer.from('all'), text: 'ok' } as const;
  const died = dying.apply({ id: 'edit-dead', ...edit }).catch((error: Error) => error);
  await begun();
  const jobsOf = '/var/lib/pointsman/jobs';
  await run(`read -r server _ < ${jobsOf}/edit-dead.hand.0; kill -9 $server; echo half > /tmp/dead`);
  expect(await died).toBeInstanceOf(Error);
  expect((await its.journal.apply({ id: 'edit-dead', ...edit })).output.toString()).toBe('ok');
  expect(await text('cat /tmp/dead')).toBe('all');
  await fastAgain('ln');

  // This one had put it into the order, and not yet said how it ended.
  const boot = (await text("cut -d' ' -f22 /proc/1/stat")).trim();
  const record = `${its.sealed('edit-told', `12 - write ${boot} 99999 9`, 'record')}\\n/tmp/dead`;
  await run(
    `cd ${jobsOf}; printf "${record}" > edit-told.cmd; echo told > edit-told.bytes.99999; printf ok > edit-told.text.99999; ` +
      'echo 99999 12 > edit-told.hand.0; echo edit-told >> ../state/order',
  );
  expect((await its.journal.apply({ id: 'edit-told', ...edit })).output.toString()).toBe('ok');
  expect(await text('cat /tmp/dead; grep -c edit-told /var/lib/pointsman/state/order')).toBe('told\n1\n');
});
