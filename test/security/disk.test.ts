// Kind 11: a limit of 64 MiB let 2 GB through, because no file had a limit and the disk was looked at every 5 s.

import { createGuard } from '../../src/activities/rollout/guard';
import { Room } from './room';

const MIB = 1 << 20;
let room: Room;
beforeAll(async () => {
  room = await Room.open({ memoryMiB: 256, diskMiB: 64 });
});
afterAll(() => room?.close());

/** Runs it as an agent's command is run, and gives what is written by the end, in MiB. */
async function written(id: string, command: string): Promise<number> {
  const lease = { container: room.container, diskMiB: 64 } as never;
  const request = { id, after: '*', command, timeoutMs: 60_000 };
  await createGuard(room).call(null, { lease, job: id }, new AbortController().signal, (journal) =>
    journal.run(request),
  );
  const mib = (await room.sandboxes.at(room.container).writtenBytes()) / MIB;
  await room.run('rm -rf /big* /tmp/*; rm -f /dev/shm/*', 60);
  return mib;
}

test.each([
  ['one file', 'head -c 2G /dev/zero > /big', 66],
  ['one file in /tmp', 'head -c 2G /dev/zero > /tmp/big', 66],
  ['one file in /dev/shm', 'head -c 2G /dev/zero > /dev/shm/big', 66],
  [
    'a deleted file that is held open',
    'exec 5> /big; rm /big; head -c 2G /dev/zero >&5; stat -Lc %s /proc/$$/fd/5 > /size',
    66,
  ],
  // Between two looks: a fast disk writes what it can.
  ['a thousand files', 'mkdir /big; for i in {1..1000}; do head -c 2M /dev/zero > /big/$i; done', 1024],
])('2 GB in %s', async (name, command, most) => {
  expect(await written(name.replace(/[^a-z]+/g, '-'), command)).toBeLessThan(most);
  expect(Number((await room.run('cat /size 2> /dev/null || echo 0')).output.toString())).toBeLessThanOrEqual(64 * MIB);
});
