import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import {
  type CallGraph,
  callGraphOf,
  describeSlice,
  type FunctionSyntax,
  findFunction,
  functionsOf,
  indexRepository,
  moduleNameOf,
  openPython,
  type PythonIndex,
  sliceSyntax,
  targetOf,
} from '@pointsman/python';
import { type Command, Option } from 'commander';
import { nearest, PointsmanError } from '../contract';
import { bodyLines, considerFunctions, resolveFilters } from '../problems/extraction';
import { type Cli, look } from './context';
import { readFilterTable } from './input-file';
import { wholeOption } from './options';
import { asDot, asPycg, drawing, graphText, MOST_DRAWN, neighbourhood } from './terminal/functions/graph';
import { functionsListText, type ListedFunction, sliceText } from './terminal/functions/list';

export function addFunctionsCommands(functions: Command, cli: Cli): void {
  addFunctionsList(functions, cli);
  addFunctionsSlice(functions, cli);
  addFunctionsGraph(functions, cli);
}

interface Flags {
  readonly filters?: string;
  readonly rejected?: boolean;
}

/** `functions list`: what a build would try, and what it would leave out and why. Reads the folder, runs nothing of it. */
function addFunctionsList(functions: Command, cli: Cli): void {
  functions
    .command('list <dir>')
    .description('list the functions of a repository that pass the filters')
    .option('--filters <file>', 'table of filters (YAML or JSON), like examples/function-filters.yaml')
    .option('--rejected', 'also list those that were left out, with the reason')
    .action((dir: string, flags: Flags) => list(cli, dir, flags));
}

async function list(cli: Cli, dir: string, flags: Flags): Promise<void> {
  const filters = resolveFilters(flags.filters === undefined ? {} : readFilterTable(flags.filters));
  const index = indexRepository(await openPython(), await readPythonFiles(dir));
  const { taken, considered, funnel } = considerFunctions(index, filters);
  const functions = taken.map((found): ListedFunction => {
    const target = targetOf(found);
    // The target's own definition is an item of its slice.
    const { items } = describeSlice(sliceSyntax(index, found));
    return {
      target,
      lines: bodyLines(found),
      dependencies: Math.max(0, items.length - 1),
      outOfFile: items.some(({ outOfFile }) => outOfFile),
    };
  });
  const rejected = flags.rejected ? considered.filter(({ rejectedBy }) => rejectedBy !== null) : undefined;
  const answer = { functions, funnel, rejected };
  cli.print({ ...answer, filters }, () => functionsListText(answer, look().width));
}

/** `functions slice`: all that a function needs, read from the source alone. */
function addFunctionsSlice(functions: Command, cli: Cli): void {
  functions
    .command('slice <dir> <qualname>')
    .description('print all that a function of a folder needs: functions it calls, globals it reads, transitively')
    .action(async (dir: string, qualname: string) => {
      const index = indexRepository(await openPython(), readPythonFiles(resolve(dir)));
      const slice = describeSlice(sliceSyntax(index, functionNamed(index, qualname)));
      const linesOf = (file: string) => index.byPath.get(file)?.syntax.text.split(/\r\n?|\n/) ?? [];
      cli.print(slice, () => sliceText(slice, linesOf, look()));
    });
}

/** Throws `InvalidInput` with the name that looks most like it. */
export function functionNamed(index: PythonIndex, qualname: string): FunctionSyntax {
  const found = findFunction(index, qualname);
  if (found) return found;
  const close = closest(index, qualname);
  throw new PointsmanError(
    'InvalidInput',
    `no function ${qualname}${close ? `, did you mean ${close}?` : ''}`,
    'Name it as it is imported: module.function, or module.Class.method.',
  );
}

/** By the whole name, or by the last part alone where the module was guessed. */
function closest(index: PythonIndex, qualname: string): string | undefined {
  const byLast = new Map<string, string[]>();
  for (const { module, qualname: own, isNested } of functionsOf(index)) {
    const last = own.split('.').at(-1)!;
    if (!isNested) byLast.set(last, [...(byLast.get(last) ?? []), `${module.name}.${own}`]);
  }
  const whole = nearest(qualname, [...byLast.values()].flat());
  if (whole) return whole;
  const last = qualname.split('.').at(-1)!;
  const same = byLast.get(byLast.has(last) ? last : (nearest(last, [...byLast.keys()]) ?? ''));
  return same?.find((each) => each.startsWith(`${qualname.split('.')[0]}.`)) ?? same?.[0];
}

interface GraphFlags {
  readonly entry?: string[];
  readonly format: 'text' | 'pycg' | 'dot' | 'svg' | 'json';
  readonly out?: string;
  readonly focus?: string;
  readonly depth: number;
}

/** `functions graph`: who calls whom in a folder, read from the source alone. */
function addFunctionsGraph(functions: Command, cli: Cli): void {
  functions
    .command('graph <dir>')
    .description('show who calls whom in the Python files of a folder')
    .option(
      '--entry <file...>',
      'files where the program starts: only what they import is read (default: every file, or main.py alone where a folder is a program)',
    )
    .addOption(
      new Option('--format <format>', 'summary, PyCG’s JSON, Graphviz, a drawing, or everything')
        .choices(['text', 'pycg', 'dot', 'svg', 'json'])
        .default('text'),
    )
    .option('--out <file>', 'write there instead of to standard output')
    .option('--focus <qualname>', 'only what calls this or is called by it')
    .option('--depth <n>', 'with --focus: at most this many calls away', wholeOption, 2)
    .action((dir: string, flags: GraphFlags) => show(cli, dir, flags));
}

