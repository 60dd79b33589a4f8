import { testPathsOf } from './documents';
import { languagesOf } from './languages';
import { isForeign } from './markers';
import type { Survey } from './survey';

/** Folders that show, document or package a project: a manifest in one of them is not the project's. */
const ASIDE =
  /^(docs?|documentation|examples?|samples?|demos?|tests?|benchmarks?|tools|scripts|contrib|ci|packaging|debian|\..*)$/i;
/** What machines and packagers read lies in the repository's root and speaks of all of it. */
const OF_THE_WHOLE = /^(\.github\/workflows\/|\.travis|\.circleci\/|debian\/)/;
const NAME = /^[\w.+-]+$/;
const DEEPEST = 2;

/** What builds a project; other manifests only configure tools. */
const MANIFEST =
  /^(setup\.py|pyproject\.toml|package\.json|go\.(mod|work)|Cargo\.toml|CMakeLists\.txt|meson\.build|configure(\.ac|\.in)?|pom\.xml|(build|settings)\.gradle(\.kts)?)$/;

/**
 * The folder that the project lies in, empty for the root of the repository. It is another one only where nothing in the root
 * can be built or run, no tests lie outside, and one folder alone has a manifest: which of several is meant, nobody says. Go finds its
 * modules itself.
 */
export function projectRoot(survey: Survey): string {
  const { paths } = survey;
  if (languagesOf(rootOf(survey)).length > 0) return '';
  for (let depth = 1; depth <= DEEPEST; depth++) {
    const manifests = paths.filter((path) => isManifestAt(path, depth));
    const folders = [...new Set(manifests.map((path) => path.slice(0, path.lastIndexOf('/'))))];
    if (folders.length === 0) continue;
    const [folder] = folders as [string];
    const outside = paths.filter((path) => !path.startsWith(`${folder}/`));
    if (folders.length > 1 || testPathsOf(outside).length > 0) return '';
    const [language] = languagesOf(within(survey, folder));
    return language === undefined || language === 'go' ? '' : folder;
  }
  return '';
}

function isManifestAt(path: string, depth: number): boolean {
  const parts = path.split('/');
  const folders = parts.slice(0, -1);
  return (
    folders.length === depth &&
    MANIFEST.test(parts.at(-1)!) &&
    !isForeign(path) &&
    folders.every((folder) => NAME.test(folder) && !ASIDE.test(folder))
  );
}

/** Only what lies in the root itself. */
function rootOf({ paths, texts }: Survey): Survey {
  const isThere = (path: string) => !path.includes('/');
  const inRoot = Object.entries(texts).filter(([path]) => isThere(path));
  return { paths: paths.filter(isThere), texts: Object.fromEntries(inRoot) };
}

/** The survey as it is from a folder. What lies outside has no path any more; texts and sums of it tell who changes it. */
function within({ paths, texts, digests }: Survey, folder: string): Survey {
  const isInside = (path: string) => path.startsWith(`${folder}/`);
  const own = (path: string) => path.slice(folder.length + 1);
  const seen = (path: string) => (isInside(path) ? own(path) : upFrom(folder) + path);
  const moved = (entries: Survey['texts'], name: (path: string) => string) =>
    Object.fromEntries(Object.entries(entries).map(([path, value]) => [name(path), value]));
  return {
    paths: paths.filter(isInside).map(own),
    texts: moved(texts, (path) => (OF_THE_WHOLE.test(path) ? path : seen(path))),
    ...(digests ? { digests: moved(digests, seen) } : {}),
  };
}

/** From a folder to the root of its repository: `../` for each part of it. */
export const upFrom = (folder: string) => (folder === '' ? '' : '../'.repeat(folder.split('/').length));

/** A repository with work directory and survey of the project in it; `folder` is where that lies, empty for the root. */
export function atProjectRoot<Given extends { readonly workdir: string; readonly survey: Survey }>(
  given: Given,
): Given & { readonly folder: string } {
  const folder = projectRoot(given.survey);
  if (folder === '') return { ...given, folder };
  return { ...given, folder, workdir: `${given.workdir}/${folder}`, survey: within(given.survey, folder) };
}
