import type { Survey } from './survey';
import { readJson, tablesOf } from './tables';

/** Options that turn a project's tests on, where they are off unless somebody says so. */
export interface TestOptions {
  /** Variables of CMake. */
  readonly cmake: readonly string[];
  /** As Meson takes them: `tests=true`. */
  readonly meson: readonly string[];
}

export function testOptionsOf({ texts }: Survey): TestOptions {
  const cmake = [...declaredOff(texts['CMakeLists.txt'] ?? ''), ...presetOn(texts['CMakePresets.json'])];
  return {
    cmake: [...new Set(cmake)].filter((name) => isForTests(name) && name !== 'BUILD_TESTING'),
    meson: mesonOptions(texts['meson.options'] ?? texts['meson_options.txt'] ?? ''),
  };
}

/** `TEST_WITH_VALGRIND` and the like say how, not whether; others turn on what is no test of the project. */
const isForTests = (name: string) =>
  /TEST(S|ING)?$|(^|[_-])(BUILD|ENABLE)[_-]TEST/i.test(name) &&
  !/SAN|COVERAGE|FUZZ|BENCH|INSTALL|DISABLE|NO[_-]|WITHOUT|PERF/i.test(name);

const OFF = /^(OFF|FALSE|NO|N|0|\$\{.*)$/i;

/** `option(NAME "why" OFF)`, without a value too, the same under a condition, and `set(NAME OFF CACHE BOOL "why")`. */
function declaredOff(text: string): string[] {
  const calls = text
    .replace(/^[ \t]*#.*$/gm, '')
    .matchAll(/\b(option|cmake_dependent_option|set)\s*\(((?:"(?:[^"\\]|\\.)*"|[^"()])*)\)/gi);
  return [...calls].flatMap(([, command, given]) => {
    const [name = '', ...rest] = given!.match(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[^\s"]+/g) ?? [];
    const isSet = command!.toLowerCase() === 'set';
    // What is forced is set again over whatever was given.
    if (isSet && (rest[1] !== 'CACHE' || rest[2] !== 'BOOL' || rest.includes('FORCE'))) return [];
    return OFF.test((isSet ? rest[0] : rest[1]) ?? 'OFF') ? [name] : [];
  });
}

/** Variables that one of the project's own presets sets: its developers test with that. */
function presetOn(text: string | undefined): string[] {
  const presets = readJson(text).configurePresets;
  return (Array.isArray(presets) ? presets : []).flatMap((preset: unknown) =>
    Object.entries(tablesOf(tablesOf(preset).cacheVariables))
      .filter(([, given]) => /^(ON|TRUE|YES|1)$/i.test(String(tablesOf(given).value ?? given)))
      .map(([name]) => name),
  );
}

function mesonOptions(text: string): string[] {
  const calls = text
    .replace(/^[ \t]*#.*$/gm, '')
    .matchAll(/\boption\s*\(\s*'([^']+)'((?:'(?:[^'\\]|\\.)*'|[^'()])*)\)/g);
  return [...calls].flatMap(([, name, given]) => {
    if (!isForTests(name!)) return [];
    const type = /\btype\s*:\s*'(\w+)'/.exec(given!)?.[1];
    const value = /\bvalue\s*:\s*'?(\w+)/.exec(given!)?.[1];
    if (type === 'boolean' && value === 'false') return [`${name}=true`];
    return type === 'feature' && value === 'disabled' ? [`${name}=enabled`] : [];
  });
}
