import { normalName } from '../requirement';
import { type Table, tablesOf } from '../tables';

/** Requirements of each group of a dependency-groups table, those of the groups that it includes among them. */
export function dependencyGroups(toml: Table): Readonly<Record<string, readonly string[]>> {
  const groups = tablesOf(toml['dependency-groups']);
  const byName = new Map(Object.keys(groups).map((name) => [normalName(name), groups[name]]));
  const linesOf = (name: string, within: readonly string[] = []): string[] => {
    const lines = byName.get(name);
    // One that includes itself is broken, and pip will say so.
    if (!Array.isArray(lines) || within.includes(name)) return [];
    return lines.flatMap((line: unknown) => {
      if (typeof line === 'string') return [line];
      const other = tablesOf(line)['include-group'];
      return typeof other === 'string' ? linesOf(normalName(other), [...within, name]) : [];
    });
  };
  return Object.fromEntries(Object.keys(groups).map((name) => [name, [...new Set(linesOf(normalName(name)))]]));
}
