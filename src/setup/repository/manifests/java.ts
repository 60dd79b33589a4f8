import { XMLParser } from 'fast-xml-parser';
import type { Dependency, ManifestFacts } from '../facts';
import type { Survey } from '../survey';
import { type Table, tablesOf } from '../tables';

const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false, processEntities: false });

/** Maven's or Gradle's: the one whose file lies in the root, Maven first as it needs no wrapper download. */
export function javaFacts({ texts }: Survey): ManifestFacts {
  if (texts['pom.xml'] !== undefined) return mavenFacts(texts['pom.xml']);
  const root = ['build.gradle', 'build.gradle.kts'].filter((path) => texts[path] !== undefined);
  // A root that only names its parts has nothing to say of how they are built.
  const scripts = root.length > 0 ? root : Object.keys(texts).filter((path) => /\/build\.gradle(\.kts)?$/.test(path));
  const script = scripts.map((path) => texts[path]).join('\n');
  const settings = texts['settings.gradle'] ?? texts['settings.gradle.kts'] ?? '';
  const java =
    /(?:sourceCompatibility|targetCompatibility)\s*(?:=\s*)?(?:JavaVersion\.VERSION_)?['"]?(?:1[._])?(\d+)|JavaLanguageVersion\.of\((\d+)\)/.exec(
      script,
    );
  return {
    name: /rootProject\.name\s*=\s*['"]([^'"]+)/.exec(settings)?.[1] ?? null,
    version: /^[ \t]*version\s*(?:=\s*)?['"]([^'"$]+)['"]/m.exec(script)?.[1] ?? null,
    runtime: java ? { java: (java[1] ?? java[2])! } : {},
    buildSystems: ['gradle'],
    dependencies: scripts.flatMap((path) => gradleDependencies(texts[path]!, path)),
    testFrameworks: frameworks(script),
  };
}

function gradleDependencies(script: string, declared: string): Dependency[] {
  const rows = script.matchAll(
    /^[ \t]*(implementation|api|compile|runtimeOnly|testImplementation|testCompile)\s*\(?['"]([\w.-]+:[\w.-]+)(?::([^'"$]+))?['"]/gm,
  );
  return [...rows].map(
    ([, how, name, spec = '']): Dependency => ({
      name: name!,
      spec,
      scope: how!.startsWith('test') ? 'test' : 'core',
      importNames: [],
      declared,
    }),
  );
}

function mavenFacts(text: string): ManifestFacts {
  const project = tablesOf(read(text).project);
  const parent = tablesOf(project.parent);
  const properties = tablesOf(project.properties);
  const resolve = (value: unknown): string =>
    String(value ?? '').replace(/\$\{([^{}]+)\}/g, (whole, key: string) => String(properties[key] ?? whole));
  const compiler = compilerOf(project);
  const named = [
    'maven.compiler.release',
    'maven.compiler.source',
    'java.version',
    'jdk.version',
    'maven.compiler.target',
    'javac.target',
    'java.release.version',
  ].map((key) => properties[key]);
  const release = [compiler.release, ...named, compiler.source, compiler.target]
    .map(resolve)
    .find((value) => /^(1\.)?\d+$/.test(value));
  const rows = tablesOf(project.dependencies).dependency;
  const dependencies = (Array.isArray(rows) ? rows : rows ? [rows] : []).map(tablesOf).map(
    (row): Dependency => ({
      name: `${resolve(row.groupId)}:${row.artifactId}`,
      spec: resolve(row.version),
      scope: row.scope === 'test' ? 'test' : row.optional === 'true' ? 'extra' : 'core',
      importNames: [],
      declared: 'pom.xml',
    }),
  );
  const version = resolve(project.version ?? parent.version);
  return {
    name: typeof project.artifactId === 'string' ? project.artifactId : null,
    version: version === '' || version.includes('${') ? null : version,
    runtime: release ? { java: release.replace(/^1\./, '') } : {},
    buildSystems: ['maven'],
    dependencies,
    testFrameworks: frameworks(text),
  };
}

/** What the compiler's plugin is told in the project's own build, where many say it instead of in properties. */
function compilerOf(project: Table): Table {
  const build = tablesOf(project.build);
  const rows = [build, tablesOf(build.pluginManagement)].map((one) => tablesOf(one.plugins).plugin);
  const plugins = rows.flat().map(tablesOf);
  return tablesOf(plugins.find(({ artifactId }) => artifactId === 'maven-compiler-plugin')?.configuration);
}

function read(text: string): Table {
  try {
    return tablesOf(parser.parse(text));
  } catch {
    return {};
  }
}

function frameworks(text: string): string[] {
  if (/junit-jupiter|org\.junit\.jupiter|useJUnitPlatform/.test(text)) return ['junit5'];
  if (/testng/i.test(text)) return ['testng'];
  return /junit/i.test(text) ? ['junit4'] : [];
}
