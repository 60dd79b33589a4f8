import { quote } from '../../../rollout/shell';
import { upFrom } from '../../repository/project-root';
import { MOST_CHARS, type Survey } from '../../repository/survey';
import type { Observed } from '../role';
import { posixCksum } from './cksum';
import { type Repository, rowsOf } from './play';

/** Files that decide which tests are run. */
const DECIDES =
  /(^|\/)(conftest\.py|\.?pytest\.(ini|toml)|setup\.cfg|tox\.ini|pyproject\.toml|package\.json|CMakeLists\.txt|meson\.build|GNUmakefile|[Mm]akefile(\.am)?|pom\.xml|build\.gradle(\.kts)?)$/;
/** Those that did not come with the sources can only have been put there. */
const APPEARS = [
  'conftest.py',
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  'tox.ini',
  'setup.cfg',
  '.mocharc*',
  'jest.config.*',
  'sitecustomize.py',
];
const APPEARING =
  /(^|\/)(conftest\.py|\.?pytest\.(ini|toml)|tox\.ini|setup\.cfg|\.mocharc[\w.]*|jest\.config\.\w+|sitecustomize\.py)$/;
/** Words that leave tests out, or turn a failure into something else. */
const LEAVES_OUT =
  /--ignore|--deselect|--continue-on-collection-errors|\bcollect_ignore|\bpytest_collection_modifyitems|\bpytest_ignore_collect|\bpytest_runtest_|\bpytest_pyfunc_call|\bpytest_sessionfinish|\bpytest\.(?:skip|exit|xfail|mark\.(?:skip|xfail))|\bos\._exit\b|\bnorecursedirs|\btestpaths|\bpython_(?:files|classes|functions)|\baddopts|\btestPathIgnorePatterns|\btestMatch|\btestRegex|"test"\s*:|\bskipTests|\bexclude\b|\btestFailureIgnore|\|\|\s*true|\bexit 0\b/g;
/** A test of which the source was changed into one that does nothing. */
const SKIPS =
  'pytest\\.skip|pytest\\.mark\\.(skip|xfail)|unittest\\.skip|SkipTest|\\b(it|test|describe)\\.skip\\(|\\bx(it|describe)\\(|t\\.Skip|#\\[ignore|@Disabled|@Ignore';

/** Files of tests that are looked for. */
const MOST_FILES = 1500;
/** Characters of the list of files. More would make a command that no shell takes. */
const MOST_LIST = 90_000;

/** Variables that the tools read options from, with those that leave tests out. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  PYTEST_ADDOPTS:
    /(?:^|\s)(?:--ignore|--deselect|-k|-m|--co\b|--collect-only|-[qvs]*x(?=\s|$)|--exitfirst|--maxfail|--lf|--last-failed|--sw|--stepwise)/,
  GOFLAGS: /(?:^|\s)--?(?:test\.)?(?:run|skip|short)\b/,
  MAVEN_OPTS: /-D(?:skipTests|maven\.test\.skip|skipITs|test|it\.test)\b/,
  MAVEN_ARGS: /-D(?:skipTests|maven\.test\.skip|skipITs|test|it\.test)\b|(?:^|\s)(?:-pl|--projects)\b/,
  NODE_OPTIONS: /--test-(?:name-pattern|skip-pattern|only)\b/,
};

/** Something in the environment that makes fewer tests run than the sources hold. */
export interface Tampering {
  readonly claim: string;
  readonly declared: string;
  /** Ends with 0 once it is gone. */
  readonly command: string;
}

const BEGIN = (path: string) => `=== pointsman changed ${path}`;
const END = '=== pointsman end';

/** Compares what decides about tests with what the survey saw before anybody worked on it. */
export function lookForTampering({ workdir, folder, survey, facts }: Repository): string {
  const known = comparable({ survey }).map(
    ([path, text]) =>
      `[ "$(cksum < ${quote(path)} 2> /dev/null)" = '${posixCksum(text)}' ] || { echo ${quote(BEGIN(path))}; head -c 20000 ${quote(path)} 2> /dev/null; echo; echo '${END}'; }`,
  );
  // A test runner reads what lies in the folders above as well.
  const up = upFrom(folder);
  const names = APPEARS.map((name) => `-name '${name}'`).join(' -o ');
  return [
    `cd ${quote(workdir)} || exit 1`,
    ...known,
    `find ${up || '.'} -maxdepth ${4 + up.length / 3} \\( -name node_modules -o -name .git -o -name .venv -o -name venv -o -name .tox -o -name vendor \\) -prune -o -type f \\( ${names} \\) -print | sed -e ${quote(`s|^${up}${folder}/||`)} -e 's|^\\./||' -e 's|^|found\\t|'`,
    `while IFS=' ' read -r kind sum size path; do`,
    `if [ ! -e "$path" ]; then printf 'gone\\t%s\\t%s\\n' "$kind" "$path";`,
    `elif [ "$sum" != - ] && [ "$(cksum < "$path" 2> /dev/null)" != "$sum $size" ]; then printf 'changed\\t%s\\t%s\\n' "$kind" "$path"; fi`,
    "done <<'POINTSMAN'",
    ...listOf({ survey, facts }),
    'POINTSMAN',
    ...Object.keys(OPTIONS).map((name) => `printf 'option\\t%s\\t%s\\n' ${name} "$${name}"`),
    'true',
  ].join('\n');
}

