import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { FULL } from '../support/counts';
import { emptyZip, Fetcher, having, type Site, siteForContainers } from '../support/sources';

// Containers and packages: seconds on a quiet machine, minutes on a busy one.
jest.setTimeout(180_000);

let fetcher: Fetcher;
let site: Site;
const files = new Map<string, Buffer | string>();

beforeAll(async () => {
  site = await siteForContainers((request, response) => {
    const body = files.get(decodeURIComponent(request.url!.split('?')[0]!));
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  fetcher = new Fetcher(new URL(site.url).host);
});
afterAll(async () => {
  await site.close();
  fetcher.close();
});
beforeEach(() => {
  files.clear();
});

describe('a public registry', () => {
  it.each([
    [
      'pypi:iniconfig==2.0.0',
      {
        licence: 'MIT',
        released: expect.stringMatching(/^2023-01-07T/),
        sha256: '2d91e135bf72d31a410b17c16da610a82cb55f6b0477d1a902134b24a455b8b3',
      },
      'src/iniconfig/__init__.py',
    ],
    [
      'npm:qs@6.11.0',
      { licence: 'BSD-3-Clause', released: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      'lib/stringify.js',
    ],
    ['npm:@types/ms@2.1.0', { licence: 'MIT' }, 'index.d.ts'],
    ['go:github.com/spf13/pflag@v1.0.5', { licence: 'BSD-3-Clause' }, 'golangflag.go'],
    ['go:github.com/BurntSushi/toml@v1.3.2', { licence: 'MIT' }, 'decode.go'],
    [
      'crate:itoa@1.0.11',
      {
        licence: 'MIT OR Apache-2.0',
        sha256: '49f1f14873335454500d59611f1cf4a4b0f786f9ac11f4312a78e4cf2566695b',
      },
      'src/lib.rs',
    ],
  ])('gives %s once', async (name, expected, path) => {
    const first = await fetcher.fetch(name);
    expect(first).toMatchObject(expected);
    expect(first.tree.has(path)).toBe(true);
    expect(name).toContain(first.resolved.name);
    expect(name).toContain(first.resolved.version);
    const { started } = fetcher.sandboxes;
    const again = await fetcher.fetch(name, first.sha256);
    expect(again).toMatchObject({ sha256: first.sha256, licence: first.licence, resolved: first.resolved });
    expect([...again.tree.keys()]).toEqual([...first.tree.keys()]);
    expect(fetcher.sandboxes.started).toBe(started);
  });

  it.each([
    ['pypi:iniconfig==9.9', /no source distribution 9\.9 of iniconfig; the index has: .*2\.0\.0/],
    ['npm:qs@99.0.0', /no version 99\.0\.0 of qs; the registry has: .*6\.\d/],
    ['go:github.com/spf13/pflag@v99.0.5', /no version v99\.0\.5 of .*; the registry has: .*v1\.0\.5/],
    ['crate:itoa@99.0.11', /no version 99\.0\.11 of itoa; the registry has: .*1\.0\.\d/],
  ])('does not have %s, and says what it has', async (name, message) => {
    await expect(fetcher.fetch(name)).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/Name a version/),
    });
  });

  it("says Go's checksum was compared, which is more than its proxy's word", async () => {
    const { notes } = await fetcher.fetch('go:github.com/spf13/pflag@v1.0.5');
    expect(notes).toEqual([expect.stringMatching(/^compared with the Go checksum database/)]);
  });

  it('gives nothing else for a known digest', async () => {
    const zeros = '0'.repeat(64);
    await expect(fetcher.fetch('npm:qs@6.11.0', zeros)).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(/^source npm:qs@6.11.0: sha256 is [0-9a-f]{64}, expected 0{64}$/),
    });
  });
});

