import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../../src/home';

const run = promisify(execFile);

/** What people get, not what the checkout holds: the package is packed and installed in a folder. Gives its command. */
export async function installPackage(folder: string): Promise<string> {
  const said = { maxBuffer: 16 << 20 };
  await run('npm', ['run', 'package', '--', '--pack-destination', folder], { cwd: REPOSITORY, ...said });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', `./${tarball}`, ...quiet], { cwd: folder, ...said });
  return join(folder, 'node_modules', '.bin', 'pointsman');
}

/** Whether what the package needs can be had. */
export async function registryAnswers(): Promise<boolean> {
  return run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], { timeout: 30_000 }).then(
    () => true,
    () => false,
  );
}
