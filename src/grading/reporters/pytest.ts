import type { TestOutcome } from '../../contract';
import type { Outcomes } from '../../problems/outcomes';
import { fileOfTestId } from '../../problems/test-files';
import { type JunitCase, junitCases } from './junit-xml';
import { argumentsOf, Collected, type Reporter } from './reporter';

/**
 * pytest, 4.6 to 9, by its own JUnit report. Only its terminal summary tells a test that passed against its `xfail` mark
 * from one that passed, so that is asked for too (`-rX`).
 */
export const pytest: Reporter = {
  name: 'pytest',
  starts: (words) => argumentsOf(words, MODULES) !== undefined,
  asks(file, words) {
    const report = [`--junitxml=${file}`, '-o', 'junit_family=xunit1', '-o', 'junit_logging=no', '--junitprefix='];
    const end = words.indexOf('--', argumentsOf(words, MODULES) ?? words.length);
    return {
      variables: {
        // A script may run it several times, and each writes over the report of the one before: their summaries stay.
        PYTEST_ADDOPTS: [...report, '-rfEpX'].join(' '),
        // The environments of tox see only what it is told to let through: version 4 and, before it, 3.
        TOX_OVERRIDE: 'testenv.pass_env+=PYTEST_ADDOPTS;env_run_base.pass_env+=PYTEST_ADDOPTS',
        TOX_TESTENV_PASSENV: 'PYTEST_ADDOPTS',
      },
      // The last `-r` counts, so it says again what the command asks for.
      words: [...report, `-r${summaryOf(words)}X`],
      at: end < 0 ? words.length : end,
    };
  },
  read({ file, stdout, paths = [] }, wanted) {
    const idOf = spelledBack(wanted, paths);
    const collected = new Collected();
    const ids = new Set<string>();
    for (const test of junitCases(file ?? '')) {
      // A module that skips itself as a whole has no tests.
      if (test.outcome === 'skipped' && test.message === 'collection skipped') continue;
      for (const id of idOf(test)) {
        const began = test.outcome !== 'error' || test.message !== 'collection failure';
        collected.add(began ? id : `${id}::<collect>`, test.outcome);
        if (began) ids.add(id);
      }
    }
    for (const id of passedAgainstMark(stdout, ids)) collected.add(id, 'xpassed');
    const summaries = summariesIn(stdout);
    if (summaries.length > 1) {
      const known = new Set(wanted);
      for (const summary of summaries) addSummary(summary, known, collected);
    }
    const outcomes = collected.outcomes();
    return { ...outcomes, ...outcomesOfCut(wanted, outcomes) };
  },
  failures({ file, stdout, paths = [] }, wanted) {
    if (summariesIn(stdout).length > 1) return undefined;
    const idOf = spelledBack(wanted, paths);
    const failed = junitCases(file ?? '').filter(({ outcome }) => outcome === 'failed');
    return new Map(failed.flatMap((test) => idOf(test).map((id) => [id, `${test.message}\n${test.text}`] as const)));
  },
  only(words, files) {
    const at = argumentsOf(words, MODULES);
    if (at === undefined) return undefined;
    const kept = withoutPaths(words.slice(at));
    return kept && [...words.slice(0, at), ...files, ...kept];
  },
  alone(words, test) {
    const at = argumentsOf(words, MODULES);
    if (at === undefined) return undefined;
    const kept = withoutPaths(words.slice(at));
    return kept && [...words.slice(0, at), test, ...kept];
  },
};

const MODULES = ['pytest', 'py.test'];

/** Letters of the `-r` options of a command, all of which pytest would replace by the last. */
function summaryOf(words: readonly string[]): string {
  const last = words.findLast((word) => /^-[qvxsl]*r[a-zA-Z]+$/.test(word));
  const spaced = words.lastIndexOf('-r');
  return (last?.replace(/^-[qvxsl]*r/, '') ?? (spaced < 0 ? '' : (words[spaced + 1] ?? ''))).replace(/N/g, '');
}

/** Options whose value is the next word. */
const VALUED =
  /^(-[kmnpcWor]|-[qvxsl]+[kmnpcWor]|--(rootdir|confcutdir|basetemp|ignore|ignore-glob|deselect|maxfail|tb|color|durations|log-level|import-mode|dist|timeout|cov|cov-report|cov-config|junitxml|junit-xml|override-ini|reruns|ds|numprocesses|verbosity|doctest-glob|html))$/;
