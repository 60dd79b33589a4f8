import { once } from 'node:events';
import { Readable } from 'node:stream';
import { extract, type Header, pack } from 'tar-stream';
import { PointsmanError } from '../contract';
import type { Deps } from '../deps';
import type { Images } from '../sandbox/sandbox';
import type { BlobStore } from '../store/blobs';

type Traveller = Pick<Deps, 'blobs' | 'imageRoad'> & { readonly sandboxes: { readonly images: Images } };

/** Images that are in the blob store: the tag is the blob that lists what each is made of, so the name says where to find it. */
const SAVED = 'pointsman/saved';
const IN_BLOBS = /^pointsman\/saved:([0-9a-f]{64})$/;
/** Bytes of a blob, so that none has to be held whole. Layers begin a new one: what two images share is stored once. */
const PIECE = 8 << 20;

type SavedHeader = Pick<Header, 'name' | 'type' | 'size' | 'mode' | 'linkname'>;

/** An archive of the engine, its entries as lists of blobs. */
interface SavedImage {
  readonly kind: 'saved-image';
  readonly id: string;
  readonly entries: readonly { readonly header: SavedHeader; readonly pieces: readonly string[] }[];
}

/**
 * Makes an image of ours one that every host can have, and gives the name that says so: with its digest in the registry, or
 * of its blobs. That name stays good when this host is gone. Retry-safe: the same image has the same name, and what is
 * there is not sent again. Throws as `Images.pull` does.
 */
export async function shareImage({ sandboxes, blobs, imageRoad }: Traveller, image: string): Promise<string> {
  switch (imageRoad) {
    case 'none':
      return image;
    case 'registry':
      return sandboxes.images.share(image);
    case 'blobs': {
      if (IN_BLOBS.test(image)) return image;
      const name = `${SAVED}:${await saveImage(sandboxes.images, blobs, image)}`;
      await sandboxes.images.tag(image, name);
      return name;
    }
    default:
      return imageRoad satisfies never;
  }
}

/**
 * Makes sure that an image is on this host: as it is, from blobs, or pulled. False for one of ours that nobody has shared.
 * Retry-safe. Throws as `Images.pull` does.
 */
export async function bringImage({ sandboxes, blobs }: Omit<Traveller, 'imageRoad'>, image: string): Promise<boolean> {
  const { images } = sandboxes;
  const [, saved] = IN_BLOBS.exec(image) ?? [];
  if (!saved || (await images.find(image))) return images.fetch(image);
  if (!(await blobs.has(saved))) return false;
  const { id, entries } = JSON.parse((await blobs.get(saved)).toString('utf8')) as SavedImage;
  await images.loadSaved(archiveOf(blobs, entries), id, image);
  return true;
}

/** The same, for an image that nothing here can make. Throws `NotFound` where nobody has it. */
export async function needImage(deps: Omit<Traveller, 'imageRoad'>, image: string): Promise<void> {
  if (await bringImage(deps, image)) return;
  throw new PointsmanError(
    'NotFound',
    `the image ${image} is not on this host, and nobody has shared it`,
    'It is on the host that made it: `images.registry` lets others have such images; or load it with `docker load`.',
  );
}

/** Repositories whose tags say what each image is made of: whoever needs one makes it again. */
const MADE_AGAIN = /^pointsman\/(?:problem|harness|service):/;

/** Whether an image of ours, by all names that it has, comes back when it is needed: from blobs, the registry, or its recipe. */
export async function canBeHadAgain(
  { blobs, config }: Pick<Deps, 'blobs' | 'config'>,
  names: readonly string[],
): Promise<boolean> {
  const { registry } = config.images;
  if (registry && names.some((name) => name.startsWith(`${registry}/`) && name.includes('@'))) return true;
  if (names.every((name) => MADE_AGAIN.test(name))) return true;
  const saved = names.flatMap((name) => IN_BLOBS.exec(name)?.[1] ?? []);
  return saved.length > 0 && blobs.has(saved[0]!);
}

async function saveImage(images: Images, blobs: BlobStore, image: string): Promise<string> {
  const { id, archive } = await images.save(image);
  const entries: { header: SavedHeader; pieces: string[] }[] = [];
  for await (const entry of archive.pipe(extract())) {
    const { name, type, size, mode, linkname } = entry.header;
    const pieces: string[] = [];
    for await (const piece of piecesOf(entry as AsyncIterable<Buffer>)) pieces.push((await blobs.put(piece)).sha256);
    // Without times: the same image is the same list.
    entries.push({ header: { name, type, size, mode, linkname }, pieces });
  }
  const saved: SavedImage = { kind: 'saved-image', id, entries };
  return (await blobs.put(JSON.stringify(saved))).sha256;
}

async function* piecesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    held.push(chunk);
    size += chunk.length;
    while (size >= PIECE) {
      const all = Buffer.concat(held);
      yield all.subarray(0, PIECE);
      held = [all.subarray(PIECE)];
      size -= PIECE;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}

function archiveOf(blobs: BlobStore, entries: SavedImage['entries']): NodeJS.ReadableStream {
  const archive = pack();
  const fill = async () => {
    for (const { header, pieces } of entries) {
      const entry = archive.entry({ ...header, mtime: new Date(0) });
      for (const piece of pieces) if (!entry.write(await blobs.get(piece))) await once(entry, 'drain');
      entry.end(undefined);
    }
    archive.finalize();
  };
  fill().catch((error: Error) => archive.destroy(error));
  return Readable.from(archive);
}