it('gives a Debian source with its patches applied', async () => {
  const first = await fetcher.fetch('deb-src:bc=1.07.1-3');
  expect(first).toMatchObject({
    licence: 'GPL-2.0-or-later',
    notes: [expect.stringMatching(/patches are applied; verified by apt/)],
    resolved: { kind: 'deb-src', name: 'bc', version: '1.07.1-3' },
  });
  expect(first.tree.get('debian/patches/series')!.bytes.length).toBeGreaterThan(0);
  expect([...first.tree.keys()].filter((path) => path.startsWith('.pc/'))).toEqual([]);
  const { started } = fetcher.sandboxes;
  expect(await fetcher.fetch('deb-src:bc=1.07.1-3', first.sha256)).toMatchObject({ notes: first.notes });
  expect(fetcher.sandboxes.started).toBe(started);
  await expect(fetcher.fetch('deb-src:bc=9')).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/no version 9 of the source package bc; the registry has: .*1\.07\.1-3/),
  });
});

it.each([
  ['2024-11-22T23:22:36.272Z', '2014-02-05T00:00:00Z'],
  ['2015-03-01T08:00:00.000Z', '2015-03-01T08:00:00.000Z'],
])('a package that a mirror lists as of %s, with files of 2014, is of %s', async (listed, released) => {
  const archive = pack();
  archive.entry({ name: 'package/package.json', mtime: new Date('2014-02-05') }, '{"name":"p","version":"1.0.0"}');
  archive.finalize();
  const packed = gzipSync(await buffer(archive));
  const dist = { tarball: `${site.url}/p.tgz`, shasum: createHash('sha1').update(packed).digest('hex') };
  files.set('/p', JSON.stringify({ time: { '1.0.0': listed }, versions: { '1.0.0': { dist } } })).set('/p.tgz', packed);
  const fetched = having({ NPM_CONFIG_REGISTRY: site.url }, () => fetcher.fetch('npm:p@1.0.0'));
  await expect(fetched).resolves.toMatchObject({ released });
});

describe('a registry that is not what it says', () => {
  const forged = gzipSync(Buffer.from('not what was published'));

  it.each([
    ['integrity', { integrity: `sha512-${createHash('sha512').update('x').digest('base64')}` }],
    ['shasum', { shasum: 'a'.repeat(40) }],
  ])('is found out by npm %s', async (_, digests) => {
    const dist = { tarball: `${site.url}/p.tgz`, ...digests };
    files.set('/p', JSON.stringify({ versions: { '1.0.0': { dist } } })).set('/p.tgz', forged);
    const fetched = having({ NPM_CONFIG_REGISTRY: site.url }, () => fetcher.fetch('npm:p@1.0.0'));
    await expect(fetched).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/the registry announces sha\d+ \w+, the file has/),
    });
  });

  it("is found out by a crate's cksum", async () => {
    files.set('/config.json', JSON.stringify({ dl: `${site.url}/{prefix}/{crate}-{version}` }));
    files.set('/my/cr/mycrate', `${JSON.stringify({ name: 'mycrate', vers: '1.0.0', cksum: 'a'.repeat(64) })}\n`);
    files.set('/my/cr/mycrate-1.0.0', forged);
    const fetched = having({ CARGO_REGISTRIES_CRATES_IO_INDEX: `sparse+${site.url}/` }, () =>
      fetcher.fetch('crate:mycrate@1.0.0'),
    );
    await expect(fetched).rejects.toMatchObject({ message: expect.stringMatching(/announces sha256 a{64}, the file/) });
  });

  it("is found out by Go's checksum database", async () => {
    files.set('/h.example/m/@v/v1.0.0.zip', emptyZip('h.example/m@v1.0.0/go.mod'));
    files.set('/sumdb/sum.example/lookup/h.example/m@v1.0.0', '1\nh.example/m v1.0.0 h1:AAAA=\n');
    const fetched = having({ GOPROXY: `${site.url},direct`, GOSUMDB: 'sum.example' }, () =>
      fetcher.fetch('go:h.example/m@v1.0.0'),
    );
    await expect(fetched).rejects.toMatchObject({ message: expect.stringMatching(/checksum database has h1:AAAA=/) });
  });

  it("is found out by PyPI's digest", async () => {
    files.set('/p/', `<a href="/p-1.0.tar.gz#sha256=${'a'.repeat(64)}">p</a>`).set('/p-1.0.tar.gz', forged);
    const fetched = having({ PIP_INDEX_URL: site.url }, () => fetcher.fetch('pypi:p==1.0'));
    await expect(fetched).rejects.toMatchObject({ message: expect.stringMatching(/announces sha256 a{64}, the file/) });
  });
});

