import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { LEFT_BEHIND, nameKept } from '../../src/contract';
import { keepTree } from '../../src/store/trees';
import { Fetcher } from '../support/sources';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-local-'));
const fetcher = new Fetcher();

afterAll(() => {
  fetcher.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('what is named as an archive of this host', () => {
  it.each(['/dev/zero', '/dev'])('that is %s is refused unread', async (path) => {
    await expect(fetcher.fetch(`archive:${path}`)).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  it('that is larger than its tree may be is refused unread', async () => {
    const path = join(folder, 'sparse.tar');
    writeFileSync(path, '');
    truncateSync(path, 100 * 2 ** 30);
    await expect(fetcher.fetch(`archive:${path}`)).rejects.toThrow('it is larger than 1 GiB');
  });
});

describe('a folder of this host', () => {
  const project = join(folder, 'project');

  beforeAll(() => {
    for (const made of ['b', '.git', 'node_modules/x']) mkdirSync(join(project, made), { recursive: true });
    for (const [path, text] of [
      ['a', 'a\n'],
      ['b/run', 'x\n'],
      ['.git/HEAD', 'x'],
      ['node_modules/x/y', 'x'],
    ] as const)
      writeFileSync(join(project, path), text);
    chmodSync(join(project, 'a'), 0o644);
    chmodSync(join(project, 'b/run'), 0o755);
    symlinkSync('../a', join(project, 'b/l'));
  });

  it('has the digest that environments built from it are named after', async () => {
    const { sha256, tree, resolved } = await fetcher.fetch(`dir:${project}`);
    expect(sha256).toBe('73f09a7fae18357fd667726655050344186eedcf983d208720e262a3c95fb1ba');
    expect([...tree.keys()]).toEqual(['a', 'b/l', 'b/run']);
    expect(resolved).toEqual({ kind: 'dir', name: project });
  });

  it('that a command sent along is the same source, links and programs too; so is an archive', async () => {
    const here = await fetcher.fetch(`dir:${project}`);
    const ref = await keepTree(fetcher.blobs, project, { leave: LEFT_BEHIND, links: true });
    expect(await fetcher.fetch(`dir:${nameKept({ ...ref, path: project })}`)).toEqual(here);

    const archive = join(folder, 'project.tar');
    const tar = pack();
    tar.entry({ name: 'project/a' }, 'a\n');
    tar.finalize();
    writeFileSync(archive, await buffer(tar));
    const kept = await keepTree(fetcher.blobs, archive);
    expect(await fetcher.fetch(`archive:${nameKept({ ...kept, path: archive })}`)).toEqual(
      await fetcher.fetch(`archive:${archive}`),
    );
  });

  it('that was built from is kept as it was; what it has become is not taken for it', async () => {
    const first = await fetcher.fetch(`dir:${project}`);
    writeFileSync(join(project, 'odd\nname'), 'odd');
    const second = await fetcher.fetch(`dir:${project}`);
    writeFileSync(join(project, 'a'), 'changed\n');
    expect(await fetcher.fetch(`dir:${project}`, first.sha256)).toEqual(first);
    expect(await fetcher.fetch(`dir:${project}`, second.sha256)).toEqual(second);
    await expect(fetcher.fetch(`dir:${project}`, 'a'.repeat(64))).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(/sha256 is \w+, expected a{64}/),
    });
    rmSync(join(project, 'odd\nname'));
    writeFileSync(join(project, 'a'), 'a\n');
  });

  it('that is not there is refused', async () => {
    await expect(fetcher.fetch(`dir:${folder}/gone`)).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  it('is taken without what leads elsewhere or has a name of other bytes, and says so', async () => {
    const odd = join(folder, 'out');
    mkdirSync(odd);
    symlinkSync('/etc', join(odd, 'etc'));
    symlinkSync('/dev/null', join(odd, 'masked.service'));
    for (const byte of [0xe8, 0xe9]) writeFileSync(Buffer.concat([Buffer.from(`${odd}/caf`), Buffer.from([byte])]), '');
    writeFileSync(join(odd, 'x\\x2dy.slice'), '');
    const { tree, notes } = await fetcher.fetch(`dir:${odd}`);
    expect([...tree.keys()].sort()).toEqual(['masked.service', 'x\\x2dy.slice']);
    expect(notes).toEqual([
      'left out, as their names are not UTF-8: caf\uFFFD, caf\uFFFD',
      'left out, as these links lead out of the sources: etc',
    ]);
  });
});

describe('an archive of this host', () => {
  const path = join(folder, 'p-1.0.tar');
  let sha256: string;

  beforeAll(async () => {
    const packed = pack();
    packed.entry({ name: 'p-1.0/package.json' }, '{"license":"MIT"}');
    packed.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of packed as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
    writeFileSync(path, Buffer.concat(chunks));
    sha256 = createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
  });

  it('is read once, and then no longer needed', async () => {
    const first = await fetcher.fetch(`archive:${path}#sha256=${sha256}`);
    expect(first).toMatchObject({ sha256, licence: 'MIT', notes: [], resolved: { kind: 'archive', name: path } });
    rmSync(path);
    expect(await fetcher.fetch(`archive:${path}#sha256=${sha256}`)).toEqual(first);
    expect(fetcher.sandboxes.started).toBe(0);
  });

  it('with another digest, or that is not there, is refused', async () => {
    writeFileSync(path, 'something else');
    for (const [name, message] of [
      [`archive:${path}#sha256=${'a'.repeat(64)}`, /sha256 is \w+, expected a{64}/],
      [`archive:${folder}/gone.zip`, /no such file on this host/],
    ] as const) {
      await expect(fetcher.fetch(name)).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringMatching(message),
      });
    }
  });
});