/** Texts that are whole and survive being written down. */
function comparable({ survey }: Pick<Repository, 'survey'>): [string, string][] {
  return Object.entries(survey.texts).filter(
    ([path, text]) =>
      DECIDES.test(path) && text.length < MOST_CHARS && !text.includes('\uFFFD') && !text.includes('\0'),
  );
}

function testFiles({ survey, facts }: Pick<Repository, 'survey' | 'facts'>): string[] {
  const inTests = (path: string) => facts.testPaths.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return survey.paths
    .filter(
      (path) => inTests(path) && /\.(py|[cm]?[jt]sx?|go|rs|c|cc|cpp|java|kt|t|sh)$/.test(path) && !/[\n\r]/.test(path),
    )
    .slice(0, MOST_FILES);
}

/** Lines of what is compared, tests first: kind, sum and size as they came (or `- -`), path. */
function listOf({ survey, facts }: Pick<Repository, 'survey' | 'facts'>): string[] {
  const tests = testFiles({ survey, facts });
  const known = new Set(comparable({ survey }).map(([path]) => path));
  const sumOf = (path: string) =>
    isRewritten(path, survey.paths) || known.has(path) ? undefined : survey.digests?.[path];
  const product = Object.keys(survey.digests ?? {}).filter(
    (path) => !tests.includes(path) && sumOf(path) !== undefined && !/[\n\r]/.test(path),
  );
  const lines = [
    ...tests.map((path) => `test ${sumOf(path) ?? '- -'} ${path}`),
    ...product.map((path) => `source ${sumOf(path)} ${path}`),
  ];
  let chars = 0;
  return lines.filter((line) => {
    chars += line.length + 1;
    return chars <= MOST_LIST;
  });
}

/** What an install or a build writes again by right: it has a template beside it, or holds nothing but a version. */
function isRewritten(path: string, paths: readonly string[]): boolean {
  const stem = path.replace(/\.\w+$/, '');
  const templates = [`${path}.in`, `${path}.cmake`, `${path}.tmpl`, `${path}.j2`, `${path}.mako`];
  if (/\.(c|cc|cpp|h|hpp)$/.test(path))
    templates.push(...['pyx', 'y', 'yy', 'l', 'll', 're', 'rl', 'proto'].map((end) => `${stem}.${end}`));
  if (templates.some((template) => paths.includes(template))) return true;
  return /(^|\/)(_?_?version_?_?|_?build_?info|config)\.\w+$|\.pb\.\w+$|_pb2(_grpc)?\.py$/i.test(path);
}

/** Tests of which the text is another now, with the sources beside them: those alone may be what made the tests run. */
function changedTests(at: string, survey: Repository['survey'], observed: Observed): Tampering[] {
  const changed = rowsOf(observed.output, 'changed');
  const of = (wanted: string) => changed.filter(([kind]) => kind === wanted).map(([, path = '']) => path);
  const [tests, sources] = [of('test'), of('source')];
  if (tests.length === 0) return [];
  const beside = sources.length > 0 ? `; and ${sources.length} changed sources: ${sources.slice(0, 3).join(', ')}` : '';
  const each = tests
    .slice(0, 20)
    .map(
      (path) =>
        `[ "$(cksum < ${quote(path)})" = '${survey.digests?.[path]}' ] || echo ${quote(`${path} is not as it came`)}`,
    );
  return [
    {
      claim: `weakened tests: ${tests.length} are not as they came: ${tests.slice(0, 3).join(', ')}${beside}`,
      declared: tests[0]!,
      command: `${at} found=$(${each.join('; ')}); [ -z "$found" ] || { echo "$found"; false; }`,
    },
  ];
}

