import { posixCksum } from '../roles/rules/cksum';
import { MOST_CHARS, MOST_PATHS, type Survey } from './survey';

/** Folders of other people's code, of data, and of what tools made: nothing in them says how this project is built. */
const FOREIGN =
  /^(\.git|\.hg|\.svn|node_modules|vendor|third_?party|\.venv|venv|\.tox|\.nox|testdata|fixtures|__pycache__|dist|target|site-packages)$/i;

/** Deeper files belong to examples and fixtures; workspaces keep their members above this. */
const DEEPEST = 4;

const BY_NAME: readonly RegExp[] = [
  // Python
  /^(pyproject\.toml|setup\.(py|cfg)|tox\.(ini|toml)|noxfile\.py|\.?pytest\.(ini|toml)|conftest\.py|Pipfile|manage\.py)$/,
  /^(dev-?|test-?|tests-?|docs?-?)?requirements?([-_.][\w.-]+)?\.(txt|in|pip)$/i,
  /^[\w.-]*requirements?\.(txt|in)$/i,
  /^constraints[\w.-]*\.txt$/,
  /^(environment\.ya?ml|PKG-INFO|MANIFEST\.in|\.python-version|runtime\.txt)$/,
  // Node.js
  /^(package\.json|pnpm-workspace\.yaml|\.nvmrc|\.node-version|\.npmrc|\.yarnrc(\.yml)?)$/,
  // Go, Rust
  /^(go\.(mod|work)|Cargo\.toml|rust-toolchain(\.toml)?|\.tool-versions)$/,
  // C, C++
  /^(CMakeLists\.txt|CMakePresets\.json|meson\.build|meson_options\.txt|meson\.options|configure\.(ac|in))$/,
  /^(GNU)?[Mm]akefile(\.(am|in|linux|unix))?$/,
  // Java
  /^(pom\.xml|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|gradle\.properties|gradle-wrapper\.properties|maven-wrapper\.properties)$/,
  // What people and machines do to build it
  /^(README|CONTRIBUTING|INSTALL|HACKING|TESTING|DEVELOPMENT|BUILDING)(\.(md|rst|txt|adoc))?$/i,
  /^(docker-)?compose(\.[\w-]+)?\.ya?ml$/,
  /^(Dockerfile|justfile|Taskfile\.ya?ml|\.travis\.ya?ml|apt\.txt|packages\.txt)$/i,
];

const BY_PATH: readonly RegExp[] = [
  /^\.github\/workflows\/[^/]+\.ya?ml$/,
  /^\.circleci\/config\.yml$/,
  /^debian\/(control|rules)$/,
  /(^|\/)requirements\/[\w.-]+\.(txt|in)$/,
  /^(tests?\/)?(run_?tests?|all_?tests?|test_all)\.(py|sh)$/,
  /^tests?\/__init__\.py$/,
];

/** Whether the text of a file says how a project is built, tested or run, so that a survey keeps it. */
export function isMarker(path: string): boolean {
  const parts = path.split('/');
  if (parts.length > DEEPEST || parts.slice(0, -1).some((part) => FOREIGN.test(part))) return false;
  const name = parts.at(-1)!;
  return BY_NAME.some((pattern) => pattern.test(name)) || BY_PATH.some((pattern) => pattern.test(path));
}

/** Whether a path lies in a folder of other people's code or of data. */
export function isForeign(path: string): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((part) => FOREIGN.test(part));
}

const CODE = /\.(py|[cm]?[jt]sx?|go|rs|c|cc|cpp|cxx|h|hh|hpp|java|kt|t|pl|pm|sh)$/;

/** An empty text may stand for a link, one that was no text is not what it was. */
function isDigested(path: string, text: string): boolean {
  const whole = text.length > 0 && text.length <= MOST_CHARS && !text.includes('\uFFFD');
  return whole && CODE.test(path) && !isForeign(path);
}

/** Of every file its path, of marker files the text as well; `null` stands for a text that is not at hand. */
export function surveyOf(files: Iterable<readonly [path: string, text: string | null]>): Survey {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const texts: Record<string, string> = {};
  const digests: Record<string, string> = {};
  for (const [at, [path, text]] of sorted.entries()) {
    if (text === null) continue;
    if (isMarker(path)) texts[path] = text.replace(/^\uFEFF/, '').slice(0, MOST_CHARS);
    if (at < MOST_PATHS && isDigested(path, text)) digests[path] = posixCksum(text);
  }
  return { paths: sorted.slice(0, MOST_PATHS).map(([path]) => path), texts, digests };
}
