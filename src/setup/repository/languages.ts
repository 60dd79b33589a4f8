import type { Language, ManifestFacts } from './facts';
import { goFacts } from './manifests/go';
import { javaFacts } from './manifests/java';
import { nativeFacts } from './manifests/native';
import { nodeFacts } from './manifests/node';
import { pythonFacts } from './manifests/python';
import { rustFacts } from './manifests/rust';
import { isForeign } from './markers';
import type { Survey } from './survey';

/** How a language is known by the files of a repository, and who reads its manifests. */
export interface LanguageFiles {
  /** Its source files. */
  readonly sources: RegExp;
  /** A file in the root that makes the project one of this language, whatever else lies there. */
  readonly strong: RegExp;
  /** A file in the root that hints at it. */
  readonly weak?: RegExp;
  /** Its files run without a manifest. */
  readonly script?: true;
  readonly manifests: (survey: Survey) => ManifestFacts;
  /**
   * What its package manager or build tool says when something it needs was never installed. Not the network's fault: tests
   * run without. Read only where the project is of that language: others use such words for matters of their own.
   */
  readonly notInstalled?: RegExp;
}

const NATIVE = {
  strong: /^(CMakeLists\.txt|meson\.build|configure(\.ac|\.in)?)$/,
  weak: /^(GNU)?[Mm]akefile$/,
  script: true,
  manifests: nativeFacts,
} as const;

export const LANGUAGES: Readonly<Record<Language, LanguageFiles>> = {
  python: {
    sources: /\.pyi?$/,
    strong: /^(setup\.py|setup\.cfg|Pipfile)$/,
    weak: /^(pyproject\.toml|[\w.-]{0,200}requirements[\w.-]{0,200}\.txt|tox\.(ini|toml)|noxfile\.py|environment\.ya?ml)$/,
    script: true,
    manifests: pythonFacts,
  },
  node: { sources: /\.([cm]?[jt]s|[jt]sx)$/, strong: /^package\.json$/, manifests: nodeFacts },
  go: {
    sources: /\.go$/,
    strong: /^go\.(mod|work)$/,
    script: true,
    manifests: goFacts,
    notInstalled:
      /\bno required module provides package\b|\bcannot find (?:module providing )?package\b|\bmissing go\.sum entry\b|\bmodule lookup disabled\b|^go: .*(?:dial tcp|Get "|no such host)|: (?:Get "https?:|dial tcp).{0,300}\bgo\.mod\b/m,
  },
  rust: {
    sources: /\.rs$/,
    strong: /^Cargo\.toml$/,
    manifests: rustFacts,
    notInstalled:
      /^[ \t]*(?:error: )?failed to (?:(?:get|download|fetch) `|download from\b|load source for dependency\b)|\bno matching package named\b|\b[Uu]nable to update (?:registry\b|https?:)|\battempting to make an HTTP request, but --offline\b|\bcan't find crate for\b|\bunresolved import\b/m,
  },
  c: { ...NATIVE, sources: /\.c$/ },
  cpp: { ...NATIVE, sources: /\.(cc|cpp|cxx|hpp|hh|hxx|ipp)$/ },
  java: {
    sources: /\.(java|kt|scala|groovy)$/,
    strong: /^(pom\.xml|(build|settings)\.gradle(\.kts)?)$/,
    manifests: javaFacts,
    notInstalled:
      /\bCould not resolve dependencies\b|\bor one of its dependencies could not be resolved\b|^(?!\[INFO\]).*\bin offline mode\b|\bCannot access .{0,300} in offline\b|\bNo cached version of\b|\bpackage [\w.]+ does not exist\b|\bNoClassDefFoundError\b|\bClassNotFoundException\b/m,
  },
};

/**
 * Languages with something to build or run, the main one first. A manifest in the root weighs more than files do, and a
 * Python package's more than that of the extension inside of it, because the package builds the extension.
 */
export function languagesOf(survey: Survey): Language[] {
  const root = survey.paths.filter((path) => !path.includes('/'));
  const sources = survey.paths.filter((path) => !isForeign(path));
  const count = (pattern: RegExp) => sources.filter((path) => pattern.test(path)).length;
  const counts = (Object.keys(LANGUAGES) as Language[]).map(
    (language) => [language, count(LANGUAGES[language].sources)] as const,
  );
  const all = counts.reduce((sum, [, files]) => sum + files, 0) || 1;
  // A Makefile beside nothing that we know is taken for C's; beside Go it only calls Go.
  const lonely = counts.every(([, files]) => files === 0);
  const cpp = counts.find(([language]) => language === 'cpp')![1] > 0;
  return counts
    .map(([language, files]) => {
      const strong =
        root.some((path) => LANGUAGES[language].strong.test(path)) || (language === 'python' && isPackage(survey));
      const weak = root.some((path) => LANGUAGES[language].weak?.test(path));
      const manifest = strong ? (language === 'python' ? 2 : 1) : weak ? 0.3 : 0;
      // CMake and Make speak of both: the one that has files is meant, and C alone where there are none of the other.
      const own =
        language === 'cpp' || language === 'c'
          ? files > 0 || (language === 'c' && !cpp && (strong || (weak && lonely)))
          : true;
      return { language, weight: own ? manifest + files / all : 0, manifest, files };
    })
    .filter(
      ({ weight, manifest, files, language }) =>
        weight > 0 && (manifest > 0 || (files > 0 && LANGUAGES[language].script === true)),
    )
    .sort((a, b) => b.weight - a.weight)
    .map(({ language }) => language);
}

/** A pyproject.toml that only configures a formatter makes no package. */
function isPackage({ texts }: Survey): boolean {
  return /^[ \t]*\[(project|build-system|tool\.poetry|tool\.flit\.metadata)\]/m.test(texts['pyproject.toml'] ?? '');
}
