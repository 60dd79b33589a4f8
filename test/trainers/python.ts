import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { room } from '../../src/home';

interface Environment {
  readonly packages: readonly string[];
  /** Installed without what they depend on: of trainers with many demands only the part that reads data is run. */
  readonly alone: readonly string[];
  /** The oldest minor version of Python 3 that the packages run on; any where nothing is said. */
  readonly minor?: number;
}

/** Packages that read our files, at the versions that the figures in the documentation are of. */
const ENVIRONMENTS = {
  /** Loaders and tokenizers; small enough to be installed wherever the tests run. */
  loaders: {
    packages: ['datasets==5.2.0', 'pyarrow==26.0.1', 'transformers==5.23.0', 'jinja2==3.1.6', 'openai==3.54.0'],
    alone: ['harbor==0.25.0'],
  },
  /** What knows the schemas of Kubernetes. */
  kubernetes: { packages: ['kubernetes-validate==1.37.0'], alone: [] },
  /** What runs rollouts behind its own interception, and the models of what sends rows to agents. */
  verifiers: { packages: ['verifiers==0.4.0'], alone: ['nemo-gym==0.7.0'] },
  /** What reads records for reinforcement learning, and what their models need to be imported: no trainer, and no PyTorch. */
  records: {
    minor: 12,
    packages: [
      'pydantic==2.14.4',
      'numpy==2.4.6',
      'loguru==0.7.3',
      'prime-pydantic-config==0.4.3',
      'prime-sandboxes==0.5.1',
      'openai==3.54.0',
      'anthropic==2.14.0',
      'httpx==0.28.1',
      'aiohttp==3.14.5',
      'tomli_w==1.2.0',
      'math-verify==0.9.0',
      'orjson==3.13.0',
    ],
    alone: ['verifiers==0.4.0', 'renderers==0.1.12', 'nemo-gym==0.7.0', 'skyrl==0.4.0', 'harbor==0.26.0'],
  },
  /** Trainers, with PyTorch: six gigabytes, so only where POINTSMAN_TRAINERS=1 or where they are already. */
  trainers: {
    packages: ['torch==2.15.0', 'trl==1.16.0', 'datasets==5.2.0', 'transformers==5.23.0', 'openai==3.54.0'],
    alone: [
      'axolotl==0.19.0',
      'llamafactory==0.9.5',
      'peft==0.21.2',
      'addict==2.4.0',
      'colorama==0.4.6',
      'omegaconf==2.4.0',
      'antlr4-python3-runtime==4.13.2',
    ],
  },
} as const satisfies Record<string, Environment>;

export interface Python {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a script of this folder; its output is JSON. Throws with what it wrote to stderr. */
  run(script: string, ...args: string[]): unknown;
  /** The same for a script that asks servers of this process. */
  runBeside(script: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<unknown>;
}

/** A virtual environment in the home's tools, made when it is missing or of other packages; or why there is none. */
export function pythonWith(name: keyof typeof ENVIRONMENTS): Python | { readonly missing: string } {
  const folder = join(room('tools'), `python-${name}`);
  const ready = join(folder, 'ready');
  const python = join(folder, 'bin', 'python');
  const wanted = JSON.stringify(ENVIRONMENTS[name]);
  if (!existsSync(ready) || readFileSync(ready, 'utf8') !== wanted) {
    if (name === 'trainers' && process.env.POINTSMAN_TRAINERS !== '1')
      return { missing: 'POINTSMAN_TRAINERS is not 1' };
    rmSync(folder, { recursive: true, force: true });
    const failed = install(folder, python, ENVIRONMENTS[name]);
    if (failed !== undefined) {
      rmSync(folder, { recursive: true, force: true });
      return { missing: failed };
    }
    writeFileSync(ready, wanted);
  }
  const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: join(folder, 'cache'), CUDA_VISIBLE_DEVICES: '' };
  return {
    program: python,
    env,
    run(script, ...args) {
      const path = join(__dirname, script);
      const { status, stdout, stderr } = spawnSync(python, [path, ...args], {
        encoding: 'utf8',
        env,
        maxBuffer: 1 << 30,
        timeout: 900_000,
      });
      if (status !== 0) throw new Error(`${script} ended with ${status}:\n${stderr.slice(-4_000)}`);
      return lastLine(stdout);
    },
    runBeside(script, more, ...args) {
      return outputOf(python, [join(__dirname, script), ...args], { ...env, ...more });
    },
  };
}

/** What a program beside this one has written as its last line, as JSON. Rejects with what it wrote to stderr. */
export async function outputOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const status = await new Promise((ended) => child.on('close', ended));
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}:\n${stderr.slice(-4_000)}`);
  return lastLine(stdout);
}

function lastLine(stdout: string): unknown {
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n', stdout.length - 2) + 1));
}

function install(folder: string, python: string, { packages, alone, minor = 0 }: Environment): string | undefined {
  try {
    const base = interpreters().find((each) => minorOf(each) >= minor);
    if (base === undefined) return `there is no Python 3.${minor} or later`;
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, ['-m', ...args], { stdio: 'pipe', timeout: 1_800_000 });
    const pip = (...args: string[]) => run(python, 'pip', 'install', '--quiet', ...args);
    run(base, 'venv', folder);
    try {
      // A tenth of pip's time. It reads no configuration of pip's: where that is needed, pip does it.
      pip('uv');
      const uv = (...args: string[]) => run(python, 'uv', 'pip', 'install', '--quiet', '--python', python, ...args);
      uv(...packages);
      if (alone.length > 0) uv('--no-deps', '--python-version', '3.14', ...alone);
    } catch {
      pip(...packages);
      if (alone.length > 0) pip('--no-deps', '--ignore-requires-python', ...alone);
    }
    return undefined;
  } catch (error) {
    return `the packages cannot be installed: ${(error as Error).message.slice(0, 300)}`;
  }
}

/** Python as it is called, newer ones beside it, and those of pyenv. */
function interpreters(): string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const own = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin', 'python')) : [];
  return ['python3', 'python3.14', 'python3.13', 'python3.12', ...own.sort().reverse()];
}

/** -1 for one that is not there, or is no Python 3. */
function minorOf(python: string): number {
  const { stdout } = spawnSync(python, ['--version'], { encoding: 'utf8' });
  return Number(/^Python 3\.(\d+)/.exec(stdout ?? '')?.[1] ?? -1);
}

/** `test`, or a skipped one whose name says why. */
export function testWith(python: ReturnType<typeof pythonWith>) {
  return 'run' in python
    ? (name: string, run: (python: Python) => Promise<void> | void) => test(name, async () => run(python), 900_000)
    : (name: string) => test.skip(`${name} (${python.missing})`, () => {});
}