it.each(['crate:itoa@1.0.11', ...(FULL ? ['go:github.com/spf13/pflag@v1.0.5'] : [])])(
  "asks Debian's tool for the registry of %s where the worker has none",
  async (name) => {
    const { sha256 } = await fetcher.fetch(name);
    const alone = { PATH: '/nowhere', CARGO_REGISTRIES_CRATES_IO_INDEX: '', GOPROXY: '', GOSUMDB: '' };
    expect((await having(alone, () => fetcher.fetch(name))).sha256).toBe(sha256);
  },
);

it('says which checks were not made', async () => {
  files.set('/h.example/m/@v/v1.0.0.zip', emptyZip('h.example/m@v1.0.0/go.mod'));
  const { notes, tree } = await having({ GOPROXY: site.url, GOSUMDB: 'off' }, () =>
    fetcher.fetch('go:h.example/m@v1.0.0'),
  );
  expect([...tree.keys()]).toEqual(['go.mod']);
  expect(notes).toEqual([expect.stringMatching(/switched off for this module/)]);
});

it('says what to set where Go knows no proxy', async () => {
  await expect(
    having({ GOPROXY: 'off', GOSUMDB: 'off' }, () => fetcher.fetch('go:h.example/m@v1.0.0')),
  ).rejects.toMatchObject({ code: 'Unavailable', hint: expect.stringMatching(/GOPROXY/) });
});

/** The same small file in each packing: `p-1/a.txt`. */
const PACKED = {
  'p.tar.xz':
    '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/AHldADgLQiMOfkxRG7LMSRi0Plhc/MSbZiOhr3scr258HGwNomWqStZHKdCQiEXMcHueolPRfRCYrHGaZJg12f+F73XgyYTQvX/qgdxqchT3umDFJXhnX5ZuC8KaulQeqiu3v6Vny0Spd+474iqm04Avalkb3d61DJW0RgAAAAAA/zUoLQQUVPMAAZUBgFAAABbiezKxxGf7AgAAAAAEWVo=',
  'p.tar.bz2':
    'QlpoOTFBWSZTWSYdCvMAAJd7hMmQAFBAA/eAAIRiRN5AAACACCAAdBKRGjQGgNNDIaCSUAGg00AAOj5nWPjJEgKZkJIg/CeoHQYrKAvGEgiA7WlBIWSOuBlYiJDmsQYQGLUKHYNdm+xtS0HvIzl4bBuEWblpE+KiaiZ9Mc0RA/F3JFOFCQJh0K8w',
};

describe('an archive by its address', () => {
  it.each(Object.entries(PACKED))('%s is fetched, unpacked and kept', async (file, base64) => {
    const bytes = Buffer.from(base64, 'base64');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    files.set(`/${file}`, bytes);
    const name = `archive:${site.url}/${file}#sha256=${sha256}`;
    const read = ({ tree }: Awaited<ReturnType<typeof fetcher.fetch>>) =>
      [...tree].map(([path, each]) => `${path}: ${each.bytes}`);
    expect(read(await fetcher.fetch(name))).toEqual(['a.txt: hello\n']);
    files.clear();
    expect(read(await fetcher.fetch(name))).toEqual(['a.txt: hello\n']);
  });

  it('that gives something else, nothing or damage is refused', async () => {
    const damaged = Buffer.from(PACKED['p.tar.xz'], 'base64').subarray(0, 150);
    const sha256 = createHash('sha256').update(damaged).digest('hex');
    files.set('/other.tar', await plainTar()).set('/damaged.tar.xz', damaged);
    for (const [file, digest, why] of [
      ['other.tar', 'a'.repeat(64), /sha256 is [0-9a-f]{64}, expected a{64}/],
      ['gone.tar', 'a'.repeat(64), /no such file/],
      ['damaged.tar.xz', sha256, /damaged/],
    ] as const) {
      await expect(fetcher.fetch(`archive:${site.url}/${file}#sha256=${digest}`)).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringMatching(why),
      });
      expect(await fetcher.blobs.has(digest)).toBe(false);
    }
  });
});

async function plainTar(): Promise<Buffer> {
  const packed = pack();
  packed.entry({ name: 'a' }, 'x');
  packed.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packed as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
