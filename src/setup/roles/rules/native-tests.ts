import { quote } from '../../../rollout/shell';
import { inGoModules } from '../../repository/go-modules';
import { markedTests } from '../../repository/marked-tests';
import { WITHOUT_CHECKS } from '../../repository/maven';
import { oddNames } from '../../repository/odd-tests';
import { ownTests } from '../../repository/own-tests';
import { MOST_PATHS, type Survey } from '../../repository/survey';
import { readCounts, type TestReading } from '../../test-output';
import { failedUncounted } from '../../test-output/failures';
import type { Case, Observed } from '../role';
import type { Interpreter } from './interpreter';
import type { Repository } from './play';

export interface TestPlan {
  readonly framework: string;
  readonly command: string;
  /** The repository names this framework, so that others are no substitute for it where it does not begin. */
  readonly named?: boolean;
  /** A target of the build: where it ends badly, others that the build lacks would only hide that. */
  readonly target?: boolean;
  /** Only where the run before it said this: the plan leaves out what cannot be run for that reason. */
  readonly after?: RegExp;
}

/** Ways of running the tests that are tried before a repository counts as one without any. */
const MOST_PLANS = 6;

/** A run that found tests, or the last one that was tried. */
export interface SuiteRun {
  readonly plan: TestPlan;
  readonly observed: Observed;
  readonly reading: TestReading | null;
  /** Why the plan leaves tests out, in the words of the run before it. */
  readonly leftOut?: string;
}

/**
 * Why a run of tests was ended from outside, null where it was not. Such a run says nothing of the tests, and another way of
 * running them would hide that there was one.
 */
export function endedFromOutside({ output, exitCode, timedOut }: Observed): string | null {
  if (timedOut) return 'they were stopped at their deadline';
  return /^out of memory: the kernel killed .*/m.exec(output)?.[0] ?? (exitCode === 137 ? 'they were killed' : null);
}

/** pytest ends so where an option, a plugin or a conftest.py asks for something that is not there. */
const NOT_BEGUN = [3, 4];

/** Whether the run says more than what comes after it would: it found tests, or would have if it had been let. */
function isTelling({ plan, observed, reading }: SuiteRun): boolean {
  if ((reading?.counts.collected ?? 0) > 0 || endedFromOutside(observed) !== null) return true;
  if (plan.target === true && failedUncounted(observed)) return true;
  return plan.named === true && NOT_BEGUN.includes(observed.exitCode ?? 0);
}

/** Tries the plans until one is telling; `moveOf` is how the role at hand runs a command. Null without a plan. */
export function* runSuite<Move>(
  plans: readonly TestPlan[],
  moveOf: (plan: TestPlan) => Move,
  known: (command: string) => Observed | undefined = () => undefined,
): Generator<Move, SuiteRun | null, Observed> {
  let last = null as SuiteRun | null;
  for (const plan of plans.slice(0, MOST_PLANS)) {
    const leftOut: string | undefined = plan.after?.exec(last?.observed.output ?? '')?.[0];
    if (plan.after && leftOut === undefined) continue;
    const observed = known(plan.command) ?? (yield moveOf(plan));
    const reading = readCounts(plan.command, observed.output);
    last = { plan, observed, reading, leftOut };
    if (isTelling(last)) return last;
  }
  return last;
}

/** Folders whose tests are not the project's suite, although they look like it. */
const ASIDE = /^(docs?|examples?|benchmarks?|bench|perf|tools|scripts|samples|ci|contrib)\//;

/**
 * How the tests of a repository are run the way its own tools do it, most native first. What the set-up agent ran comes
 * last: it is a hint where nothing else finds a test, and where it leaves tests out, the filter is named.
 */
