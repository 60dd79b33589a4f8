import type { Dependency, EntryPoint, ManifestFacts } from '../facts';
import { isForeign } from '../markers';
import type { Survey } from '../survey';

/** go.mod, and the commands under `cmd/`. */
export function goFacts({ texts, paths }: Survey): ManifestFacts {
  const text = texts['go.mod'] ?? '';
  const module = /^module\s+"?([^\s"]+)/m.exec(text)?.[1] ?? null;
  const version = /^go\s+(\S+)/m.exec(text)?.[1];
  const dependencies = [
    ...text.matchAll(/^(?:require\s+|\s+)([\w.-]+\.[\w.-]+\/\S+|[\w.-]+\.[a-z]+\/?\S*)\s+(v\S+)(\s*\/\/ indirect)?/gm),
  ]
    .filter((row) => !row[3])
    .map(
      ([, name, spec]): Dependency => ({
        name: name!,
        spec: spec!,
        scope: 'core',
        importNames: [name!],
        declared: 'go.mod',
      }),
    );
  const mains = paths
    .map((path) => /^(?:cmd\/([^/]+)\/)?main\.go$/.exec(path))
    .filter((found) => found !== null)
    .map(
      (found): EntryPoint => ({
        kind: 'bin',
        name: found[1] ?? module?.split('/').at(-1) ?? 'main',
        target: found[1] ? `./cmd/${found[1]}` : '.',
      }),
    );
  return {
    name: module,
    version: null,
    runtime: version ? { go: version } : {},
    buildSystems: ['go'],
    dependencies,
    entryPoints: mains.filter((one, at) => mains.findIndex((other) => other.target === one.target) === at),
    modules: module ? [module] : [],
    testFrameworks: paths.some((path) => path.endsWith('_test.go') && !isForeign(path)) ? ['go'] : [],
  };
}
