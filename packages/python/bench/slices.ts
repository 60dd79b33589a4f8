import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callGraphOf, indexRepository, openPython } from '@pointsman/python';
import { pythonFiles } from '../test/files';

const PACKAGES = [
  'yamllint 1.35.1',
  'requests 2.32.3',
  'flask 3.0.3',
  'jinja2 3.1.4',
  'click 8.1.7',
  'rich 13.7.1',
  'networkx 3.3',
  'sympy 1.12',
];
const WORK = join(tmpdir(), 'pointsman-bench-slices');
const PYCG_SECONDS = 120;
const PYCG_KILOBYTES = 8_000_000;

interface Taken {
  readonly seconds: number;
  readonly megabytes: number;
  readonly edges?: number;
  readonly error?: string;
}

interface OwnRun extends Taken {
  readonly files: number;
  readonly unresolved: number;
  /** Seconds of the same analysis a second time: what a worker takes, whose parser and code are warm. */
  readonly again: number;
}

/**
 * Index and call graph of real packages beside PyCG 0.0.8, each in a process of its own, one after the other. Times are
 * those of the analysis, without the start of Node or Python: the first in a process, which includes the start of the parser,
 * and the second, which is what a worker takes. Arguments choose packages by name.
 */
export async function benchSlices(args: string[]): Promise<void> {
  const [first, dir, out] = args;
  if (first === '--one' && dir !== undefined) {
    await analyse(dir, out);
    return;
  }
  const chosen = PACKAGES.filter((each) => args.length === 0 || args.some((name) => each.startsWith(name)));
  const pycg = installPycg();
  console.log(
    '| package | files | ours: s | again | MB | edges | unresolved | PyCG: s | MB | edges | PyCG/ours | again |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const each of chosen) {
    const [name, version] = each.split(' ') as [string, string];
    const folder = install(name, version);
    const ours = await ourRun(folder);
    const theirs = await run('bash', [
      '-c',
      `ulimit -v ${PYCG_KILOBYTES}; exec "$@"`,
      'pycg',
      pycg,
      join(__dirname, 'pycg_run.py'),
      folder,
      name,
    ]);
    const ratio = (seconds: number) => (theirs.error ? '–' : `${(theirs.seconds / seconds).toFixed(1)}×`);
    const own = [ours.files, ours.seconds.toFixed(2), ours.again.toFixed(2), mb(ours), ours.edges, ours.unresolved];
    const theirCells = theirs.error
      ? [`${theirs.error} (${theirs.seconds.toFixed(0)} s)`, mb(theirs), '–']
      : [theirs.seconds.toFixed(2), mb(theirs), theirs.edges];
    console.log(`| ${[each, ...own, ...theirCells, ratio(ours.seconds), ratio(ours.again)].join(' | ')} |`);
  }
}

/** One package in this process: what it took, as JSON on standard output; the graph into `out`, where given. */
async function analyse(dir: string, out: string | undefined): Promise<void> {
  const files = pythonFiles(dir);
  const analysed = async () => {
    const started = performance.now();
    const python = await openPython();
    const graph = callGraphOf(python, indexRepository(python, files).modules);
    return { graph, seconds: (performance.now() - started) / 1000 };
  };
  const { graph, seconds } = await analysed();
  const edges = [...graph.edges.values()].reduce((sum, { size }) => sum + size, 0);
  const megabytes = process.resourceUsage().maxRSS / 1024;
  const { seconds: again } = await analysed();
  if (out !== undefined)
    writeFileSync(
      out,
      JSON.stringify(Object.fromEntries([...graph.edges].map(([caller, callees]) => [caller, [...callees]]))),
    );
  const unresolved = graph.unresolved.length;
  console.log(JSON.stringify({ files: files.length, seconds, again, megabytes, edges, unresolved }));
}

function mb({ megabytes }: Taken): string {
  return Number.isNaN(megabytes) ? '–' : megabytes.toFixed(0);
}

async function ourRun(folder: string): Promise<OwnRun> {
  const own = process.argv[1]!;
  const node = ['--import', 'tsx', '--max-old-space-size=8000', own, 'slices', '--one', folder];
  return (await run(process.execPath, node)) as OwnRun;
}

/** The JSON that a program prints last; what ended it, where it printed none. */
function run(command: string, args: readonly string[]): Promise<Taken> {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, PYCG_SECONDS * 1000);
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const seconds = (performance.now() - started) / 1000;
      const last = printed.trimEnd().split('\n').at(-1) ?? '';
      if (last.startsWith('{')) resolve(JSON.parse(last) as Taken);
      else resolve({ seconds, megabytes: Number.NaN, error: isLate ? 'timeout' : `ended (${signal ?? code})` });
    });
  });
}

/** A release as it stands in the registry, unpacked and not compiled. */
function install(name: string, version: string): string {
  const folder = join(WORK, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(WORK, { recursive: true });
  execFileSync(
    'python3',
    ['-m', 'pip', 'install', '-q', '--no-deps', '--no-compile', '--target', folder, `${name}==${version}`],
    { stdio: 'inherit' },
  );
  return folder;
}

function installPycg(): string {
  const venv = join(WORK, 'pycg');
  const python = join(venv, 'bin', 'python');
  if (existsSync(python)) return python;
  mkdirSync(WORK, { recursive: true });
  execFileSync('python3', ['-m', 'venv', venv], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '-q', 'PyCG==0.0.8'], { stdio: 'inherit' });
  return python;
}