export function testPlans(dossier: Case, repository: Repository, interpreters: readonly Interpreter[]): TestPlan[] {
  const { facts, workdir, survey } = repository;
  const language = facts.languages[0];
  const plans: TestPlan[] = [];
  const add = (framework: string, command: string, named = false) =>
    plans.push({ framework, command: `cd ${quote(workdir)} && ${command}`, ...(named ? { named } : {}) });
  if (language === 'python') {
    const python = interpreters[0]?.path ?? 'python3';
    const own = facts.testPaths.filter((path) => !ASIDE.test(path));
    const paths =
      own.length < facts.testPaths.length && !configured(repository)
        ? own.map((path) => ` ${quote(path)}`).join('')
        : '';
    const has = interpreters[0]?.finds.includes('pytest') ?? false;
    const services = (dossier.wanted ?? []).map(({ name }) => name);
    const marked = repository.isMain ? markedTests(survey, services) : null;
    const markers = marked === null ? '' : ` -m ${quote(marked)}`;
    const itsOwn = ownTests(facts, survey, quote(python));
    if (itsOwn) add('unittest', itsOwn);
    if (survey.paths.includes('manage.py') && !has) add('unittest', `${quote(python)} manage.py test`);
    const named = facts.testFrameworks.includes('pytest');
    // The project's own -x would end the run at the first failure, its --tb=no hide the reasons; the last of two counts.
    const options = `-rfE --color=no --tb=auto --continue-on-collection-errors --maxfail=0${markers}${paths}`;
    if (has || named) add('pytest', `${quote(python)} -m pytest ${options}`, named);
    const odd = oddNames(facts, survey);
    if (odd !== null && (has || named)) add('pytest', `${quote(python)} -m pytest ${odd} ${options}`);
    add('unittest', `${quote(python)} -m unittest discover`);
    const folder = facts.testPaths.find((path) => /^tests?$/.test(path));
    if (folder) add('unittest', `${quote(python)} -m unittest discover -s ${folder} -t .`);
    for (const path of survey.paths.filter((one) => /^(tests?\/)?(run_?tests?|all_?tests?|test_all)\.py$/.test(one))) {
      add('unittest', `${quote(python)} ${quote(path)}`);
    }
  } else if (language === 'node') {
    const { command, script } = npmTest(repository);
    if (facts.testPaths.length > 0 || mayTest(script, survey)) {
      add(facts.testFrameworks[0] ?? 'npm', command);
    }
  } else if (language === 'go') {
    add('go', inGoModules(survey, 'go test -v ./...'));
  } else if (language === 'rust') {
    const all = 'cargo test --offline --no-fail-fast --workspace';
    add('cargo', all);
    // Archives of crates often lack what the tests beside the sources read. Those cannot be built then, the others can.
    const inside = survey.paths.some((path) => /(^|\/)src\/lib\.rs$/.test(path))
      ? `{ ${all} --lib --bins; ended=$?; ${all} --doc && (exit $ended); }`
      : `${all} --bins`;
    plans.push({
      framework: 'cargo',
      command: `cd ${quote(workdir)} && ${inside}`,
      after: /^error: couldn't read `[^`]+`: No such file or directory.*/m,
    });
  } else if (language === 'java') {
    if (facts.buildSystems.includes('maven')) add('surefire', mavenTest(repository, dossier));
    if (facts.buildSystems.includes('gradle')) {
      add(
        'gradle',
        `{ ${wrapper(repository, 'gradlew', 'gradle')} --offline --continue test; ended=$?; find . -path '*/test-results/*.xml' -exec grep -h '<testsuite ' {} +; (exit $ended); }`,
      );
    }
  } else if (language) {
    native(repository, (framework, command) =>
      plans.push({ framework, command: `cd ${quote(workdir)} && ${command}`, target: true }),
    );
  }
  const agents = agentTests(dossier).filter(({ command }) => !plans.some((plan) => plan.command.endsWith(command)));
  return [...plans, ...(repository.isMain ? agents : [])];
}

/** Whether pytest is told where the tests are. */
function configured({ survey }: Repository): boolean {
  return Object.entries(survey.texts).some(
    ([path, text]) =>
      /^(pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.(ini|toml))$/.test(path) && /^[ \t]*testpaths\s*=/m.test(text),
  );
}

