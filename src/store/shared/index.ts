import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { S3Place } from '../../config';
import type { Places } from '../../model';
import { statement } from '../database';
import type { Documents } from '../documents';
import { FileBlobs } from '../local/blobs';
import type { Rows } from '../rows';
import { SqlDocuments } from './documents';
import { SqlPlaces } from './places';
import { openDatabase, sqlRows } from './rows';
import { S3Blobs } from './s3-blobs';

/** A store that hosts share, which makes a home a cache. */
export interface SharedStore {
  /** Of models, for limits that all hosts share. */
  readonly places: Places;
  /** Pointers to results, by their folder in a home. */
  readonly results: Documents;
  /** Throws what is wrong with it: `InvalidInput` where only a person can mend it, else `Unavailable`. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A bucket's blobs; what this host has seen of them is in its home. */
export function s3Blobs(home: string, place: S3Place): S3Blobs {
  // Another bucket is another cache: what lies there says that the bucket has it.
  const { bucket, endpoint, prefix } = place;
  const digest = createHash('sha256')
    .update(JSON.stringify([bucket, endpoint, prefix]))
    .digest('hex');
  return new S3Blobs(place, new FileBlobs(join(home, 'cache', 'blobs', digest.slice(0, 16))));
}

export function openShared(
  variable: string,
  blobs: S3Blobs,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { readonly rows: Rows; readonly shared: SharedStore } {
  const database = openDatabase(variable, env);
  const places = new SqlPlaces(database);
  return {
    rows: sqlRows(database, blobs),
    shared: {
      places,
      results: new SqlDocuments(database, 'results'),
      async check() {
        await Promise.all([blobs.check(), database.run([statement('select 1')])]);
      },
      async close() {
        await places.close();
        await database.close();
        blobs.close();
      },
    },
  };
}
