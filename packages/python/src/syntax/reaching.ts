import type { Binding, Unit } from './bindings';
import { decided } from './conditions';
import type { Expression, Statement } from './syntax';

interface ReachingQuery {
  readonly body: readonly Statement[];
  readonly unitOf: ReadonlyMap<Statement, Unit>;
  /** All bindings of the name, in order; star imports that may give it included. */
  readonly candidates: readonly Binding[];
  readonly assignedTo: (name: string) => Expression | undefined;
  /** Only statements that start before this offset have run. */
  readonly before: number;
}

/**
 * The bindings that a name may have at a place of a module's top level: the last one, and every one that a condition,
 * an exception or a loop may have left in force (reaching definitions). Overload stubs stay with what they describe.
 */
export function reachingBindings(query: ReachingQuery): Binding[] {
  const { candidates, before } = query;
  const [only] = candidates;
  if (candidates.length <= 1) return only && only.unit.statement.start < before && isLive(only, query) ? [only] : [];
  const byUnit = new Map<Unit, Binding[]>();
  for (const each of candidates) byUnit.set(each.unit, [...(byUnit.get(each.unit) ?? []), each]);
  return after(query.body, [], byUnit, query).filter(({ kind }) => kind !== 'delete');
}

/** False in a branch that no supported Python enters. */
export function isLive({ unit }: Pick<Binding, 'unit'>, { assignedTo }: Pick<ReachingQuery, 'assignedTo'>): boolean {
  return unit.branches.every(({ statement, branch }) => {
    if (statement.kind !== 'if') return true;
    const value = decided(statement.test, assignedTo);
    return value === undefined || value === (branch === 'body');
  });
}

type ByUnit = ReadonlyMap<Unit, readonly Binding[]>;

function after(block: readonly Statement[], state: Binding[], byUnit: ByUnit, query: ReachingQuery): Binding[] {
  let now = state;
  for (const statement of block) {
    if (statement.start >= query.before) break;
    if (statement.kind === 'if') {
      const value = decided(statement.test, query.assignedTo);
      const body = value === false || inside(statement.orElse, query) ? [] : after(statement.body, now, byUnit, query);
      const orElse = value === true || inside(statement.body, query) ? [] : after(statement.orElse, now, byUnit, query);
      now = union(body, orElse);
    } else if (statement.kind === 'try') {
      const body = after(statement.body, now, byUnit, query);
      if (inside(statement.body, query)) return body;
      const thrown = union(now, body);
      const entered = statement.handlers.find((handler) => inside(handler.body, query));
      if (entered) return after(entered.body, thrown, byUnit, query);
      const handled = statement.handlers.flatMap((handler) =>
        handler.body.at(-1)?.kind === 'raise' ? [] : [after(handler.body, thrown, byUnit, query)],
      );
      const normal = after(statement.orElse, body, byUnit, query);
      now = after(statement.finally, [normal, ...handled].reduce(union), byUnit, query);
    } else {
      const unit = query.unitOf.get(statement);
      const bindings = unit && byUnit.get(unit);
      if (bindings) now = bound(now, bindings, statement);
    }
  }
  return now;
}

/** Whether the place that is asked about lies in this block: then no other branch was taken. */
function inside(block: readonly Statement[], { before }: ReachingQuery): boolean {
  const [first] = block;
  return first !== undefined && first.start < before && before <= block.at(-1)!.end;
}

function bound(state: Binding[], bindings: readonly Binding[], statement: Statement): Binding[] {
  const last = bindings.at(-1)!;
  // A loop may not run, a pattern may not match, and a star may not bring the name.
  const certain =
    statement.kind !== 'for' && statement.kind !== 'while' && statement.kind !== 'match' && last.name !== '*';
  if (last.kind === 'delete') return [];
  const inForce = statement.kind === 'with' || !certain ? [...bindings] : [last];
  if (!certain) return union(state, inForce);
  return union(last.kind === 'function' ? state.filter(isOverload) : [], inForce);
}

function isOverload({ statement }: Binding): boolean {
  return (
    statement.kind === 'function' &&
    statement.decorators.some(
      (each) =>
        (each.kind === 'name' && each.id === 'overload') || (each.kind === 'attribute' && each.name === 'overload'),
    )
  );
}

function union(one: Binding[], other: Binding[]): Binding[] {
  return one.length === 0 ? other : [...one, ...other.filter((each) => !one.includes(each))];
}
