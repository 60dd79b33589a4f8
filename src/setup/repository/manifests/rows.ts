import { importNamesOf } from '../distributions';
import type { Dependency } from '../facts';
import { stringsOf, type Table, tablesOf } from '../tables';

/** Where a requirement that is written as a row of a table stands. */
type Place = Pick<Dependency, 'scope' | 'declared'> & { readonly extra?: string };

/** `name = "^1.2"`, or a table with version, extras, markers, path, git, as Poetry and Pipenv write it. */
export function rowOf(name: string, value: unknown, { extra, ...place }: Place): Dependency {
  const row = typeof value === 'string' ? { version: value } : tablesOf(Array.isArray(value) ? value[0] : value);
  const extras = stringsOf(row.extras);
  const marker = typeof row.markers === 'string' && row.markers !== '' ? row.markers : null;
  return {
    name,
    ...(extras.length > 0 ? { extras } : {}),
    spec: String(row.version ?? gitAddress(row) ?? row.path ?? row.file ?? row.url ?? '').replace(/^\*$/, ''),
    ...place,
    ...(extra ? { extra } : {}),
    ...(marker ? { marker } : {}),
    importNames: importNamesOf(name),
  };
}

/** As pip writes it. */
function gitAddress(row: Table): string | undefined {
  if (typeof row.git !== 'string') return undefined;
  const at = row.rev ?? row.tag ?? row.branch ?? row.ref;
  return `git+${row.git.replace(/^git\+/, '')}${typeof at === 'string' ? `@${at}` : ''}`;
}
