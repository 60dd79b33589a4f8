import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { nearest, PointsmanError } from '../contract';
import { type CallGraph, callGraphOf, moduleNameOf } from '../problems/callgraph';
import { openPython } from '../problems/python';
import { asDot, asPycg, drawing, graphText, MOST_DRAWN, neighbourhood } from '../view/functions/graph';
import type { Cli } from './context';
import { wholeOption } from './options';
import { readPythonFiles } from './python-files';
import { look } from './terminal';

interface Flags {
  readonly entry?: string[];
  readonly format: 'text' | 'pycg' | 'dot' | 'svg' | 'json';
  readonly out?: string;
  readonly focus?: string;
  readonly depth: number;
}

/** `functions graph`: who calls whom in a folder, read from the source alone. */
export function addFunctionsGraph(functions: Command, cli: Cli): void {
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
    .option('--depth <n>', 'with --focus: so many calls away', wholeOption, 2)
    .action((dir: string, flags: Flags) => show(cli, dir, flags));
}

async function show(cli: Cli, dir: string, flags: Flags): Promise<void> {
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
