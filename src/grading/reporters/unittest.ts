import { posix } from 'node:path';
import type { TestOutcome } from '../../contract';
import { argumentsOf, Collected, programOf, type Reporter, spelledAs } from './reporter';

/**
 * Runners of the standard library's `unittest` by what they print of each test: `python -m unittest -v`, Django's
 * `manage.py test` and `runtests.py`, and Twisted's trial. Ids are `test (module.Class)`, as SWE-bench has them for
 * Django; the spelling of Python 3.11, a first line of documentation, `module.Class.test` and `Class.test` are found where
 * wanted.
 */
export const unittest: Reporter = {
  name: 'unittest',
  starts: (words) => kindOf(words) !== undefined,
  asks(_file, words) {
    const kind = kindOf(words);
    // A program of the project that ends in `unittest.main()`.
    if (kind === undefined) return { variables: {}, words: ['-v'], at: words.length };
    return {
      variables: {},
      words: kind.runner === 'django' ? ['--verbosity=2'] : kind.runner === 'trial' ? ['--reporter=verbose'] : ['-v'],
      at: kind.at,
    };
  },
  read({ stdout, stderr }, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    for (const output of [stdout, stderr]) {
      const lines = output.split('\n').map((line) => line.replace(/\r$/, ''));
      readLines(lines, wanted, collected);
      readTrial(lines, wanted, collected);
      readSummary(lines, wanted, collected);
    }
    return collected.outcomes();
  },
  only(words, files) {
    const kind = kindOf(words);
    if (kind === undefined || !kind.takesNames) return undefined;
    const names = kind.runner === 'unittest' ? files : files.map((file) => moduleOf(file, kind.folder));
    return [...words.slice(0, kind.at), ...words.slice(kind.at).filter((word) => word.startsWith('-')), ...names];
  },
  alone(words, test) {
    const kind = kindOf(words);
    const [, name, owner] = /^(\w+) \(([\w.]+)\)$/.exec(test) ?? [];
    if (kind === undefined || !kind.takesNames || name === undefined || owner === undefined) return undefined;
    const full = owner.endsWith(`.${name}`) ? owner : `${owner}.${name}`;
    return [...words.slice(0, kind.at), ...words.slice(kind.at).filter((word) => word.startsWith('-')), full];
  },
};

interface Kind {
  readonly runner: 'unittest' | 'django' | 'trial';
  /** Where its arguments begin. */
  readonly at: number;
  /** Folder that names of modules begin in. */
  readonly folder: string;
  /** Whether names of modules, classes and tests may stand among its arguments, and everything that is no option is one. */
  readonly takesNames: boolean;
}

function kindOf(words: readonly string[]): Kind | undefined {
  const unit = argumentsOf(words, ['unittest', 'unittest2']);
  if (unit !== undefined && programOf(words[0]) === 'python') {
    const takesNames = !words.slice(unit).some((word) => /^-[kspt]$|^discover$|^[$]/.test(word));
    const at = words[unit] === 'discover' ? unit + 1 : unit;
    return { runner: 'unittest', at, folder: '', takesNames };
  }
  const trial = argumentsOf(words, ['trial', 'twisted.trial']);
  if (trial !== undefined) return { runner: 'trial', at: trial, folder: '', takesNames: false };
  const admin = argumentsOf(words, ['django-admin', 'django']);
  if (admin !== undefined && words[admin] === 'test') {
    return { runner: 'django', at: admin + 1, folder: '', takesNames: !isValued(words.slice(admin + 1)) };
  }
  const script = words.slice(0, 4).findIndex((word) => /(^|\/)(manage|runtests)\.py$/.test(word));
  const isRun = script === 0 || (script > 0 && programOf(words[0]) === 'python');
  if (!isRun) return undefined;
  const isManage = words[script]!.endsWith('manage.py');
  if (isManage && words[script + 1] !== 'test') return undefined;
  const at = script + (isManage ? 2 : 1);
  return { runner: 'django', at, folder: posix.dirname(words[script]!), takesNames: !isValued(words.slice(at)) };
}

/** Whether an option may take the next word for its value. */
const isValued = (words: readonly string[]) =>
  words.some(
    (word, at) =>
      at + 1 < words.length &&
      /^--?[a-z-]+$/.test(word) &&
      !/^--(noinput|no-input|failfast|keepdb|reverse|debug-sql|traceback|no-color|timing|shuffle|buffer)$/.test(word) &&
      !words[at + 1]!.startsWith('-'),
  );

function moduleOf(file: string, folder: string): string {
  const path = folder === '.' || folder === '' ? file : posix.relative(folder, file);
  return path.replace(/\.py$/, '').replaceAll('/', '.');
}

