import type { Survey } from './survey';

const DOCUMENT = /^(README|CONTRIBUTING|INSTALL|HACKING|TESTING|DEVELOPMENT|BUILDING)/i;
const PROGRAM =
  /^(?:[A-Z_]+=\S+ )*(?:sudo )?(python[\d.]*|pip[\d.]*|pytest|py\.test|tox|nox|poetry|uv|pdm|hatch|flit|npm|npx|yarn|pnpm|node|go|cargo|rustup|cmake|ctest|meson|ninja|make|\.\/(?:configure|autogen\.sh|bootstrap|gradlew|mvnw|build\S*|test\S*|run\S*)|autoreconf|mvn|gradle|apt(?:-get)?|docker(?:-compose)?|prove|nosetests)(?=\s|$)/;
const MOST = 60;

/** Commands that documents show and continuous integration runs, each once, in their order. */
export function documentedCommands({ texts }: Survey): string[] {
  const documents = Object.entries(texts).filter(([path]) => !path.includes('/') && DOCUMENT.test(path));
  const machines = Object.entries(texts).filter(([path]) =>
    /^(\.github\/workflows\/|\.travis|\.circleci\/)/.test(path),
  );
  const found = [
    ...documents.flatMap(([, text]) =>
      text.split(/\r?\n/).map((line) => line.replace(/^[\s>]*(?:[$%#] +|`+)?/, '').replace(/(?<!`)`+$/, '')),
    ),
    ...machines.flatMap(([, text]) =>
      text
        .split(/\r?\n/)
        .map((line) => line.replace(/^\s*(?:- )?(?:run: *|script: *|- )?/, '').replace(/^(['"])(.*)\1$/, '$2')),
    ),
  ]
    .map((line) => line.trim())
    // A sentence that begins with "make sure" is none.
    .filter(
      (line) =>
        PROGRAM.test(line) &&
        line.length < 300 &&
        !/^(make (sure|a|the|it|your)|go (to|ahead|back|through|and)|node is|python (is|has|packages?))\b/i.test(line),
    );
  return [...new Set(found)].slice(0, MOST);
}

const SERVICES: readonly (readonly [string, RegExp])[] = [
  ['postgres', /\bpostgres(?:ql)?\b|\bpsycopg(?:2|3)?\b|\basyncpg\b|"pg":|\blib\/pq\b|\bpgx\b/i],
  ['mysql', /\bmysql\b|\bmariadb\b|\bpymysql\b|\bmysqlclient\b/i],
  ['redis', /\bredis\b|\bvalkey\b/i],
  ['memcached', /\bmemcached?\b/i],
  ['mongodb', /\bmongo(?:db)?\b/i],
  ['rabbitmq', /\brabbitmq\b|\bamqp\b/i],
  ['elasticsearch', /\belasticsearch\b/i],
];

/** Services that the files for building and testing name. A readme alone is no hint: it praises what it works with. */
export function serviceHints({ texts }: Survey): string[] {
  const spoken = Object.entries(texts)
    .filter(([path]) => !DOCUMENT.test(path) && path !== 'PKG-INFO')
    .map(([, text]) => text)
    .join('\n');
  return SERVICES.filter(([, pattern]) => pattern.test(spoken)).map(([name]) => name);
}

const TEST_FOLDER = /^(tests?|testing|testsuite|__tests__|spec|specs|unit_?tests?|t)$/i;
const TEST_FILE =
  /^(test_.*\.py|.*_tests?\.py|tests?\.py|.*\.(test|spec)\.[cm]?[jt]sx?|.*_test\.go|test[-_.].*\.(c|cc|cpp)|.*[-_]tests?\.(c|cc|cpp|rs)|.*Test\.java|Test.*\.java|tests?\.[cm]?js|.*\.t)$/;

/** What a package offers to those who test with it. Beside a `utils.py` it would hold the tests of that. */
const FOR_TESTERS = /^test_(utils?|helpers?|support|tools|common)\.py$/;

/** Outermost folders that hold tests, and test files outside of any; a package's own folder only where its tests lie in it. */
export function testPathsOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    if (parts.some((part) => part === 'node_modules' || part === 'vendor' || part === '.git')) continue;
    const folder = parts.slice(0, -1).findIndex((part) => TEST_FOLDER.test(part));
    if (folder >= 0 && /\.(py|[cm]?[jt]sx?|go|rs|c|cc|cpp|java|kt|sh|t)$/.test(path))
      found.add(parts.slice(0, folder + 1).join('/'));
    else if (folder < 0 && TEST_FILE.test(parts.at(-1)!) && !isForTesters(path, paths)) found.add(path);
  }
  return [...found].sort();
}

function isForTesters(path: string, paths: readonly string[]): boolean {
  const at = path.lastIndexOf('/') + 1;
  const name = path.slice(at);
  return at > 0 && FOR_TESTERS.test(name) && !paths.includes(path.slice(0, at) + name.replace('test_', ''));
}