const wrapper = ({ survey }: Repository, file: string, program: string) =>
  survey.paths.includes(file) ? `sh ./${file}` : program;

/**
 * What the tests are compiled with besides what the project says: the level of Java that the set-up had to name, because its
 * JDK no longer knows the project's own.
 */
export function mavenFlags(steps: Case['steps']): string {
  const levels = steps.flatMap(({ move, observed }) =>
    move.action === 'shell' && observed.exitCode === 0
      ? [move.command.match(/(?<=\s)-Dmaven\.compiler\.(?:source|target|release)=(?:1\.)?\d{1,2}(?=\s|$)/g) ?? []]
      : [],
  );
  return [WITHOUT_CHECKS, ...new Set(levels.findLast((flags) => flags.length > 0) ?? [])].join(' ');
}

/**
 * Maven leaves out each module that builds on one whose tests failed, unless failed tests end nothing; then its reports are
 * what says that some did.
 */
function mavenTest(repository: Repository, { steps }: Case): string {
  const run = `${wrapper(repository, 'mvnw', 'mvn')} -o -B -fae -Dmaven.test.failure.ignore=true test ${mavenFlags(steps)}`;
  const failing = `grep -lE '<testsuite [^>]*(failures|errors)="[1-9]' {} +`;
  return `${run} && ! find . -path '*/surefire-reports/TEST-*.xml' -exec ${failing} | grep -q .`;
}

/** The script called `test` without what lints first: `npm test` stops at the first part that fails. */
function npmTest({ survey, facts }: Repository): { command: string; script: string } {
  const manager = facts.buildSystems.find((one) => ['npm', 'yarn', 'pnpm'].includes(one)) ?? 'npm';
  const scripts = scriptsOf(survey.texts['package.json']);
  const only = ['tests-only', 'test:unit', 'unit', 'test-only', 'test:only', 'mocha', 'jest'].find(
    (name) => scripts[name],
  );
  const lintsFirst = /\b(lint|eslint|standard|xo|prettier|tsc)\b/.test(
    `${scripts.pretest ?? ''} ${scripts.test ?? ''}`,
  );
  const name = lintsFirst && only ? only : 'test';
  const script = scripts[name] ?? 'false';
  // The manager may be missing where only the packages are needed; the script's own words are what counts.
  const command = `if command -v ${manager} > /dev/null; then ${manager} run ${name}; else PATH="$PWD/node_modules/.bin:$PATH" sh -c ${quote(script)}; fi`;
  return { command, script };
}

/** What a build or a package manager makes is in no archive, and no reason to think that tests are not. */
const MADE = /^(?:node_modules|dist|build|lib|out|es|cjs|coverage)(?:\/|$)|(?:^|\/)node_modules\//;
/** Wildcards that a pattern may have: with more of them the time to find that nothing fits grows beyond its worth. */
const MOST_WILD = 4;

const NAMES_FILES = /\.[cm]?[jt]sx?$|\*/;
/** Runners whose argument is a folder. Of others `test` is the name of a task. */
const RUNNERS = /^(?:node|_?mocha|tap|tape|ava|jasmine|jest|vitest|c8|nyc|qunit|uvu|borp)$/;
const isFolder = (word: string, before = '') =>
  /^(?:\.\/)?(?:tests?|specs?)\/?$/.test(word) && (word.includes('/') || RUNNERS.test(before.split('/').at(-1)!));

/**
 * Whether all files that a script names are missing, as those of tests are that were not packed: some runners count them as
 * failures. False where nobody can tell.
 */
