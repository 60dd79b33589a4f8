import type { Dependency, EntryPoint, ManifestFacts } from '../facts';
import { goModules } from '../go-modules';
import { isForeign } from '../markers';
import type { Survey } from '../survey';

/** The modules that it is made of, and the commands under `cmd/`. */
export function goFacts(survey: Survey): ManifestFacts {
  const { texts, paths } = survey;
  const manifests = goModules(survey).map((folder) => (folder === '.' ? 'go.mod' : `${folder}/go.mod`));
  const read = manifests.map((path) => moduleOf(path, texts[path] ?? ''));
  const modules = read.flatMap(({ name }) => name ?? []);
  const [module = null] = modules;
  const versions = [...read.map(({ version }) => version), /^go\s+(\S+)/m.exec(texts['go.work'] ?? '')?.[1]];
  const version = versions
    .filter((one) => one !== undefined)
    .sort(byRelease)
    .at(-1);
  // What the modules of one repository need of each other lies in it.
  const dependencies = read
    .flatMap((one) => one.dependencies)
    .filter(({ name }, at, all) => !modules.includes(name) && all.findIndex((other) => other.name === name) === at);
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
    modules,
    testFrameworks: paths.some((path) => path.endsWith('_test.go') && !isForeign(path)) ? ['go'] : [],
  };
}

/** What one `go.mod` says. */
function moduleOf(path: string, text: string) {
  const rows = text.matchAll(
    /^(?:require[ \t]+|[ \t]+)([\w.-]{1,200}\.[\w.-]{1,200}\/\S+|[\w.-]{1,200}\.[a-z]{1,60}\/?\S*)[ \t]+(v\S+)([ \t]*\/\/ indirect)?/gm,
  );
  return {
    name: /^module\s+"?([^\s"]+)/m.exec(text)?.[1],
    version: /^go\s+(\S+)/m.exec(text)?.[1],
    dependencies: [...rows]
      .filter((row) => !row[3])
      .map(
        ([, name, spec]): Dependency => ({
          name: name!,
          spec: spec!,
          scope: 'core',
          importNames: [name!],
          declared: path,
        }),
      ),
  };
}

/** `1.9` before `1.21.3`; a release candidate counts as its release. */
function byRelease(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.a-z]+/).map(Number));
  const at = left!.findIndex((part, index) => part !== (right![index] ?? 0));
  return at < 0 ? left!.length - right!.length : left![at]! - (right![at] ?? 0);
}
