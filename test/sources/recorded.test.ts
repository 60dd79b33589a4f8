import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { z } from 'zod';
import type { PointsmanError } from '../../src/contract';
import { examples } from '../support/counts';
import { emptyZip, Fetcher, having, type Site, siteForContainers } from '../support/sources';

/**
 * What registries answer: `recorded` has a file a registry, with the shapes of its servers around words of ours. `{site}` is
 * where they are served, `{sha256}` and its like are digests of the archive. What we make of each is in the snapshot: a new
 * server is a new entry.
 */
const Reply = z.union([
  z.strictObject({ archive: z.literal(true) }),
  z.strictObject({ status: z.int().default(200), type: z.string().default('application/json'), body: z.string() }),
]);
const Recorded = z.array(
  z.strictObject({ name: z.string(), source: z.string(), replies: z.record(z.string(), Reply) }),
);
type Replies = z.infer<typeof Recorded>[number]['replies'];

const recorded = readdirSync(join(__dirname, 'recorded'))
  .sort()
  .flatMap((file) =>
    Recorded.parse(JSON.parse(readFileSync(join(__dirname, 'recorded', file), 'utf8'))).map(
      (each) => [file.replace('.json', ''), each.name, each] as const,
    ),
  );

jest.setTimeout(180_000);

let site: Site;
let fetcher: Fetcher;
let replies: Replies = {};
let archive: Buffer;
const archives: Record<string, Buffer> = {};

beforeAll(async () => {
  Object.assign(archives, { pypi: await tarball('small_one-1.0'), npm: await tarball('package') });
  Object.assign(archives, {
    crate: await tarball('small-one-1.0.0'),
    go: emptyZip('h.example/Small/one@v1.0.0/go.mod'),
  });
  site = await siteForContainers((request, response) => {
    const reply = replies[decodeURIComponent(request.url!.split('?')[0]!)];
    if (reply === undefined) response.writeHead(404).end('nothing here');
    else if ('archive' in reply) response.end(archive);
    else response.writeHead(reply.status, { 'content-type': reply.type }).end(filled(reply.body));
  });
  fetcher = new Fetcher(new URL(site.url).host);
});
afterAll(async () => {
  await site.close();
  fetcher.close();
});

/** Each takes a container: on each commit a third of them, of every registry some. The rest are skipped and not left out, or jest
 * would call their snapshots obsolete, and fail. */
const isTried = (at: number) => at % examples(3, 1) === 0;
const left = recorded.filter((_, at) => !isTried(at));
if (left.length > 0) test.skip.each(left)('%s: %s', () => {});

test.each(recorded.filter((_, at) => isTried(at)))('%s: %s', async (registry, _name, { source, replies: given }) => {
  replies = given;
  archive = archives[registry]!;
  const configured = {
    PIP_INDEX_URL: site.url,
    NPM_CONFIG_REGISTRY: site.url,
    CARGO_REGISTRIES_CRATES_IO_INDEX: `sparse+${site.url}/`,
    GOPROXY: site.url,
    GOSUMDB: 'off',
  };
  const outcome = await having(configured, () => fetcher.fetch(source)).then(
    ({ tree, released, notes, resolved }) => ({ files: [...tree.keys()], released, notes, resolved }),
    ({ code, message, hint }: PointsmanError) => ({ code, message: message.replaceAll(site.url, '{site}'), hint }),
  );
  expect(outcome).toMatchSnapshot();
});

function filled(body: string): string {
  const digest = (algorithm: string, form: 'hex' | 'base64') => createHash(algorithm).update(archive).digest(form);
  return body
    .replaceAll('{site}', site.url)
    .replaceAll('{sha256}', digest('sha256', 'hex'))
    .replaceAll('{sha512}', digest('sha512', 'base64'))
    .replaceAll('{sha1base64}', digest('sha1', 'base64'))
    .replaceAll('{sha1}', digest('sha1', 'hex'))
    .replaceAll('{md5}', digest('md5', 'hex'));
}

/** One file below a folder, as registries pack them. Times as of npm since 7, which are no times. */
async function tarball(folder: string): Promise<Buffer> {
  const packed = pack();
  packed.entry({ name: `${folder}/README.md`, mtime: new Date('1985-10-26T08:15:00Z') }, '# A small one\n');
  packed.finalize();
  return gzipSync(await buffer(packed));
}
