import { createHash } from 'node:crypto';
import { type ExperienceDraft, ExperienceUnit, type Judgement, parseInput } from '../../contract';
import { addsNothing, mergeUnits } from '../../setup/experience';
import { type Database, json, statement } from '../database';
import type { Embedder } from './embedder';
import type { LearnAttempt, Learned } from './experience';
import type { Vectors } from './schema';
import {
  BUMP,
  contentDigest,
  insertParameters,
  insertUnit,
  REVISION,
  readableUnits,
  storable,
  UNIT_COLUMNS,
} from './units';

/** A draft at least this close to a unit may say the same; what decides is the judgement. */
const SAME = 0.85;
/** More than one, because the nearest may be one that cannot be read. */
const NEIGHBOURS = 4;

interface Parts {
  readonly database: Database;
  readonly embedder: Embedder;
  readonly vectors: Vectors;
}

/** The key under which learning a draft is done once, whatever is retried. */
function learningKey(draft: ExperienceDraft): string {
  return `${draft.provenance.run ?? ''}/${contentDigest(draft)}`;
}

/**
 * One attempt at learning a draft: insert it, merge it into its nearest neighbour, find that it adds nothing, or ask for a
 * judgement about that neighbour. No lock is held while somebody judges; instead an insert counts only if no unit changed
 * since the neighbours were looked up, and a merge only on the version that was judged. Otherwise the attempt begins again.
 */
export async function attemptLearning(
  parts: Parts,
  draft: ExperienceDraft,
  judgement?: Judgement,
): Promise<LearnAttempt> {
  const key = learningKey(draft);
  const id = `xp_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  const fresh: ExperienceUnit = {
    ...draft,
    id,
    status: 'quarantined',
    telemetry: { hits: 0, successes: 0, failures: 0 },
    version: 1,
  };
  const [stored] = await storable([fresh], parts.embedder, parts.vectors);
  for (;;) {
    const { learned, revision, nearest, similarity } = await lookUp(parts, key, stored!.vector);
    if (learned) return learned;
    if (!nearest || similarity < SAME || (judges(judgement, nearest) && !judgement.same)) {
      const sql = `with gate as (${BUMP} and value = $1 returning 1),
        made as (${insertUnit(parts.vectors, 3, 'gate')} on conflict (id) do nothing),
        booked as (insert into experience.learned select $2, 'inserted', $3 from gate on conflict do nothing)
        select count(*)::int as done from gate`;
      const done = await apply(parts, sql, [revision, key, ...insertParameters(stored!, parts.embedder.name)]);
      if (done) return { outcome: 'inserted', unit: id };
    } else if (!judges(judgement, nearest)) {
      return { outcome: 'needs-judgement', nearest, similarity };
    } else if (judgement.advice === undefined && addsNothing(nearest, draft)) {
      const booked = `insert into experience.learned values ($1, 'duplicate', $2) on conflict do nothing returning 1`;
      await parts.database.run([statement(booked, key, nearest.id)]);
      return { outcome: 'duplicate', unit: nearest.id };
    } else if (await merge(parts, key, nearest, mergeUnits(nearest, draft, judgement.advice))) {
      return { outcome: 'merged', unit: nearest.id };
    }
  }
}

function judges(judgement: Judgement | undefined, nearest: ExperienceUnit): judgement is Judgement {
  return judgement !== undefined && judgement.nearest === nearest.id && judgement.version === (nearest.version ?? 1);
}

/** The nearest unit, whatever its record or language is: the same thing learned twice is the same. */
async function lookUp({ database, embedder, vectors }: Parts, key: string, vector: string) {
  const cosine = vectors.cosine('u.embedding', '$1');
  const [learned, revision, near] = await database.run([
    statement('select outcome, unit from experience.learned where key = $1', key),
    statement(REVISION),
    statement(
      `select ${UNIT_COLUMNS}, ${cosine} as cosine from experience.units u where u.embedder = $2
        order by cosine desc, u.id limit ${NEIGHBOURS}`,
      vector,
      embedder.name,
    ),
  ]);
  const [nearest] = readableUnits(near ?? []);
  return {
    learned: learned?.[0] as Learned | undefined,
    revision: String(revision?.[0]?.value),
    nearest,
    similarity: Number(near?.find(({ id }) => id === nearest?.id)?.cosine ?? 0),
  };
}

/**
 * Only what can be read again is written: throws `InvalidInput`. The old version is kept beside; telemetry goes on counting for the new one, whose
 * atoms include the old ones.
 */
async function merge(parts: Parts, key: string, before: ExperienceUnit, joined: ExperienceUnit): Promise<boolean> {
  const after = parseInput(ExperienceUnit, joined, `${before.id}, merged`);
  const [stored] = await storable([after], parts.embedder, parts.vectors);
  const sql = `with old as (
      select id, version, body from experience.units where id = $1 and version = $2 for update
    ),
    kept as (insert into experience.unit_versions select id, version, body from old on conflict do nothing),
    changed as (
      update experience.units u set version = u.version + 1, body = $3::jsonb, embedder = $4,
        embedding = ${parts.vectors.read('$5')}, document = to_tsvector('simple', $6::text)
      from old where u.id = old.id
    ),
    bumped as (${BUMP} and exists (select 1 from old)),
    booked as (insert into experience.learned select $7, 'merged', id from old on conflict do nothing)
    select count(*)::int as done from old`;
  const { id: _id, version: _version, status: _status, telemetry: _telemetry, ...body } = after;
  return apply(parts, sql, [
    before.id,
    before.version ?? 1,
    json(body),
    parts.embedder.name,
    stored!.vector,
    stored!.text,
    key,
  ]);
}

async function apply({ database }: Parts, sql: string, parameters: readonly (string | number)[]): Promise<boolean> {
  const [rows] = await database.run([statement(sql, ...parameters)]);
  return Number(rows?.[0]?.done) > 0;
}
