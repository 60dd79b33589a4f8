import type { BuildSystem, Dependency, ManifestFacts } from '../facts';
import type { Survey } from '../survey';

/** CMake, Meson, Autotools or a Makefile: all that lie in the root, the one to take first. */
export function nativeFacts({ texts, paths }: Survey): ManifestFacts {
  const has = (...names: string[]) => names.some((name) => paths.includes(name));
  const systems: BuildSystem[] = [];
  // A release that brings its `configure` was made with it; a CMakeLists.txt beside it is often kept by few.
  const released = has('configure') && !/--buildsystem[= ]cmake/.test(texts['debian/rules'] ?? '');
  if (released) systems.push('autotools');
  if (has('CMakeLists.txt')) systems.push('cmake');
  if (has('meson.build')) systems.push('meson');
  if (!released && has('configure', 'configure.ac', 'configure.in')) systems.push('autotools');
  if (has('Makefile', 'makefile', 'GNUmakefile')) systems.push('make');
  const cmake = texts['CMakeLists.txt'] ?? '';
  const meson = texts['meson.build'] ?? '';
  const autoconf = texts['configure.ac'] ?? texts['configure.in'] ?? '';
  const init = /AC_INIT\(\s{0,100}\[?([^\s[\],)][^\],)]{0,200})\]?\s{0,100},\s{0,100}\[?([^\],)]{1,200})/.exec(
    autoconf,
  );
  const project = /^[ \t]*project\s*\(\s*"?([\w.+-]+)(?![\w.+-])"?([^)]{0,2000})\)/im.exec(cmake);
  return {
    name: project?.[1] ?? /^[ \t]*project\(\s*'([^']{1,200})'/m.exec(meson)?.[1] ?? init?.[1]?.trim() ?? null,
    version:
      /\bVERSION\s+"?(\d[\w.]*)/.exec(project?.[2] ?? '')?.[1] ??
      /\bversion\s*:\s*'(\d[\w.]*)'/.exec(meson)?.[1] ??
      (/^\d/.test(init?.[2]?.trim() ?? '') ? init![2]!.trim() : null),
    buildSystems: systems,
    dependencies: [...cmakePackages(cmake), ...mesonDependencies(meson), ...pkgConfigModules(autoconf)],
    testFrameworks: frameworksOf(texts),
  };
}

function needed(name: string, declared: string, required: boolean, spec = ''): Dependency {
  return { name, spec, scope: required ? 'core' : 'extra', importNames: [], declared };
}

function cmakePackages(text: string): Dependency[] {
  return [...text.matchAll(/^[ \t]*find_package\s*\(\s*(\w+)\b([^)]{0,2000})\)/gim)].map(([, name, rest]) =>
    needed(name!, 'CMakeLists.txt', /\bREQUIRED\b/.test(rest!)),
  );
}

function mesonDependencies(text: string): Dependency[] {
  return [...text.matchAll(/\bdependency\(\s{0,100}'([^']{1,200})'([^)]{0,2000})\)/g)].map(([, name, rest]) =>
    needed(name!, 'meson.build', !/required\s*:\s*(false|get_option)/.test(rest!)),
  );
}

function pkgConfigModules(text: string): Dependency[] {
  return [...text.matchAll(/PKG_CHECK_MODULES\(\s*\[?\w+\]?\s*,\s*\[?([^\],)]+)\]?\s*([,)])/g)].flatMap(
    ([, modules, end]) =>
      modules!
        .split(/\s+(?![<>=\d])/)
        .map((one) => one.trim().split(/(?:(?<!\s)\s+)?[<>=]/)[0]!)
        .filter((one) => /^[\w.+-]+$/.test(one))
        .map((one) => needed(one, 'configure.ac', end === ')')),
  );
}

function frameworksOf(texts: Survey['texts']): string[] {
  const all = Object.entries(texts)
    .filter(([path]) => /(CMakeLists\.txt|meson\.build|[Mm]akefile(\.am|\.in)?)$/.test(path))
    .map(([, text]) => text)
    .join('\n');
  const found: string[] = [];
  if (/\b(enable_testing|add_test|include\s*\(\s*CTest)\b/i.test(all)) found.push('ctest');
  if (
    /^[ \t]*test\s*\(/m.test(texts['meson.build'] ?? '') ||
    Object.entries(texts).some(([path, text]) => path.endsWith('meson.build') && /\btest\(/.test(text))
  )
    found.push('meson');
  if (/^(check_PROGRAMS|TESTS)\b|\bcheck_PROGRAMS\b/m.test(all)) found.push('automake');
  if (/^(check|tests?)\s*:/m.test(all)) found.push('make');
  return found;
}
