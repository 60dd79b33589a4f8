import { columnsOf } from './columns';

/**
 * Ids as they fit into so many columns: what is too long is cut in its middle, `start…end`, which commands take for the id.
 * Those that would look alike are left longer, until each is told from every other.
 */
export function idsWithin(ids: readonly string[], columns: number): ReadonlyMap<string, string> {
  const all = [...new Set(ids)];
  const long = all.filter((id) => columnsOf(id) > columns);
  const shown = new Map(all.map((id) => [id, id]));
  for (let most = columns; long.length > 0; most += 4) {
    const [head, tail] = [Math.floor((most - 1) / 2), Math.ceil((most - 1) / 2)];
    for (const id of long) shown.set(id, id.length <= most ? id : `${id.slice(0, head)}…${id.slice(-tail)}`);
    // Of all, also of those that were not cut: a cut one must name one run only.
    const isOnly = (id: string) => {
      const [start = '', end = ''] = shown.get(id)!.split('…');
      return all.every((other) => other === id || !(other.startsWith(start) && other.endsWith(end)));
    };
    if (long.every((id) => shown.get(id) === id || isOnly(id))) break;
  }
  return shown;
}