/** Options without a value, or with one behind `=` or in the same word. */
const UNVALUED =
  /^(-[qvxslhV]+|-[kmnpcWor].+|--[\w-]+=.*|--(quiet|verbose|exitfirst|showlocals|strict|strict-markers|strict-config|lf|last-failed|ff|failed-first|nf|new-first|sw|stepwise|no-header|no-summary|no-cov|disable-warnings|disable-pytest-warnings|cache-clear|doctest-modules|doctest-plus|continue-on-collection-errors|forked|boxed|runslow|run-slow|slow|setup-show|full-trace|benchmark-skip|benchmark-disable|noconftest|keep-duplicates|cov))$/;

/**
 * Options of pytest's arguments, without the paths and ids among them. Undefined where a word may be either a path or the
 * value of an option that only a plugin knows, and where words are only known when they are expanded.
 */
function withoutPaths(words: readonly string[]): string[] | undefined {
  if (words.some((word) => word === '--pyargs' || word === '--' || /[$`]|^@/.test(word))) return undefined;
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) continue;
    kept.push(word);
    const next = words[at + 1];
    if (next === undefined || next.startsWith('-')) continue;
    if (VALUED.test(word)) kept.push(words[++at]!);
    else if (!UNVALUED.test(word)) return undefined;
  }
  return kept;
}

/** What `_pytest.junitxml.bin_xml_escape` makes of characters that it holds for no XML: they are spelled as `#x07`. */
function escaped(text: string, pattern: RegExp): string {
  return text.replace(pattern, (character) => {
    const code = character.codePointAt(0)!;
    return `#x${code
      .toString(16)
      .toUpperCase()
      .padStart(code <= 0xff ? 2 : 4, '0')}`;
  });
}

const NO_XML = /[^\t\n\r\u0020-\u007e\u0080-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** 6.0 to 8.4 took every character beyond U+FFFF for no XML. */
const NO_XML_OR_ASTRAL = /[^\t\n\r\u0020-\u007e\u0080-\ud7ff\ue000-\ufffd]/gu;

const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/** As `_pytest.junitxml.mangle_test_address`: `[class name, name]`. From 9.1 on brackets in paths are none of parameters. */
function addressOf(id: string, bracketsFrom: number): readonly [classname: string, name: string] {
  const open = id.indexOf('[', bracketsFrom);
  const [path, params] = open < 0 ? [id, ''] : [id.slice(0, open), id.slice(open)];
  const names = path.split('::').filter((name) => name !== '()');
  names[0] = names[0]!.replaceAll('/', '.').replace(/\.py$/, '');
  names[names.length - 1] += params;
  return [names.slice(0, -1).join('.'), names.at(-1)!];
}

/** Every pair of class name and name by which some version of pytest reports a test; for nearly all ids there is one. */
function addressesOf(id: string): readonly string[] {
  const path = id.indexOf('::');
  const first = addressOf(id, 0);
  const open = id.indexOf('[');
  const spelled = open >= 0 && open < path ? [first, addressOf(id, path)] : [first];
  const found = spelled.map(([classname, name]) => `${classname}\n${escaped(name, NO_XML)}`);
  if (id.search(ASTRAL) < 0) return found;
  return [...found, ...spelled.map(([classname, name]) => `${classname}\n${escaped(name, NO_XML_OR_ASTRAL)}`)];
}

/**
 * Finds the ids that a case of the report stands for. Wanted ids are mangled as pytest does it and compared, so they are
 * found exactly. Two that pytest mangles to the same name are told apart by their file, or else share the outcome. The id
 * of any other test is put together from its file, where its class name agrees, or else from the paths of the tree.
 */
function spelledBack(wanted: readonly string[], paths: readonly string[]): (test: JunitCase) => readonly string[] {
  const known = new Map<string, string[]>();
  for (const id of wanted) {
    for (const address of addressesOf(id)) {
      const others = known.get(address);
      if (others === undefined) known.set(address, [id]);
      else if (!others.includes(id)) others.push(id);
    }
  }
  const modules = new Map(paths.map((path) => [moduleOf(path), path]));
  return (test) => {
    const ids = known.get(`${test.classname}\n${test.name}`);
    if (ids !== undefined) {
      const own = ids.filter((id) => fileOfTestId(id) === test.file);
      return own.length > 0 ? own : ids;
    }
    return [rebuilt(test, modules)];
  };
}

const moduleOf = (path: string) => path.replaceAll('/', '.').replace(/\.py$/, '');

function rebuilt({ classname, name, file }: JunitCase, modules: ReadonlyMap<string, string>): string {
  const open = file.indexOf('[');
  if (classname === '' && open >= 0) {
    // Before 9.1 a bracket in a path was taken for the beginning of parameters.
    const spelled = `${moduleOf(file.slice(0, open))}${file.slice(open)}`;
    if (name.startsWith(`${spelled}::`)) return `${file}${name.slice(spelled.length)}`;
  }
  // A module that could not be imported has no class: its path is the name.
  if (classname === '') return moduleOf(file) === name ? file : (modules.get(name) ?? name);
  const join = (path: string, module: string) => {
    const classes = classname.slice(module.length + 1);
    return [path, ...(classes === '' ? [] : classes.split('.')), name].join('::');
  };
  const isWithin = (module: string) => classname === module || classname.startsWith(`${module}.`);
  if (file !== '' && isWithin(moduleOf(file))) return join(file, moduleOf(file));
  // An inherited test has the file of its base class.
  for (let module = classname; ; module = module.slice(0, module.lastIndexOf('.'))) {
    const path = modules.get(module);
    if (path !== undefined) return join(path, module);
    if (!module.includes('.')) return `${classname}::${name}`;
  }
}

/**
 * Tests that pytest lists as `XPASS` in the summary at its end: `XPASS id reason`, from 8.0 on `XPASS id - reason`. Ids
 * may hold blanks, so the longest that is one of the run counts.
 */
function passedAgainstMark(stdout: string, ids: ReadonlySet<string>): string[] {
  const summary = stdout.lastIndexOf(' short test summary info ');
  if (summary < 0) return [];
  const found: string[] = [];
  let byName: ReadonlyMap<string, readonly string[]> | undefined;
  for (const [, text] of stdout.slice(summary).matchAll(/^XPASS (.*?)\r?$/gm)) {
    const id = longest(text!, (shorter) => ids.has(shorter));
    if (id !== undefined) found.push(id);
    else {
      // Paths of the summary begin where pytest was started, those of ids at its root.
      byName ??= grouped(ids);
      const name = longest(nameOf(text!), (shorter) => byName!.has(shorter));
      if (name !== undefined) found.push(...byName.get(name)!);
    }
  }
  return found;
}

/**
 * SWE-bench's own parser ends ids at their first blank. An id whose bracket is not closed stands for all tests that it begins so,
 * and counts as the worst of them.
 */
function outcomesOfCut(wanted: readonly string[], outcomes: Outcomes): Outcomes {
  const cut = wanted.filter((id) => id.includes('[') && !id.endsWith(']') && !Object.hasOwn(outcomes, id));
  if (cut.length === 0) return {};
  const begun = new Map<string, [string, TestOutcome][]>();
  for (const entry of Object.entries(outcomes)) {
    const name = entry[0].slice(0, entry[0].indexOf('['));
    const known = begun.get(name);
    if (known) known.push(entry);
    else begun.set(name, [entry]);
  }
  const collected = new Collected();
  for (const id of cut) {
    for (const [whole, outcome] of begun.get(id.slice(0, id.indexOf('['))) ?? []) {
      if (whole.startsWith(`${id} `)) collected.add(id, outcome);
    }
  }
  return collected.outcomes();
}

/** The summaries of several runs, each up to the next run. */
function summariesIn(stdout: string): string[] {
  return stdout.split(/^=+ short test summary info =+\r?$/m).slice(1);
}

const SUMMARY: Readonly<Record<string, TestOutcome>> = {
  PASSED: 'passed',
  FAILED: 'failed',
  ERROR: 'error',
  XPASS: 'xpassed',
};

/** `PASSED id`, and `FAILED id - why` where the id is one that is asked for. */
function addSummary(summary: string, wanted: ReadonlySet<string>, collected: Collected): void {
  for (const line of summary.split(/\r?\n/)) {
    const [, word, text] = /^(PASSED|FAILED|ERROR|XPASS) (.*::.*)$/.exec(line) ?? [];
    if (word === undefined || text === undefined) continue;
    const id = word === 'PASSED' && wanted.size === 0 ? text : longest(text, (shorter) => wanted.has(shorter));
    if (id !== undefined) collected.add(id, SUMMARY[word]!);
  }
}

function grouped(ids: ReadonlySet<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const known = groups.get(nameOf(id));
    if (known) known.push(id);
    else groups.set(nameOf(id), [id]);
  }
  return groups;
}

/** An id with the last part of its path only. */
function nameOf(id: string): string {
  const path = fileOfTestId(id);
  return id.slice(path.lastIndexOf('/') + 1);
}

/** The longest beginning of a text, up to a blank or its end, that fits. */
function longest(text: string, fits: (shorter: string) => boolean): string | undefined {
  for (let end = text.length; end > 0; end = text.lastIndexOf(' ', end - 1)) {
    if (fits(text.slice(0, end))) return text.slice(0, end);
  }
  return undefined;
}