async function show(cli: Cli, dir: string, flags: GraphFlags): Promise<void> {
  const graph = await graphOf(cli, resolve(dir), flags.entry);
  const shown = flags.focus === undefined ? graph : neighbourhood(graph, known(graph, flags.focus), flags.depth);
  const write = (text: string): void => {
    if (flags.out === undefined) process.stdout.write(`${text}\n`);
    else writeFileSync(flags.out, `${text}\n`);
  };
  const format = cli.json && flags.format === 'text' ? 'json' : flags.format;
  switch (format) {
    case 'pycg':
      return write(asPycg(shown));
    case 'dot':
      return write(asDot(shown));
    case 'svg':
      return write(draw(shown));
    case 'json':
      return write(
        JSON.stringify({
          edges: JSON.parse(asPycg(shown)),
          definitions: [...shown.definitions.values()],
          unresolved: shown.unresolved,
        }),
      );
    case 'text':
      return write(graphText(shown, look().width));
  }
}

async function graphOf(cli: Cli, dir: string, entries: readonly string[] | undefined): Promise<CallGraph> {
  const python = await openPython();
  const files = readPythonFiles(dir);
  const paths = new Set(files.map(({ path }) => path));
  const modules = files.map(({ path, text }) => ({
    name: moduleNameOf(path, paths),
    syntax: python.parse(path, text),
  }));
  const starts = entries ? entries.map((entry) => fileNamed(entry, paths)) : programIn(paths);
  if (starts && !entries) cli.say(`a program that starts at ${starts.join(', ')} (other files: --entry FILE…)`);
  return callGraphOf(python, modules, starts ? { entries: starts.map((path) => moduleNameOf(path, paths)) } : {});
}

/** A folder with a `main.py` and nothing that packs it is a program; any other is a library. */
function programIn(paths: ReadonlySet<string>): string[] | undefined {
  return paths.has('main.py') && !paths.has('setup.py') && !paths.has('__init__.py') ? ['main.py'] : undefined;
}

function fileNamed(entry: string, paths: ReadonlySet<string>): string {
  const path = entry.replace(/^\.\//, '');
  if (paths.has(path)) return path;
  const inside = [...paths]
    .filter((each) => each === path || path.endsWith(`/${each}`))
    .sort((a, b) => b.length - a.length)[0];
  if (inside) return inside;
  const close = nearest(path, [...paths]);
  throw new PointsmanError(
    'NotFound',
    `--entry: no Python file ${entry} in the folder`,
    close ? `Did you mean ${close}?` : 'Give a path relative to the folder.',
  );
}

function known(graph: CallGraph, name: string): string {
  if (graph.edges.has(name)) return name;
  const ending = [...graph.edges.keys()].filter((each) => each.endsWith(`.${name}`));
  if (ending.length === 1) return ending[0]!;
  const close = ending.length > 1 ? ending.slice(0, 5).join(', ') : nearest(name, [...graph.edges.keys()]);
  throw new PointsmanError(
    'NotFound',
    `--focus: nothing called ${name} in this graph`,
    close ? `Did you mean ${close}?` : 'Names are dotted, like pkg.module.Class.method.',
  );
}

function draw(graph: CallGraph): string {
  const svg = drawing(graph);
  if (svg !== undefined) return svg;
  throw new PointsmanError(
    'InvalidInput',
    `${graph.edges.size} names are too many to draw: ${MOST_DRAWN} can be read`,
    'Choose a part: --focus QUALNAME --depth 1. Or --format dot for Graphviz.',
  );
}

/** Folders that hold no source of the repository itself. */
const LEFT_OUT = new Set([
  '.git',
  '.hg',
  '.svn',
  '.tox',
  '.nox',
  '.eggs',
  'node_modules',
  '__pycache__',
  'site-packages',
]);
/** Generated tables of several megabytes hold no function that anyone reads. */
const LARGEST = 2_000_000;

interface PythonFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The Python files of a folder, in the order of their paths: without version control, caches, installed packages and
 * virtual environments, links and very large files. A file that is not UTF-8 is read as its coding line says, if Latin-1.
 */
export function readPythonFiles(dir: string): PythonFile[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory())
    throw new PointsmanError('InvalidInput', `no folder ${dir}`, 'Give the folder of a repository.');
  return [...filesIn(dir)]
    .map((file) => ({ path: relative(dir, file).split(sep).join('/'), text: textOf(readFileSync(file)) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function* filesIn(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      if (!LEFT_OUT.has(entry.name) && !existsSync(join(path, 'pyvenv.cfg'))) yield* filesIn(path);
    } else if (entry.isFile() && entry.name.endsWith('.py') && statSync(path).size <= LARGEST) yield path;
  }
}

function textOf(bytes: Buffer): string {
  const head = bytes.subarray(0, 200).toString('latin1').split('\n', 2).join('\n');
  const coding = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/m.exec(head)?.[1]?.toLowerCase();
  const latin = coding !== undefined && /^(latin-?1|iso-8859-1|iso-latin-1|cp1252|windows-1252)/.test(coding);
  const text = bytes.toString(latin ? 'latin1' : 'utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
