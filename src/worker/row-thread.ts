import { workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { answerOf, type RowTask } from '../activities/dataset/row-work';
import { DatasetRows } from '../activities/dataset/rows';
import { answering } from '../activities/threads';
import { namedExtensions, type Settings } from '../config';
import type { Ref } from '../contract';
import { useExtensions } from '../extensions';
import { openStores } from '../store';
import type { BlobStore } from '../store/blobs';
import { SampledTokensStore } from '../store/sampled-tokens';
import { Transcripts } from '../store/transcripts';

/** The data sets that are made now: a tokenizer of 100 MiB is read once. */
const opened = new LRUCache<string, Promise<DatasetRows>>({ max: 2 });

/** A thread of the worker that judges and renders rows of data sets. */
export default answering(async (task: RowTask) => answerOf(await rowsOf(task.setting), task));

async function rowsOf(setting: Ref): Promise<DatasetRows> {
  const known = opened.get(setting.sha256) ?? open(setting);
  opened.set(setting.sha256, known);
  known.catch(() => opened.delete(setting.sha256));
  return known;
}

async function open(setting: Ref): Promise<DatasetRows> {
  await useExtensions(namedExtensions());
  const { config, home } = workerData as Pick<Settings, 'config' | 'home'>;
  const stores = openStores({ config, home }, 'workflows');
  const blobs = readAtOnce(stores.blobs);
  const near = { blobs, transcripts: new Transcripts(blobs), sampled: new SampledTokensStore(blobs) };
  return DatasetRows.open({ ...stores, ...near, config }, setting);
}

/** Nobody waits for this thread: what can be had without waiting takes a tenth of the time so. */
function readAtOnce(blobs: BlobStore): BlobStore {
  return Object.assign(Object.create(blobs) as BlobStore, {
    get: async (sha256: string) => blobs.peek(sha256) ?? blobs.get(sha256),
  });
}
