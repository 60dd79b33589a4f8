import { JournalSandbox } from '../sandbox/journal-sandbox';
import { COUNTS, minutes } from '../support/counts';

/** What a guest holds costs its worker no more than a limit, and is refused by a code that no retry repeats. */
describe('a guest that holds more than anybody reads', () => {
  const room = new JournalSandbox();
  const read = (path: string, most?: { bytes?: number; entries?: number }) =>
    room.sandboxes.at(room.name).read(path, most);

  it.each(['report.xml', 'tests/test_a.py'])(
    // As large as a sandbox lets a file be.
    'has a file of 9 GB, none of it written, in the place of %s',
    async (path) => {
      await room.text(`mkdir -p /var/tmp/room/tests; truncate -s 9G /var/tmp/room/${path}`);
      const before = process.memoryUsage.rss();
      await expect(read(`/var/tmp/room/${path}`)).rejects.toMatchObject({ code: 'TooLarge' });
      await expect(read('/var/tmp/room')).rejects.toMatchObject({ code: 'TooLarge' });
      expect(process.memoryUsage.rss() - before).toBeLessThan(256 << 20);
      await room.text('rm -rf /var/tmp/room');
    },
  );

  it(
    'has a folder with more entries than a repository has files',
    async () => {
      await room.text(`mkdir /var/tmp/many; cd /var/tmp/many; seq ${COUNTS.entries} | xargs touch`, {
        timeoutMs: 300_000,
      });
      await expect(read('/var/tmp/many')).rejects.toMatchObject({ code: 'TooLarge' });
      await expect(read('/var/tmp/many', { entries: 1 })).rejects.toMatchObject({ code: 'TooLarge' });
      await room.text('rm -rf /var/tmp/many', { timeoutMs: 300_000 });
    },
    minutes(2, 10),
  );

  it(
    'has a difference that nobody could read, and is asked other things after it',
    async () => {
      const workdir = '/var/tmp/work';
      const git = 'git -c user.name=a -c user.email=a@b.c';
      await room.text(
        `mkdir ${workdir}; cd ${workdir}; git init -q; echo a > a; git add a; ${git} commit -q -m a; ` +
          `head -c ${COUNTS.diffMb}M /dev/urandom > large; echo b > a`,
        { timeoutMs: 300_000 },
      );
      const base = (await room.text(`git -C ${workdir} rev-parse HEAD`)).trim();
      await expect(room.journal.diff(base, workdir)).rejects.toMatchObject({ code: 'TooLarge' });
      expect(room.journal.closed).toBe(false);
      await room.text(`rm ${workdir}/large`);
      expect((await room.journal.diff(base, workdir)).patch.toString('utf8')).toContain('+b');
      await room.text(`rm -rf ${workdir}`);
    },
    minutes(3, 15),
  );

  it('whose file is within the limit is read whole, also in many parts', async () => {
    await room.text('head -c 20M /dev/zero > /var/tmp/whole');
    expect((await read('/var/tmp/whole')).get('/var/tmp/whole')).toHaveLength(20 << 20);
    expect(await read('/var/tmp/gone')).toEqual(new Map());
  });
});
