import type { Language } from './facts';
import { isForeign } from './markers';
import type { Survey } from './survey';

const SOURCES: Readonly<Record<Language, RegExp>> = {
  python: /\.pyi?$/,
  node: /\.([cm]?[jt]s|[jt]sx)$/,
  go: /\.go$/,
  rust: /\.rs$/,
  c: /\.c$/,
  cpp: /\.(cc|cpp|cxx|hpp|hh|hxx|ipp)$/,
  java: /\.(java|kt|scala|groovy)$/,
};

/** A file in the root that makes the project one of this language, whatever else lies there. */
const STRONG: Readonly<Record<Language, RegExp>> = {
  python: /^(setup\.py|setup\.cfg|Pipfile)$/,
  node: /^package\.json$/,
  go: /^go\.(mod|work)$/,
  rust: /^Cargo\.toml$/,
  c: /^(CMakeLists\.txt|meson\.build|configure(\.ac|\.in)?)$/,
  cpp: /^(CMakeLists\.txt|meson\.build|configure(\.ac|\.in)?)$/,
  java: /^(pom\.xml|(build|settings)\.gradle(\.kts)?)$/,
};
const WEAK: Readonly<Partial<Record<Language, RegExp>>> = {
  python: /^(pyproject\.toml|[\w.-]*requirements[\w.-]*\.txt|tox\.(ini|toml)|noxfile\.py|environment\.ya?ml)$/,
  c: /^(GNU)?[Mm]akefile$/,
  cpp: /^(GNU)?[Mm]akefile$/,
};

/**
 * Languages with something to build or run, the main one first. A manifest in the root weighs more than files do, and a
 * Python package's more than that of the extension inside of it, because the package builds the extension.
 */
export function languagesOf(survey: Survey): Language[] {
  const root = survey.paths.filter((path) => !path.includes('/'));
  const sources = survey.paths.filter((path) => !isForeign(path));
  const count = (pattern: RegExp) => sources.filter((path) => pattern.test(path)).length;
  const counts = Object.entries(SOURCES).map(([language, pattern]) => [language as Language, count(pattern)] as const);
  const all = counts.reduce((sum, [, files]) => sum + files, 0) || 1;
  // A Makefile beside nothing that we know is taken for C's; beside Go it only calls Go.
  const lonely = counts.every(([, files]) => files === 0);
  const cpp = counts.find(([language]) => language === 'cpp')![1] > 0;
  return counts
    .map(([language, files]) => {
      const strong = root.some((path) => STRONG[language].test(path)) || (language === 'python' && isPackage(survey));
      const weak = root.some((path) => WEAK[language]?.test(path));
      const manifest = strong ? (language === 'python' ? 2 : 1) : weak ? 0.3 : 0;
      // CMake and Make speak of both: the one that has files is meant, and C alone where there are none of the other.
      const own =
        language === 'cpp' || language === 'c'
          ? files > 0 || (language === 'c' && !cpp && (strong || (weak && lonely)))
          : true;
      return { language, weight: own ? manifest + files / all : 0, manifest, files };
    })
    .filter(
      ({ weight, manifest, files, language }) => weight > 0 && (manifest > 0 || (files > 0 && isScript(language))),
    )
    .sort((a, b) => b.weight - a.weight)
    .map(({ language }) => language);
}

/** A pyproject.toml that only configures a formatter makes no package. */
function isPackage({ texts }: Survey): boolean {
  return /^\s*\[(project|build-system|tool\.poetry|tool\.flit\.metadata)\]/m.test(texts['pyproject.toml'] ?? '');
}

/** Languages whose files run without a manifest. */
const isScript = (language: Language) => ['python', 'go', 'c', 'cpp'].includes(language);