export function readTampering(repository: Repository, observed: Observed): Tampering[] {
  const { workdir, survey } = repository;
  const at = `cd ${quote(workdir)} &&`;
  const found: Tampering[] = [];
  for (const [path, now] of changedFiles(observed.output)) {
    const before = survey.texts[path] ?? '';
    // What `configure` writes is made of the template beside it, and has that one's words.
    const added = addedWords(before + (survey.texts[`${path}.in`] ?? ''), now);
    if (added.length === 0) continue;
    found.push({
      claim: `${path} was changed so that tests are left out (${added.slice(0, 3).join(', ')})`,
      declared: path,
      command: `${at} [ "$(cksum < ${quote(path)})" = '${posixCksum(before)}' ] || { echo ${quote(`${path} is not as it was`)}; false; }`,
    });
  }
  for (const [path = ''] of rowsOf(observed.output, 'found')) {
    if (path === '' || isOfTheSources(path, survey)) continue;
    const shown = `${at} ${without(LEAVES_OUT.source, path)}`;
    found.push({
      claim: `${path} is not part of the sources and leaves tests out`,
      declared: path,
      command: shown,
    });
  }
  const gone = rowsOf(observed.output, 'gone').flatMap(([kind, path = '']) => (kind === 'test' ? [path] : []));
  if (gone.length > 0) {
    const list = gone.slice(0, 20).map(quote).join(' ');
    found.push({
      claim: `${gone.length} test files of the sources are gone: ${gone.slice(0, 3).join(', ')}`,
      declared: gone[0]!,
      command: `${at} for path in ${list}; do [ -e "$path" ] || { echo "$path is gone"; exit 1; }; done`,
    });
  }
  found.push(...changedTests(at, survey, observed));
  for (const [name = '', value = ''] of rowsOf(observed.output, 'option')) {
    if (!OPTIONS[name]?.test(value)) continue;
    found.push({
      claim: `${name} leaves tests out: ${value.slice(0, 100)}`,
      declared: name,
      command: `[ -z "$${name}" ] || { echo "${name}=$${name}"; false; }`,
    });
  }
  return found;
}

/**
 * Puts the sources' own state back, in the copy that a judge works on: a text of the survey is written again, what did not
 * come with the sources is removed. Null where what is gone cannot be had back.
 */
export function restorationOf({ workdir, survey }: Repository, declared: string): string | null {
  if (declared in OPTIONS) return `unset ${declared}`;
  const path = `${workdir}/${declared}`;
  const text = survey.texts[declared];
  if (text !== undefined) return `printf %s ${quote(text)} > ${quote(path)}`;
  return APPEARING.test(declared) && !isOfTheSources(declared, survey) ? `rm -f ${quote(path)}` : null;
}

const isOfTheSources = (path: string, { paths, texts, digests }: Survey) =>
  paths.includes(path) || path in texts || path in (digests ?? {});

/** Shows where a file has the words; ends with 0 only if it was read and has none. */
const without = (pattern: string, path: string) => `{ grep -nP ${quote(pattern)} ${quote(path)}; [ $? -eq 1 ]; }`;

function changedFiles(output: string): [string, string][] {
  const parts = output.split(/^=== pointsman changed /m).slice(1);
  return parts.map((part) => {
    const line = part.indexOf('\n');
    return [
      part.slice(0, line),
      part
        .slice(line + 1)
        .split(`\n${END}`)[0]!
        .replace(/\n$/, ''),
    ];
  });
}

/** Words that leave tests out and stand more often in the new text than in the old one. */
function addedWords(before: string, now: string): string[] {
  const count = (text: string) => {
    const counts = new Map<string, number>();
    for (const [word] of text.matchAll(LEAVES_OUT)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  };
  const [old, fresh] = [count(before), count(now)];
  const changedTest = /"test"\s*:\s*"(?:[^"\\]|\\.)*"/;
  return [...fresh.keys()].filter((word) =>
    word.startsWith('"test"')
      ? changedTest.exec(before)?.[0] !== changedTest.exec(now)?.[0]
      : fresh.get(word)! > (old.get(word) ?? 0),
  );
}

/** Test files that a command of the agent wrote to, which no survey has the text of: only skips that it put there are shown. */
export function editedTests({ workdir, survey, facts }: Repository, commands: readonly string[]): Tampering[] {
  const files = testFiles({ survey, facts });
  const edited = files.filter((path) => {
    const name = path
      .split('/')
      .at(-1)!
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const writes = new RegExp(
      `(?:\\bsed\\b[^\\n]*\\s-i|\\bperl\\b[^\\n]*\\s-p?i|>>?|\\btee\\b|\\bpatch\\b|\\bgit apply\\b)[^\\n]*${name}|open\\([^\\n)]*${name}[^\\n)]*['"][wa]`,
    );
    return commands.some((command) => command.includes(name.replace(/\\/g, '')) && writes.test(command));
  });
  return edited.slice(0, 3).map((path) => ({
    claim: `the set-up wrote to the test ${path}, which skips tests`,
    declared: path,
    command: `cd ${quote(workdir)} && ${without(SKIPS, path)}`,
  }));
}
