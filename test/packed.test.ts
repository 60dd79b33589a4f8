import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../src/home';

const run = promisify(execFile);

/**
 * What people get, not what the checkout holds: the package is packed, installed elsewhere and run there. The package that
 * reads Python is on no registry, so it is bundled (`bundleDependencies`): npm packs what the workspace's link leads to.
 */
const elsewhere = mkdtempSync(join(tmpdir(), 'pointsman-packed-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

function registryAnswers(): boolean {
  try {
    execFileSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], { stdio: 'ignore', timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}
const reachable = registryAnswers();
if (!reachable)
  console.warn('the packed package is not tested: no npm registry answers, so its dependencies cannot be had');
const online = reachable ? test : test.skip;

/** The command of the installed package, in a home of its own, where no server is. */
async function pointsman(...args: string[]): Promise<string> {
  const env = { ...process.env, POINTSMAN_HOME: join(elsewhere, 'home'), TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const command = join(elsewhere, 'node_modules', '.bin', 'pointsman');
  return (await run(command, args, { cwd: elsewhere, env, maxBuffer: 16 << 20 })).stdout;
}

online(
  'the packed package, installed elsewhere, brings all that it needs',
  async () => {
    await run('npm', ['pack', '--pack-destination', elsewhere], { cwd: REPOSITORY, maxBuffer: 16 << 20 });
    const tarball = readdirSync(elsewhere).find((name) => name.endsWith('.tgz'))!;
    writeFileSync(join(elsewhere, 'package.json'), '{"private": true}');
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', `./${tarball}`, ...quiet], { cwd: elsewhere, maxBuffer: 16 << 20 });

    expect(await pointsman('--help')).toMatch(/^Usage: pointsman[\s\S]*\n {2}rollout /);
    // The schemas that ship are those of the contract that ships.
    await pointsman('schemas', 'check');
    // Reading Python: the bundled package, with its grammar.
    mkdirSync(join(elsewhere, 'project'));
    const source =
      'LIMIT = 3\n\n\ndef low(n):\n    return n < LIMIT\n\n\ndef all_low(ns):\n    return all(low(n) for n in ns)\n';
    writeFileSync(join(elsewhere, 'project', 'numbers.py'), source);
    const slice = await pointsman('functions', 'slice', 'project', 'numbers.all_low');
    for (const part of ['LIMIT', 'low', 'all_low']) expect(slice).toContain(part);
  },
  15 * 60_000,
);
