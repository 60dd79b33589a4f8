import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const REPOSITORY = resolve(__dirname, '..', '..');

/** `pipefail` shows what the command line ended with, not what `head` did. */
it.each(['schemas check', '--help 2>&1'])('%s: ends quietly when its reader has read enough', (words) => {
  const cli = [join(REPOSITORY, 'bin', 'pointsman')];
  // The reader is gone before the answer is written.
  const line = `set -o pipefail; ${cli.map((word) => `'${word}'`).join(' ')} ${words} | true`;
  const ran = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
});
