import type { Dependency, EntryPoint, ManifestFacts } from '../facts';
import type { Survey } from '../survey';
import { readToml, stringsOf, type Table, tablesOf } from '../tables';

const SCOPES = { dependencies: 'core', 'build-dependencies': 'build', 'dev-dependencies': 'test' } as const;

/** The root crate and the members of its workspace. */
export function rustFacts({ texts, paths }: Survey): ManifestFacts {
  const root = readToml(texts['Cargo.toml']);
  const shared = tablesOf(tablesOf(root.workspace).package);
  const crate = tablesOf(root.package);
  const members = Object.keys(texts).filter((path) => path.endsWith('/Cargo.toml'));
  const version = inherited(crate.version, shared.version);
  const minimum = inherited(crate['rust-version'], shared['rust-version']);
  const crates = [root, ...members.map((path) => readToml(texts[path]))];
  const name = typeof crate.name === 'string' ? crate.name : null;
  return {
    name,
    version,
    runtime: minimum ? { rust: minimum } : {},
    buildSystems: ['cargo'],
    dependencies: Object.entries(SCOPES).flatMap(([key, scope]) => dependenciesIn(tablesOf(root[key]), scope)),
    entryPoints: binaries(root, name, paths),
    modules: crates
      .map((one) => tablesOf(one.lib).name ?? tablesOf(one.package).name)
      .filter((one) => typeof one === 'string')
      .map((one) => one.replaceAll('-', '_')),
    testFrameworks: ['cargo'],
  };
}

function dependenciesIn(rows: Table, scope: Dependency['scope']): Dependency[] {
  return Object.entries(rows).map(([name, row]) => {
    const fields = tablesOf(row);
    return {
      name: String(fields.package ?? name),
      spec: typeof row === 'string' ? row : String(fields.version ?? fields.git ?? fields.path ?? ''),
      scope: fields.optional === true ? 'extra' : scope,
      importNames: [name.replaceAll('-', '_')],
      declared: 'Cargo.toml',
    };
  });
}

function binaries(root: Table, name: string | null, paths: readonly string[]): EntryPoint[] {
  const listed = Array.isArray(root.bin) ? root.bin.map(tablesOf) : [];
  const declared = listed
    .filter((bin) => stringsOf(bin['required-features']).length === 0)
    .map((bin): EntryPoint => ({ kind: 'bin', name: String(bin.name), target: String(bin.path ?? 'src/main.rs') }));
  if (declared.length > 0 || !name || !paths.includes('src/main.rs')) return declared;
  return [{ kind: 'bin', name, target: 'src/main.rs' }];
}

/** `version.workspace = true` takes the workspace's. */
function inherited(own: unknown, shared: unknown): string | null {
  const value = tablesOf(own).workspace === true ? shared : own;
  return typeof value === 'string' ? value : null;
}
