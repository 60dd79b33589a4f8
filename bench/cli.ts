import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../src/home';
import { startDevServer, stopDevServer } from '../src/machine/dev-server';
import { freePort } from '../src/machine/ports';

const POINTSMAN = join(REPOSITORY, 'bin', 'pointsman');
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': [process.execPath, '-e', '0'],
  'pointsman --help': [POINTSMAN, '--help'],
  'pointsman rollout --help': [POINTSMAN, 'rollout', '--help'],
  'pointsman rollout list': [POINTSMAN, 'rollout', 'list'],
  'pointsman status': [POINTSMAN, 'status'],
};

/** How long commands take that one waits for, in turn, beside Node.js itself. `npm run bench cli [times]`. */
export async function benchCli([times = '15']: string[]): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-bench-cli-'));
  process.env.POINTSMAN_HOME = home;
  const port = await freePort();
  const { address } = await startDevServer({ port, uiPort: await freePort() });
  try {
    const env = { ...process.env, TEMPORAL_ADDRESS: address };
    const took = new Map<string, number[]>(Object.keys(COMMANDS).map((name) => [name, []]));
    for (let round = 0; round < Number(times); round++) {
      for (const [name, [program = '', ...args]] of Object.entries(COMMANDS)) {
        const began = performance.now();
        spawnSync(program, args, { env, stdio: 'ignore' });
        took.get(name)!.push(performance.now() - began);
      }
    }
    console.log(
      `Node.js ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores, ${times} times each\n`,
    );
    console.log('| command | p50 (ms) | p90 (ms) |\n|---|---|---|');
    for (const [name, all] of took) {
      const sorted = all.sort((a, b) => a - b);
      const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!);
      console.log(`| \`${name}\` | ${at(0.5)} | ${at(0.9)} |`);
    }
  } finally {
    await stopDevServer(port);
    rmSync(home, { recursive: true, force: true });
  }
}