export function namesWhatIsNotThere(script: string, { paths }: Survey): boolean {
  const words = script.split(/[\s'"]+/).filter((word) => !word.startsWith('-'));
  const files = words
    .filter((word, at) => /^[\w./*{},@-]+$/.test(word) && (NAMES_FILES.test(word) || isFolder(word, words[at - 1])))
    .map((word) => word.replace(/^\.\//, '').replace(/\/$/, ''));
  if (files.length === 0 || paths.length >= MOST_PATHS || files.some((file) => MADE.test(file))) return false;
  const globs = files.map(globbed);
  if (globs.some((glob) => glob.split('.*').length - 1 > MOST_WILD)) return false;
  const patterns = globs.map((glob) => new RegExp(`^${glob}(?:\\.[cm]?[jt]sx?)?(/|$)`));
  return !paths.some((path) => patterns.some((pattern) => pattern.test(path)));
}

/** Words that lead to tests nobody can name: another script, a makefile, a task, code in the line itself, a linked program. */
const LEADS_ON =
  /(?:^|[\s;&|])(?:make|gulp|grunt|jake|npm|yarn|pnpm|npx lerna|lerna|nx|turbo|bash|sh|\.{1,2}\/\S+|node -[ep])(?=\s|$)/;

/**
 * Whether the test script of a tree without any file of tests may run some all the same: it names a file that is there, or
 * leads on to something else. A runner alone finds none, and linters beside it judge the style of an archive.
 */
function mayTest(script: string, survey: Survey): boolean {
  if (survey.paths.length >= MOST_PATHS) return true;
  const parts = script.split(/&&|[;|]+/).filter((part) => !LINTER.test(part));
  return parts.some((part) => LEADS_ON.test(part) || (namesAFile(part) && !namesWhatIsNotThere(part, survey)));
}

const LINTER = /(?:^|\s)(?:npx )?(?:eslint|xo|standard|semistandard|prettier|tslint|jshint|jscs|biome|tsd|tsc)(?=\s|$)/;
const namesAFile = (part: string) => part.split(/[\s'"]+/).some((word) => /^[^-*?{]+\.[cm]?[jt]sx?$/.test(word));

/** A shell's pattern as a regular expression; neighbouring wildcards are one. */
function globbed(file: string): string {
  return file
    .split(/((?:\*+\/?|\{[^{}]*\})+)/)
    .map((part) => (/^[*{]/.test(part) ? '.*' : part.replace(/[.+?^$()|[\]\\]/g, '\\$&')))
    .join('');
}

export function scriptsOf(manifest: string | undefined): Record<string, string> {
  try {
    const read = JSON.parse(manifest ?? '{}') as { scripts?: Record<string, unknown> };
    return Object.fromEntries(Object.entries(read.scripts ?? {}).map(([name, text]) => [name, String(text)]));
  } catch {
    return {};
  }
}

/** C and C++: whatever folder the set-up built in. */
function native({ facts, survey }: Repository, add: (framework: string, command: string) => void): void {
  const built = (marker: string) =>
    `d=$(find . -maxdepth 3 -name ${marker} -not -path '*/CMakeFiles/*' | sort | sed -n 1p) && [ -n "$d" ] && cd "$(dirname "$d")"`;
  if (facts.buildSystems.includes('cmake'))
    add('ctest', `${built('CTestTestfile.cmake')} && ctest --output-on-failure`);
  if (facts.buildSystems.includes('meson'))
    add('meson', `${built('build.ninja')} && meson test --no-rebuild --print-errorlogs`);
  if (facts.buildSystems.includes('autotools')) add('automake', `${built('config.status')} && make check`);
  if (facts.buildSystems.includes('make') || facts.buildSystems.includes('autotools')) {
    const targets = Object.entries(survey.texts)
      .filter(([path]) => /^(GNU)?[Mm]akefile/.test(path))
      .flatMap(([, text]) => [...text.matchAll(/^(check|tests?)\s*:(?!=)/gm)].map(([, target]) => target!));
    for (const target of new Set(targets)) add('make', `make ${target}`);
  }
}

/** What the agent ran that looked like tests, newest first. */
function agentTests({ steps }: Case): TestPlan[] {
  return steps
    .flatMap(({ move, observed }) => {
      if (move.action !== 'shell') return [];
      const reading = readCounts(move.command, observed.output);
      return reading && reading.counts.passed > 0 ? [{ framework: reading.framework, command: move.command }] : [];
    })
    .reverse()
    .slice(0, 1);
}
