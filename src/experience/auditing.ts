import type { UnitVerdict } from '../contract';
import { checkedAudit } from '../setup/experience';
import { type Database, statement } from './database';

export interface Anchor {
  readonly run: string;
  /** Names the retrieval within the run. */
  readonly anchor: string;
  readonly units: readonly string[];
  /** Where the run works: a success elsewhere than where a unit was learned ends its quarantine. */
  readonly repository?: string;
}

/** Remembers what a run was shown. A unit's hits grow once a run, however often it is shown or the call is repeated. */
export async function keepAnchor(database: Database, { run, anchor, units, repository }: Anchor): Promise<void> {
  // In one order for everybody: two runs that book the same units cannot wait for each other.
  const statements = [...new Set(units)].sort().map((unit) =>
    statement(
      `with known as (select id from experience.units where id = $3),
        shown as (
          insert into experience.anchors (run, anchor, unit, repository) select $1, $2, id, $4 from known on conflict do nothing
        ),
        first as (insert into experience.hits (run, unit) select $1, id from known on conflict do nothing returning unit)
        update experience.units u set hits = hits + 1 from first where u.id = first.unit`,
      run,
      anchor,
      unit,
      repository ?? null,
    ),
  );
  if (statements.length > 0) await database.run(statements);
}

export interface Audited {
  readonly booked: readonly string[];
  /** Verdicts that were booked before. */
  readonly repeated: readonly string[];
  readonly refused: readonly { readonly unit: string; readonly why: string }[];
}

/**
 * Books verdicts about what was shown at an anchor: each once per run, anchor and unit, with its counter in the same
 * statement. One about a unit that was not shown there is refused, and the others stand.
 */
export async function bookVerdicts(
  database: Database,
  { run, anchor, verdicts }: { run: string; anchor: string; verdicts: readonly UnitVerdict[] },
): Promise<Audited> {
  const [shown = []] = await database.run([
    statement('select unit from experience.anchors where run = $1 and anchor = $2', run, anchor),
  ]);
  const { accepted, refused } = checkedAudit(
    shown.map(({ unit }) => String(unit)),
    verdicts,
  );
  const inOrder = [...accepted].sort((a, b) => (a.unit < b.unit ? -1 : 1));
  if (inOrder.length === 0) return { booked: [], repeated: [], refused };
  const results = await database.run(
    inOrder.map(({ unit, verdict, why }) => statement(BOOK, run, anchor, unit, verdict, why)),
  );
  const isNew = results.map((rows) => Number(rows[0]?.booked) > 0);
  return {
    booked: inOrder.filter((_, at) => isNew[at]).map(({ unit }) => unit),
    repeated: inOrder.filter((_, at) => !isNew[at]).map(({ unit }) => unit),
    refused,
  };
}

const BOOK = `with shown as (
    select run, anchor, unit, repository from experience.anchors where run = $1 and anchor = $2 and unit = $3
  ),
  booked as (
    insert into experience.verdicts (run, anchor, unit, verdict, why) select run, anchor, unit, $4, $5 from shown
    on conflict do nothing returning unit, verdict
  ),
  counted as (
    update experience.units u set
      successes = successes + (booked.verdict = 'success')::int,
      failures = failures + (booked.verdict = 'failure')::int,
      status = case
        when booked.verdict <> 'success' then u.status
        when shown.repository is not null and u.body #>> '{provenance,repository}' is not null
          then case when shown.repository = u.body #>> '{provenance,repository}' then u.status else 'active' end
        when shown.run is distinct from u.body #>> '{provenance,run}' then 'active'
        else u.status end
    from booked, shown where u.id = booked.unit and booked.unit = shown.unit
  )
  select count(*)::int as booked from booked`;
