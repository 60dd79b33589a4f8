import type { Dependency, ManifestFacts } from '../facts';
import { readToml, type Table, tablesOf } from '../tables';
import { rowOf } from './rows';

const FILE = 'Pipfile';
const DEVELOPING = 'dev-packages';

/** Pipenv's list: what a program needs, and what its developers do. */
export function pipfileFacts(text: string | undefined): ManifestFacts {
  const toml = readToml(text);
  const developing = tablesOf(toml[DEVELOPING]);
  return {
    name: null,
    version: null,
    dependencies: [
      ...rows(tablesOf(toml.packages), { scope: 'core', declared: FILE }),
      ...rows(developing, { scope: 'test', declared: FILE, extra: DEVELOPING }),
    ],
    groups: Object.keys(developing).length > 0 ? [{ name: DEVELOPING, kind: 'tool', test: true }] : [],
  };
}

/** Without the project itself, which lies in `.`. */
function rows(from: Table, place: Parameters<typeof rowOf>[2]): Dependency[] {
  return Object.entries(from)
    .map(([name, value]) => rowOf(name, value, place))
    .filter(({ spec }) => spec !== '.');
}
