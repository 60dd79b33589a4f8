import { projectOfSource, type UnitVerdict } from '../../contract';
import { checkedAudit } from '../../setup/experience';
import { type Database, type Row, statement } from '../database';
import type { Anchor, Audited } from './experience';

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

/**
 * Books verdicts about what was shown at an anchor: each once per run, anchor and unit, with its counter in the same
 * statement. One about a unit that was not shown there is refused, and the others stand.
 */
export async function bookVerdicts(
  database: Database,
  { run, anchor, verdicts }: { run: string; anchor: string; verdicts: readonly UnitVerdict[] },
): Promise<Audited> {
  const [shown = []] = await database.run([
    statement(
      `select a.unit, a.repository, u.body #>> '{provenance,repository}' as learned, u.body #>> '{provenance,run}' as learner
        from experience.anchors a left join experience.units u on u.id = a.unit where a.run = $1 and a.anchor = $2`,
      run,
      anchor,
    ),
  ]);
  const elsewhere = new Map(shown.map((row) => [String(row.unit), isElsewhere(row, run)]));
  const { accepted, refused } = checkedAudit(
    shown.map(({ unit }) => String(unit)),
    verdicts,
  );
  const inOrder = [...accepted].sort((a, b) => (a.unit < b.unit ? -1 : 1));
  if (inOrder.length === 0) return { booked: [], repeated: [], refused };
  const results = await database.run(
    inOrder.map(({ unit, verdict, why }) =>
      statement(BOOK, run, anchor, unit, verdict, why, elsewhere.get(unit) ?? false),
    ),
  );
  const isNew = results.map((rows) => Number(rows[0]?.booked) > 0);
  return {
    booked: inOrder.filter((_, at) => isNew[at]).map(({ unit }) => unit),
    repeated: inOrder.filter((_, at) => !isNew[at]).map(({ unit }) => unit),
    refused,
  };
}

/** Another version of the project that a unit was learned on is not elsewhere; without both names, another run is. */
function isElsewhere({ repository, learned, learner }: Row, run: string): boolean {
  if (typeof repository === 'string' && typeof learned === 'string')
    return projectOfSource(repository) !== projectOfSource(learned);
  return learner !== run;
}

const BOOK = `with shown as (
    select run, anchor, unit from experience.anchors where run = $1 and anchor = $2 and unit = $3
  ),
  booked as (
    insert into experience.verdicts (run, anchor, unit, verdict, why) select run, anchor, unit, $4, $5 from shown
    on conflict do nothing returning unit, verdict
  ),
  counted as (
    update experience.units u set
      successes = successes + (booked.verdict = 'success')::int,
      failures = failures + (booked.verdict = 'failure')::int,
      status = case when booked.verdict = 'success' and $6::boolean then 'active' else u.status end
    from booked where u.id = booked.unit
  )
  select count(*)::int as booked from booked`;
