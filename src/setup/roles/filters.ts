/** How one runner of tests is told to run fewer of them. */
interface Runner {
  /** Where its own arguments begin in the words of a command; -1: it is not this runner. */
  begins(words: readonly string[]): number;
  /** Options that choose among the tests, each with the name that people know it by. */
  readonly chooses: Readonly<Record<string, string>>;
  /** Options that take the next word, so that it is no name of a test. */
  readonly takes: RegExp;
  /** Whether a word that is no option names some of the tests, instead of all. */
  names(word: string): boolean;
}

const base = (word = '') => word.split('/').at(-1)!;

/** Behind a program, and the word after it where it has one for testing. */
const behind =
  (program: RegExp, task?: RegExp) =>
  (words: readonly string[]): number => {
    const at = words.findIndex((word) => program.test(base(word)));
    if (at < 0 || !task) return at < 0 ? -1 : at + 1;
    const then = words.findIndex((word, index) => index > at && task.test(word));
    return then < 0 ? -1 : then + 1;
  };

/** A folder that holds a whole suite, by what such folders are called. */
const isSuite = (path: string) => /(?:^|\/)(?:tests?|testing|specs?|__tests__|t)\/?$/.test(path);
const isGlob = (word: string) => /[*?{]/.test(word);
const isScript = (word: string) => /\.[cm]?[jt]sx?$/.test(word);
const choosing = (...options: readonly string[]) => Object.fromEntries(options.map((option) => [option, option]));
const named = (name: string, ...options: readonly string[]) =>
  Object.fromEntries(options.map((option) => [option, name]));

const RUNNERS: readonly Runner[] = [
  {
    begins: behind(/^(?:pytest|py\.test)(?:-\d)?$/),
    chooses: {
      ...choosing('-k', '-m', '--deselect', '--maxfail'),
      ...named('-x', '-x', '--exitfirst'),
      ...named('--ignore', '--ignore', '--ignore-glob'),
      ...named('--lf', '--lf', '--last-failed', '--ff', '--sw', '--stepwise'),
    },
    takes:
      /^(?:-[pcnorW]|--(?:maxfail|deselect|ignore|ignore-glob|tb|durations|rootdir|confcutdir|color|cov|cov-report|timeout|junitxml|basetemp|dist|import-mode|log-level|ds))$/,
    // A folder below the one of the suite, a file, or a test in it.
    names: (word) => /\.py$|::/.test(word) || (/^(?:\.\/)?(?:tests?|testing)\/./.test(word) && !isSuite(word)),
  },
  {
    begins: behind(/^python[\d.]*$/, /^unittest$/),
    chooses: choosing('-k'),
    takes: /^-[stp]$/,
    names: (word) => word !== 'discover' && /\.(?!\/|$)/.test(word) && !isSuite(word),
  },
  {
    begins: behind(/^go$/, /^test$/),
    chooses: choosing('-run', '-skip', '-short'),
    takes:
      /^-(?:run|skip|count|timeout|p|parallel|tags|coverprofile|covermode|coverpkg|bench|benchtime|cpu|mod|o|exec|ldflags|gcflags)$/,
    names: (word) => !/^(?:\.|\.\/\.\.\.|\.\.\.|all)$/.test(word),
  },
  {
    begins: behind(/^cargo$/, /^(?:test|nextest)$/),
    chooses: {
      ...choosing('--skip', '--exact', '--lib', '--bins', '--doc', '--test', '--exclude'),
      ...named('-p', '-p', '--package'),
    },
    takes:
      /^(?:-[pFjE]|--(?:package|test|bin|example|exclude|features|manifest-path|target|target-dir|jobs|profile|skip|test-threads|color|format))$/,
    names: (word) => word !== 'run',
  },
  {
    begins: behind(/^ctest$/),
    chooses: {
      ...named('-R', '-R', '--tests-regex'),
      ...named('-E', '-E', '--exclude-regex'),
      ...named('-L', '-L', '--label-regex'),
      ...named('-LE', '-LE', '--label-exclude'),
      ...named('-I', '-I', '--tests-information'),
      ...choosing('--rerun-failed', '--stop-on-failure'),
    },
    takes: /^./,
    names: () => false,
  },
  {
    begins: behind(/^meson$/, /^test$/),
    chooses: choosing('--suite', '--no-suite', '--maxfail'),
    takes:
      /^(?:-[Cjt]|--(?:suite|no-suite|maxfail|num-processes|timeout-multiplier|wrap(?:per)?|logbase|setup|test-args))$/,
    names: () => true,
  },
  {
    begins: behind(/^(?:g?make)$/),
    chooses: {},
    takes: /^-[Cfj]$/,
    names: (word) => /^TESTS=/.test(word),
  },
  {
    begins: behind(/^(?:jest|vitest)(?:\.js)?$/),
    chooses: {
      ...named('-t', '-t', '--testNamePattern'),
      ...choosing(
        '--testPathPattern',
        '--testPathPatterns',
        '--testPathIgnorePatterns',
        '--exclude',
        '--onlyChanged',
        '--bail',
      ),
    },
    takes:
      /^(?:-[cwt]|--(?:config|maxWorkers|env|environment|reporters?|testTimeout|coverageDirectory|project|root|rootDir|pool|testNamePattern|testPathPatterns?|testPathIgnorePatterns|exclude))$/,
    names: (word) => !/^(?:run|watch|dev|bench)$/.test(word) && !isSuite(word),
  },
  {
    begins: behind(/^_?mocha$/),
    chooses: {
      ...named('--grep', '-g', '--grep', '-f', '--fgrep'),
      ...choosing('--ignore', '--exclude'),
      ...named('--bail', '-b', '--bail'),
    },
    takes: /^(?:-[grfRtuj]|--(?:grep|fgrep|require|config|file|opts|reporter|timeout|ui|ignore|exclude|jobs|loader))$/,
    names: (word) => isScript(word) && !isGlob(word),
  },
  {
    begins: (words) => (words.includes('--test') ? behind(/^node$/)(words) : -1),
    chooses: choosing('--test-name-pattern', '--test-skip-pattern', '--test-only'),
    takes: /^(?:-r|--(?:require|import|loader|test-name-pattern|test-skip-pattern|test-reporter|test-concurrency))$/,
    names: (word) => isScript(word) && !isGlob(word),
  },
  {
    begins: behind(/^mvnw?$/),
    chooses: {
      ...named('-Dtest', '-Dtest', '-Dit.test', '-DskipTests', '-Dmaven.test.skip', '-DskipITs'),
      ...named('-pl', '-pl', '--projects'),
    },
    takes: /^(?:-pl|-f|--projects|--file)$/,
    names: () => false,
  },
  {
    begins: behind(/^gradlew?$/),
    chooses: { ...choosing('--tests'), ...named('--exclude-task', '-x', '--exclude-task') },
    takes: /^(?:-[xpb]|--(?:tests|exclude-task|project-dir))$/,
    names: () => false,
  },
];

/** What a run says when it ended before all tests had their turn, or left some out. */
const CUT: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: 'stopped after the first failures',
    pattern: /^!+ (?:stopping after|xdist\.dsession\.Interrupted: stopping) /m,
  },
  { name: 'tests deselected', pattern: /\b[1-9]\d* deselected\b/ },
  { name: 'tests filtered out', pattern: /\b[1-9]\d* filtered out\b/ },
];

