import type { BuildSystem, Dependency, EntryPoint, ManifestFacts } from '../facts';
import type { Survey } from '../survey';
import { readJson, tablesOf } from '../tables';

const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['jest', /\bjest\b|\breact-scripts test\b/],
  ['vitest', /\bvitest\b/],
  ['mocha', /\b_?mocha\b/],
  ['ava', /\bava\b/],
  ['tape', /\btape\b/],
  ['tap', /\btap\b(?! )|\btap /],
  ['node', /\bnode (\S{1,200} ){0,10}--test\b/],
  ['jasmine', /\bjasmine\b/],
  ['uvu', /\buvu\b/],
  ['karma', /\bkarma\b/],
];

const SCOPES = { dependencies: 'core', devDependencies: 'test', optionalDependencies: 'extra' } as const;

/** What package.json says, and which package manager's lock lies beside it. */
export function nodeFacts({ texts, paths }: Survey): ManifestFacts {
  const manifest = readJson(texts['package.json']);
  const scripts = tablesOf(manifest.scripts);
  const engine = tablesOf(manifest.engines).node ?? texts['.nvmrc']?.trim() ?? texts['.node-version']?.trim();
  const dependencies = Object.entries(SCOPES).flatMap(([key, scope]) =>
    Object.entries(tablesOf(manifest[key])).map(
      ([name, spec]): Dependency => ({
        name,
        spec: String(spec),
        scope,
        importNames: importable(name),
        declared: 'package.json',
      }),
    ),
  );
  const declared = String(manifest.packageManager ?? '').split('@')[0];
  const manager: BuildSystem =
    declared === 'pnpm' || paths.includes('pnpm-lock.yaml')
      ? 'pnpm'
      : declared === 'yarn' || paths.includes('yarn.lock')
        ? 'yarn'
        : 'npm';
  const test = Object.entries(scripts)
    .filter(([name]) => /^(tests?|unit|tests?[:-].*)$/.test(name))
    .map(([, command]) => String(command))
    .join('\n');
  const name = typeof manifest.name === 'string' ? manifest.name : null;
  return {
    name,
    version: typeof manifest.version === 'string' ? manifest.version : null,
    runtime: typeof engine === 'string' && engine !== '' ? { node: engine } : {},
    buildSystems: [manager],
    dependencies,
    entryPoints: [...binaries(manifest.bin, name), ...mainOf(manifest)],
    modules: name ? [name] : [],
    testFrameworks: FRAMEWORKS.filter(([, pattern]) => pattern.test(test)).map(([framework]) => framework),
  };
}

/** Packages of types and of command lines have nothing to require. */
const importable = (name: string) => (/^@types\/|^eslint|^prettier|^@commitlint|^husky$/.test(name) ? [] : [name]);

function binaries(value: unknown, name: string | null): EntryPoint[] {
  if (typeof value === 'string') return name ? [{ kind: 'bin', name: name.split('/').at(-1)!, target: value }] : [];
  return Object.entries(tablesOf(value)).map(([bin, target]) => ({ kind: 'bin', name: bin, target: String(target) }));
}

function mainOf(manifest: ReturnType<typeof readJson>): EntryPoint[] {
  const main =
    typeof manifest.main === 'string' ? manifest.main : typeof manifest.exports === 'string' ? manifest.exports : null;
  return main ? [{ kind: 'main', name: String(manifest.name ?? main), target: main }] : [];
}