const HEADER = /^\s*(\w+) \(([\w.<>]+)\)(?: [[(].*?[\])])?(?: \.\.\.(?: (.*))?)?$/;
const ENDS: readonly (readonly [RegExp, TestOutcome])[] = [
  [/ok$/, 'passed'],
  [/FAIL$/, 'failed'],
  [/ERROR$/, 'error'],
  [/(^|[^\w])skipped( ['"].*)?$/s, 'skipped'],
  [/expected failure$/, 'xfailed'],
  [/unexpected success$/, 'xpassed'],
];

/** A test that was announced, and the lines up to the next. */
interface Announced {
  readonly name: string;
  readonly owner: string;
  documentation: string;
  readonly lines: string[];
}

function readLines(given: readonly string[], wanted: ReadonlySet<string>, collected: Collected): void {
  // Before 3.11 a test with failed parts has no outcome on its line, and the next begins there.
  const lines = given.flatMap((line) => line.split(/(?<=\.\.\. )(?=\w+ \([\w.]+\) \.\.\. )/));
  const tests: Announced[] = [];
  const failing = new Map<string, TestOutcome>();
  let isOver = false;
  let hasEnd = false;
  lines.forEach((line, at) => {
    const section = /^(ERROR|FAIL): (\w+) \(([\w.<>]+)\)/.exec(line);
    if (section && lines[at - 1]?.startsWith('=====')) {
      isOver = true;
      failing.set(`${section[2]} (${section[3]})`, section[1] === 'FAIL' ? 'failed' : 'error');
    } else if (/^Ran \d+ tests? in /.test(line)) [isOver, hasEnd] = [true, true];
    const header = HEADER.exec(line);
    const test = tests.at(-1);
    if (header && /\./.test(header[2]!) && (line.includes(' ...') || lines[at + 1]?.includes(' ... '))) {
      isOver = false;
      tests.push({
        name: header[1]!,
        owner: header[2]!,
        documentation: '',
        lines: line.includes(' ...') ? [header[3] ?? ''] : [],
      });
    } else if (test && !isOver) {
      const [, documentation, rest] = /^(.*?) \.\.\. ?(.*)$/s.exec(line) ?? [];
      if (test.lines.length === 0 && documentation !== undefined) {
        test.documentation = documentation;
        test.lines.push(rest ?? '');
      } else test.lines.push(line);
    }
  });
  for (const { name, owner, documentation, lines: said } of tests) {
    const failed = failing.get(`${name} (${owner})`);
    // What a test prints may look like an outcome: at the end of the run all that failed is listed.
    const outcome = failed ?? outcomeIn(said, hasEnd);
    if (outcome !== undefined) add(name, owner, documentation, outcome);
  }
  for (const [id, outcome] of failing) {
    const [, name, owner] = /^(\w+) \((.*)\)$/.exec(id)!;
    add(name!, owner!, '', outcome);
  }

  function add(name: string, owner: string, documentation: string, outcome: TestOutcome): void {
    if (owner.includes('_FailedTest') || owner.includes('_ErrorHolder')) {
      collected.add(`${owner.split('_FailedTest.')[1] ?? name}::<collect>`, 'error');
    } else if (/^(setUp|tearDown)(Class|Module)$/.test(name)) collected.add(`${owner}::<collect>`, outcome);
    else {
      const type = owner.endsWith(`.${name}`) ? owner.slice(0, -name.length - 1) : owner;
      const spellings = [`${name} (${type})`, `${name} (${type}.${name})`, `${type}.${name}`];
      spellings.push(`${type.split('.').at(-1)}.${name}`);
      if (documentation !== '') {
        spellings.push(documentation, `${name} (${type})\n${documentation}`, `${documentation} (${type})`);
      }
      for (const id of spelledAs(spellings, wanted)) collected.add(id, outcome);
    }
  }
}

/** The last outcome among the lines that were printed while a test ran. */
function outcomeIn(lines: readonly string[], isComplete: boolean): TestOutcome | undefined {
  for (const line of lines.toReversed()) {
    const [, outcome] = ENDS.findLast(([end]) => end.test(line)) ?? [];
    if (outcome !== undefined && !(isComplete && (outcome === 'failed' || outcome === 'error'))) return outcome;
  }
  return undefined;
}

/**
 * Runners of a project's own that end as pytest does, with `PASSED file::Class::test` for each test. Names are read as they
 * are and, where they are wanted so, without the file: `Class.test`.
 */
function readSummary(lines: readonly string[], wanted: ReadonlySet<string>, collected: Collected): void {
  const start = lines.findLastIndex((line) => line.includes(' short test summary info '));
  if (start < 0) return;
  for (const line of lines.slice(start + 1)) {
    const [, word, id] = /^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) ([^\s:]+(?:::\S+)+)/.exec(line) ?? [];
    if (word === undefined || id === undefined) continue;
    const spellings = [id, id.split('::').slice(1).join('.')];
    for (const spelling of spelledAs(spellings, wanted)) collected.add(spelling, SUMMARY[word]!);
  }
}

const SUMMARY: Readonly<Record<string, TestOutcome>> = {
  PASSED: 'passed',
  FAILED: 'failed',
  ERROR: 'error',
  SKIPPED: 'skipped',
  XFAIL: 'xfailed',
  XPASS: 'xpassed',
};

const TRIAL: Readonly<Record<string, TestOutcome>> = {
  OK: 'passed',
  FAIL: 'failed',
  ERROR: 'error',
  SKIPPED: 'skipped',
  TODO: 'xfailed',
  'SUCCESS!?!': 'xpassed',
};

/** Trial prints a tree: modules, classes and, with their outcomes, tests, two blanks deeper each. */
function readTrial(lines: readonly string[], wanted: ReadonlySet<string>, collected: Collected): void {
  const above: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    if (/^(={20,}|-{20,})$/.test(line)) return;
    const [, indent = '', name, dots] = /^( *)([\w.]+)( \.\.\.(?: .*)?)?$/.exec(line) ?? [];
    const depth = indent.length / 2;
    if (name !== undefined && open === undefined && (dots !== undefined || depth <= above.length)) {
      above.length = Math.min(above.length, depth);
      if (dots === undefined) above.push(name);
      else open = name;
    }
    const outcome = /(?<=\s)\[(OK|FAIL|ERROR|SKIPPED|TODO|SUCCESS!\?!)\]$/.exec(line)?.[1];
    if (outcome === undefined || open === undefined) continue;
    const type = above.join('.');
    if (type === '') collected.add(`${open}::<collect>`, TRIAL[outcome]!);
    else
      for (const id of spelledAs([`${type}.${open}`, `${open} (${type})`], wanted)) collected.add(id, TRIAL[outcome]!);
    open = undefined;
  }
}