/** Names of the filters that a test run had, by its command and by what it printed; empty: all tests had their turn. */
export function filtersOf(command: string, output: string): string[] {
  const asked = simpleCommands(command).flatMap((words) => askedOf(words));
  const said = CUT.filter(({ pattern }) => pattern.test(output)).map(({ name }) => name);
  return [...new Set(asked)].sort().concat(said);
}

/** Words of each command that a line of shell runs, quotes taken off. */
function simpleCommands(line: string): string[][] {
  const words =
    line.match(/'[^']*'|"(?:[^"\\]|\\.)*"|[;&|\n(){}]+|(?:[^\s;&|(){}'"\\]|\\.|=?'[^']*'|=?"[^"]*"|\{[^\s{}]*\})+/g) ??
    [];
  const commands: string[][] = [[]];
  for (const word of words) {
    if (/^[;&|\n(){}]+$/.test(word)) commands.push([]);
    else commands.at(-1)!.push(word.replace(/^(['"])(.*)\1$/s, '$2'));
  }
  return commands;
}

function askedOf(words: readonly string[]): string[] {
  for (const runner of RUNNERS) {
    const begins = runner.begins(words);
    if (begins >= 0) return askedFor(runner, words.slice(begins));
  }
  return [];
}

function askedFor({ chooses, takes, names }: Runner, words: readonly string[]): string[] {
  const asked: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!/^-./.test(word)) {
      if (names(word)) asked.push(word.replace(/=.*$/s, '='));
      continue;
    }
    const [option = '', ...rest] = word.split('=');
    const takesNext = rest.length === 0 && takes.test(option);
    const value = rest.length > 0 ? rest.join('=') : takesNext || option in chooses ? words[at + 1] : undefined;
    const name = chooses[option] ?? attached(option, chooses);
    // No limit is none.
    if (name !== undefined && !(option === '--maxfail' && value === '0')) asked.push(name);
    if (takesNext || (name !== undefined && rest.length === 0 && /^-[km]$/.test(option))) at += 1;
  }
  return asked;
}

/** `-kfoo`, and `-x` among other letters of one word. */
function attached(option: string, chooses: Runner['chooses']): string | undefined {
  const [, letter] = /^-([km])\w/.exec(option) ?? [];
  if (letter !== undefined) return chooses[`-${letter}`];
  return /^-[qvsl]+x$/.test(option) ? chooses['-x'] : undefined;
}
