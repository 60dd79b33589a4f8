import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { factsIn, readArchive } from '../../src/sources/archive';
import { type Entry, tar } from './tar';

const treeOf = async (bytes: Buffer, source: string) => (await readArchive(bytes, source)).tree;

interface Zipped {
  readonly name: string;
  readonly body: Buffer;
  /** What the directory says, where it lies. */
  readonly announced?: number;
  readonly mode?: number;
}

/** A zip with nothing in it that a reader of the central directory does not read. */
function zip(files: readonly Zipped[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, body, announced = body.length, mode = 0o100644 } of files) {
    const packed = deflateRawSync(body);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    bodies.push(local, Buffer.from(name), packed);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(announced, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(mode * 0x10000, 38);
    entry.writeUInt32LE(at, 42);
    directory.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

function outside(zipped: Buffer): Buffer {
  zipped.writeUInt32LE(0xfffffff0, zipped.length - 6);
  return zipped;
}

const x = Buffer.from('x');

describe('an archive', () => {
  it('that goes on for ever behind its last file is refused while it unpacks', async () => {
    const whole = Buffer.concat([gunzipSync(await tar([{ name: 'a' }])), Buffer.alloc(80 << 20)]);
    const bomb = gzipSync(whole);
    expect(bomb.length).toBeLessThan(1 << 20);
    await expect(treeOf(bomb, 'x')).rejects.toThrow('its headers are longer than 32 MiB');
  });

  it('with a header that announces more than an archive can hold is refused', async () => {
    const whole = gunzipSync(await tar([{ name: 'a' }]));
    whole.write('77777777777\0', 124);
    whole.write('        ', 148);
    const sum = whole.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    whole.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    await expect(treeOf(gzipSync(whole), 'x')).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  it.each([
    ['one', ['a/up', '..'], ['a/out', 'up/..']],
    ['two', ['a/b/up', '..'], ['a/b/top', 'up/..'], ['a/b/out', 'top/../../..']],
    ['a folder that is a link', ['l', 'a/b/..'], ['a/b/c', '../..'], ['a/out', 'b/c/x/../..']],
  ])('is left without a link that leads out of it by way of %s', async (_, ...links) => {
    const entries = links.map(([name, linkname]) => ({ name: name!, type: 'symlink' as const, linkname }));
    const { tree, notes } = await readArchive(await tar([{ name: 'z' }, ...entries]), 'x');
    const [out] = links.at(-1)!;
    expect(tree.has(out!)).toBe(false);
    expect(notes).toEqual([expect.stringMatching(`^left out, as these links lead out of the sources: .*${out}`)]);
  });

  it.each([
    ['relative, out of it', '../../etc', false],
    ['absolute', '/etc/hosts', false],
    ['to where nothing is, as a masked unit is', '/dev/null', true],
  ])('with a link %s', async (_, linkname, isKept) => {
    const entries: Entry[] = [{ name: 'p/a' }, { name: 'p/x', type: 'symlink', linkname }];
    const { tree, notes } = await readArchive(await tar(entries), 'x');
    expect([...tree.keys()]).toEqual(isKept ? ['a', 'x'] : ['a']);
    expect(notes).toHaveLength(isKept ? 0 : 1);
    const zipped = await readArchive(
      zip([
        { name: 'p/a', body: x },
        { name: 'p/x', body: Buffer.from(linkname), mode: 0o120777 },
      ]),
      'x',
    );
    expect([...zipped.tree.keys()]).toEqual([...tree.keys()]);
  });

  it('is left without links that lead out once others are left out', async () => {
    const links = [
      ['b/up', '../..'],
      ['out', 'b/up/x'],
    ].map(([name, linkname]) => ({ name: name!, type: 'symlink' as const, linkname }));
    expect([...(await treeOf(await tar([{ name: 'z' }, ...links]), 'x')).keys()].sort()).toEqual(['out', 'z']);
  });

  it('keeps names that only look odd, and says which it cannot write', async () => {
    const { tree, notes } = await readArchive(
      await tar(['p/units-x\\x2dy.slice', 'p/a\nb', 'p/caf\uFFFD.txt'].map((name) => ({ name }))),
      'x',
    );
    expect([...tree.keys()]).toEqual(['units-x\\x2dy.slice', 'a\nb']);
    expect(notes).toEqual(['left out, as their names are not UTF-8: p/caf\uFFFD.txt']);
  });

  it('keeps links in a circle and links to nothing, which lead nowhere', async () => {
    const links = [
      { name: 'a', type: 'symlink' as const, linkname: 'b' },
      { name: 'b', type: 'symlink' as const, linkname: 'a/x' },
      { name: 'c', type: 'symlink' as const, linkname: 'gone/..' },
    ];
    expect([...(await treeOf(await tar([{ name: 'z' }, ...links]), 'x')).keys()]).toEqual(['z', 'a', 'b', 'c']);
  });

  it('is refused for paths that no kernel takes', async () => {
    await expect(treeOf(await tar([{ name: `${'a/'.repeat(3000)}a` }, { name: 'z' }]), 'x')).rejects.toThrow(
      'it holds a path of 6001 characters',
    );
  });

  it.each([
    ['one folder', ['p-1/a', 'p-1/b/c'], ['a', 'b/c']],
    ["Go's module and version", ['h.example/o/m@v1.2.0/go.mod', 'h.example/o/m@v1.2.0/x/y.go'], ['go.mod', 'x/y.go']],
    ['nothing', ['a/x', 'b/y'], ['a/x', 'b/y']],
    ['a file beside the folder', ['p/a', 'README'], ['p/a', 'README']],
  ])('loses %s that it is wrapped in', async (_, names, left) => {
    expect([...(await treeOf(await tar(names.map((name) => ({ name }))), 'x')).keys()]).toEqual(left);
    expect([...(await treeOf(zip(names.map((name) => ({ name, body: x }))), 'x')).keys()]).toEqual(left);
  });

  it('keeps what is executable, links inside of it and the contents of hard links', async () => {
    const zipped = await treeOf(
      zip([
        { name: 'p/run', body: x, mode: 0o100755 },
        { name: 'p/b/l', body: Buffer.from('../run'), mode: 0o120777 },
      ]),
      'x',
    );
    expect(zipped.get('run')).toEqual({ bytes: x, executable: true });
    expect(zipped.get('b/l')).toMatchObject({ link: '../run' });
    const tarred = await treeOf(
      await tar([
        { name: 'p/a' },
        { name: 'p/b/l', type: 'symlink', linkname: '../a' },
        { name: 'p/h', type: 'link', linkname: 'p/a' },
      ]),
      'x',
    );
    expect(tarred.get('b/l')).toMatchObject({ link: '../a' });
    expect(tarred.get('h')!.bytes).toEqual(x);
  });

  it('without what belongs to Git: of a checkout, and of a submodule that was packed along', async () => {
    const packed = [
      ...['p/a', 'p/.git/config', 'p/vendor/b/.git', 'p/vendor/b/c.c', 'p/.gitignore'].map((name) => ({ name })),
      { name: 'p/.git/objects/copy', type: 'link' as const, linkname: 'p/.git/config' },
    ];
    const tree = await treeOf(await tar(packed), 'x');
    expect([...tree.keys()].sort()).toEqual(['.gitignore', 'a', 'vendor/b/c.c']);
  });

  it.each<[string, Entry[], string]>([
    ['a path upwards', [{ name: '../x' }], 'holds the path'],
    ['a path upwards from within', [{ name: 'p/../../x' }], 'holds the path'],
    ['an absolute path', [{ name: '/etc/x' }], 'holds the path'],
    ['a path for Windows', [{ name: 'p\\..\\x' }], 'holds the path'],
    ['nothing but Git’s own', [{ name: 'p/.git/config' }], 'no file'],
    [
      'a file behind a link',
      [{ name: 'p/a/f' }, { name: 'p/l', type: 'symlink', linkname: 'a' }, { name: 'p/l/g' }],
      'under what is no folder',
    ],
    ['a hard link to elsewhere', [{ name: 'p/h', type: 'link', linkname: 'etc/passwd' }], 'hard link to nothing'],
    ['a device', [{ name: 'p/d', type: 'character-device' }], 'character-device'],
    ['nothing', [], 'no file'],
  ])('with %s is refused', async (_, entries, why) => {
    await expect(tar(entries).then((bytes) => treeOf(bytes, 'x'))).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(why),
    });
  });

  it.each<[string, () => Buffer, string]>([
    ['a path upwards', () => zip([{ name: '../x', body: x }]), 'holds the path'],
    ['more than a gibibyte announced', () => zip([{ name: 'a', body: x, announced: 2 ** 31 }]), 'more than 1 GiB'],
    ['more than it announces', () => zip([{ name: 'a', body: Buffer.alloc(1 << 20), announced: 10 }]), 'source x: '],
    ['less than it announces', () => zip([{ name: 'a', body: x, announced: 10 }]), 'not as long'],
    ['no end', () => Buffer.from('PK\x03\x04 and nothing else that one could read'), 'no end'],
    ['a directory that lies outside', () => outside(zip([{ name: 'a', body: x }])), 'source x: '],
  ])('as a zip with %s is refused', async (_, make, why) => {
    await expect(treeOf(make(), 'x')).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(why),
    });
  });

  it('that is damaged or no archive is refused', async () => {
    const whole = await tar([{ name: 'p/a' }], Buffer.alloc(5000, 'abc'));
    for (const bytes of [whole.subarray(0, whole.length - 20), Buffer.from('no archive at all'), Buffer.alloc(0)]) {
      await expect(treeOf(bytes, 'x')).rejects.toMatchObject({ code: 'InvalidInput' });
    }
  });

  it('of others holds no facts for us', async () => {
    expect(factsIn(gunzipSync(await tar([{ name: 'a' }])))).toBeUndefined();
    expect(factsIn(Buffer.alloc(0))).toBeUndefined();
  });
});
