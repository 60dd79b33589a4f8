import { quote } from '../../rollout/shell';
import { readCfg } from './cfg';
import type { ProjectFacts } from './facts';
import { readMakefile } from './makefile';
import { toxIni } from './manifests/tox';
import type { Survey } from './survey';

/** What runs tests without pytest: the library's own runner, one that splits it over processes, or a program or module of the project that calls it. */
const RUNNER =
  /^(?:\w+=\S* )*python (?:-[bBEIsuv]+ |-[WX] ?\S+ )*(?:-m unittest\b|-m (?:\w+\.)+(?:tests?|run_?tests?|all_?tests?|test_?suite)(?=$| -)|-c (["']).*\bunittest\b.*\1|(?:\.\/)?(?:[\w.-]+\/)*(?:run_?tests?|all_?tests?|test_?all|test_?suite|tests?)\.py\b|manage\.py test\b)|^stestr run\b/;

/** What Makefiles call the interpreter. */
const INTERPRETER = /\$[({]PY(?:THON)?[23]?[)}]/g;

/** Shows how one test is run, not all of them. */
const ONE_TEST = /\.py::|\.[A-Z]\w*|\.test_\w+|\btest_\w+\.py\b|<|\.{3}|\[/;

/**
 * The command by which a Python project says that all its tests are run, where that is not pytest: a target of its
 * Makefile, a `commands` of tox, a line of continuous integration or of its documents, in this order of trust. Null
 * where there is none, where a part of it is only known when it runs, and for a project that uses pytest. `python` is the
 * interpreter that it is to run with, as a shell takes it.
 */
export function ownTests(
  { testFrameworks, documented }: ProjectFacts,
  survey: Survey,
  python = 'python',
): string | null {
  const { texts } = survey;
  if (testFrameworks.includes('pytest')) return null;
  const shown = documented.filter((line) => !ONE_TEST.test(line.replace(/-c (["']).*\1/, '')));
  const atRoot = (line: string): Line => ({ line, folder: '' });
  const lines = [
    ...ofMakefile(texts).map(atRoot),
    ...ofTox(toxIni(survey)),
    ...[...shown, ...ofFiles(survey)].map(atRoot),
  ];
  for (const { line, folder } of lines) {
    const command = plain(line);
    if (command === null || !RUNNER.test(command)) continue;
    const own = command.replace(/(?<=^|\s)python(?= )/, () => python);
    return folder === '' ? own : `cd ${quote(folder)} && ${own}`;
  }
  return null;
}

/** A command, and the folder of the repository that it runs in; empty for the root. */
interface Line {
  readonly line: string;
  readonly folder: string;
}

const ALL_TESTS = ['check', 'test', 'tests', 'unittest', 'unittests', 'unit-test', 'unit-tests'];
/** Kinds of tests of which one is enough: how they are built first is not what counts. */
const BUILT = [
  'test_build',
  'test-build',
  'test_inplace',
  'test-inplace',
  'test-all',
  'test_all',
  'test-unit',
  'test_unit',
];

/** Recipes of its targets for tests, those of what `make test` only leads to included. */
function ofMakefile(texts: Survey['texts']): string[] {
  const makefile = readMakefile(texts.Makefile ?? texts.makefile ?? texts.GNUmakefile ?? '');
  const leadTo = ALL_TESTS.flatMap((target) => makefile.prerequisites(target)).filter((target) => /test/.test(target));
  return [...ALL_TESTS, ...leadTo, ...BUILT]
    .flatMap((target) => makefile.recipe(target))
    .map((line) => makefile.expand(line.replace(INTERPRETER, 'python')));
}

function ofTox(text: string): Line[] {
  const { commands = '', changedir, change_dir } = readCfg(text).testenv ?? {};
  const folder = (changedir ?? change_dir ?? '').replace(/\{toxinidir\}\/?|^\.\/?/g, '');
  // One that only tox makes is nowhere.
  return folder.includes('{') ? [] : commands.split('\n').map((line) => ({ line: line.trim(), folder }));
}

/**
 * A program in the root for this purpose, as reusable applications of Django have one, or beside tests whose names are
 * not those that pytest looks for.
 */
function ofFiles({ paths }: Survey): string[] {
  const programs = paths.filter((path) => /^(?:tests?\/)?run_?tests?\.py$/.test(path));
  const isSuite = (path: string) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    return (
      folder === '' ||
      !paths.some((other) => /^test_\w+\.py$/.test(other.slice(folder.length)) && other.startsWith(folder))
    );
  };
  return programs.filter(isSuite).map((path) => `python ${path}`);
}

/** With `python` for whatever stands for the interpreter, and without variables that only its own build has values for. */
function plain(line: string): string | null {
  const command = line
    .replace(/\{envpython\}/g, 'python')
    .replace(/\{toxinidir\}\/?/g, './')
    .replace(/(?:(?<!\s)\s+)?\{posargs(?::([^}]{0,400}))?\}/g, (_, usual?: string) => (usual ? ` ${usual}` : ''))
    .replace(/^(?:\w+=\S* +)+/, (settings) => settings.replace(/(?<!\S)\w+=[^\s$`{]*[$`{]\S* +/g, ''))
    .replace(/(?<=^|\s)(?:poetry|uv|pdm|hatch|pipenv) run /, '')
    .replace(/(?<=^|\s)coverage run (?:-\S+ )*?(?=-m |\S+\.py)/, 'python ')
    .replace(/(?<=^|\s)python[\d.]*\s+/, 'python ');
  return /[$`]|\{\w|&&|\|/.test(command) ? null : command.trim();
}
