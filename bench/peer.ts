import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pointsmanHome, REPOSITORY } from '../src/home';
import { BASE_IMAGE } from '../src/machine/image';

const SCRIPTS = resolve(REPOSITORY, process.env.POINTSMAN_BENCH_PEERS ?? '../shared/bench', 'mini');

/** The peer's benchmark scripts, where this checkout has them beside it. */
export function peerScripts(): string | undefined {
  return existsSync(join(SCRIPTS, 'mock_server.py')) ? SCRIPTS : undefined;
}

/** A virtual environment with mini-swe-agent, made once. */
function peerPython(): string {
  const venv = join(pointsmanHome(), 'bench', 'venv-mini');
  const python = join(venv, 'bin', 'python');
  if (!existsSync(join(venv, 'ready'))) {
    console.error('installing mini-swe-agent (a minute or two)');
    execFileSync('python3', ['-m', 'venv', venv]);
    execFileSync(python, ['-m', 'pip', 'install', '-q', 'mini-swe-agent', 'mcp', 'datasets'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    execFileSync('touch', [join(venv, 'ready')]);
  }
  return python;
}

export interface ScriptedServer {
  readonly url: string;
  readonly log: string;
  stop(): void;
}

/** The instant scripted model that both harnesses talk to; it logs when each request came and was answered. */
export async function scriptedServer(port: number): Promise<ScriptedServer> {
  const folder = join(pointsmanHome(), 'bench');
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'requests.jsonl');
  rmSync(log, { force: true });
  const server = spawn('python3', [join(SCRIPTS, 'mock_server.py'), '--port', String(port), '--log', log], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/v1`;
  for (let i = 0; i < 100; i++) {
    const up = await fetch(`http://127.0.0.1:${port}/stats`).then(
      () => true,
      () => false,
    );
    if (up) return { url, log, stop: () => void server.kill('SIGKILL') };
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('the scripted server did not start');
}

export interface PeerRun {
  readonly containerStartMs: number;
  readonly rssMiB: number;
}

/** One mini-swe-agent rollout as its users run it (litellm, tool calls). */
export function peerRollout(conv: string, steps: number, kib: number, url: string): PeerRun {
  const out = join(pointsmanHome(), 'bench', 'mini.json');
  const printed = execFileSync(
    peerPython(),
    [
      join(SCRIPTS, 'bench_mini.py'),
      '--conv',
      conv,
      '--n',
      String(steps),
      '--obs-kb',
      String(kib),
      '--base',
      url,
      '--image',
      BASE_IMAGE,
      '--out',
      out,
    ],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 300_000,
      env: { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    },
  );
  const report = JSON.parse(printed.split('\n').find((line) => line.startsWith('{"harness"')) ?? '{}') as {
    container_start_s: number;
    maxrss_self_mb: number;
  };
  return { containerStartMs: 1000 * report.container_start_s, rssMiB: report.maxrss_self_mb };
}

/** mini-swe-agent's own batch runner: `count` instances, all at once. Its image name is fixed in the script. */
export function peerBatch(prefix: string, count: number, steps: number, port: number): number {
  const folder = join(pointsmanHome(), 'bench', `batch-${prefix}`);
  rmSync(folder, { recursive: true, force: true });
  const rss = join(pointsmanHome(), 'bench', 'rss.json');
  execFileSync('docker', ['tag', BASE_IMAGE, 'sx/base:bookworm']);
  const args = [
    join(SCRIPTS, 'rss.py'),
    rss,
    '--',
    'bash',
    join(SCRIPTS, 'run_mini_batch.sh'),
    folder,
    `${count}`,
    `${count}`,
    `${steps}`,
    '0',
    prefix,
  ];
  const env = {
    ...process.env,
    VENV_MINI: dirname(dirname(peerPython())),
    BENCH_BASE: `http://127.0.0.1:${port}/v1`,
  };
  const run = spawnSync('python3', args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 500_000,
  });
  if (run.status !== 0) throw new Error(`mini's batch failed: ${run.stderr.slice(-1500)}`);
  return (JSON.parse(readFileSync(rss, 'utf8')) as { peak_rss_largest_process_mb: number }).peak_rss_largest_process_mb;
}
