import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isPointsmanError } from '../../../contract';
import { Html, jsonForScript } from '../../html';
import { dataBlock, viewerDocument } from '../document';
import type { RunPage } from '../payload';
import { type ViewerSource, viewerBundle } from './server';

export interface ExportOptions {
  readonly title: string;
  /** Bytes of whole bodies (observations, steps, files, logs) that the file may hold, before they are packed. */
  readonly limit: number;
}

export interface Exported {
  readonly runs: number;
  readonly bytes: number;
  /** Bodies that are in the file whole, and those that are there only as far as the page's first look goes. */
  readonly whole: number;
  readonly cut: number;
}

const MARK = '<!-- data -->';
/** Packed from this size on: a browser reads all of the file before it draws, and a run is unpacked only when it is looked at. */
const PACKED_FROM = 4 * 1024;
const pack = promisify(gzip);

/**
 * Writes all that `source` lists as one page that needs no server and no network. Run after run is read and written, so
 * that memory does not grow with their number. The file appears whole or not at all.
 */
export async function exportViewer(source: ViewerSource, file: string, options: ExportOptions): Promise<Exported> {
  const [start = '', end = ''] = viewerDocument(viewerBundle(), options.title, 'page', new Html(MARK)).split(MARK);
  const list = await source.list();
  const draft = `${file}.${randomUUID()}.draft`;
  const out = createWriteStream(draft);
  let bytes = 0;
  const write = async (text: string) => {
    bytes += Buffer.byteLength(text);
    if (!out.write(text)) await once(out, 'drain');
  };
  try {
    let [left, whole, cut] = [options.limit, 0, 0];
    await write(start);
    await write((await block('list', list)).markup);
    for (const [at, { id }] of list.runs.entries()) {
      const page = await source.run(id).catch((error: unknown) => {
        // A run that was skipped or failed has no chain: its line in the list says all there is.
        if (isPointsmanError(error) && error.code === 'NotFound') return undefined;
        throw error;
      });
      if (!page) continue;
      // What one run leaves of its share is the others'.
      const bodies = await bodiesOf(source, page, left / (list.runs.length - at));
      left -= bodies.bytes;
      whole += bodies.texts.size;
      cut += bodies.cut;
      const forks = await source.forks(id);
      const events = await source.events(id);
      await write((await block(`run:${at}`, { page, forks, events, blobs: Object.fromEntries(bodies.texts) })).markup);
    }
    await write(end);
    out.end();
    await finished(out);
    await rename(draft, file);
    return { runs: list.runs.length, bytes, whole, cut };
  } finally {
    out.destroy();
    await rm(draft, { force: true });
  }
}

async function block(name: string, value: unknown): Promise<Html> {
  const json = jsonForScript(value);
  if (json.length < PACKED_FROM) return dataBlock(name, { json: new Html(json) });
  return dataBlock(name, { gzip: (await pack(json)).toString('base64') });
}

interface Bodies {
  readonly texts: ReadonlyMap<string, string>;
  readonly bytes: number;
  readonly cut: number;
}

/** Whole bodies behind a page's clips, as many as fit, in the order in which a reader meets them. */
async function bodiesOf(source: ViewerSource, page: RunPage, limit: number): Promise<Bodies> {
  const texts = new Map<string, string>();
  let [bytes, cut] = [0, 0];
  for (const sha256 of new Set(namesOf(page))) {
    const body = await source.blob(sha256).catch(() => undefined);
    if (!body) continue;
    if (bytes + body.length > limit) cut++;
    else {
      bytes += body.length;
      texts.set(sha256, body.toString('utf8'));
    }
  }
  return { texts, bytes, cut };
}

function* namesOf({ turns, patch, grade, statement }: RunPage): Iterable<string> {
  for (const text of [statement, patch, grade?.log]) if (text && text.hidden > 0 && text.blob) yield text.blob;
  for (const { observation, edit, hash } of turns) {
    if (observation.hidden > 0 && observation.blob) yield observation.blob;
    if (edit?.before) yield edit.before.sha256;
    if (edit?.after) yield edit.after.sha256;
    yield hash;
  }
}
