// A machine was killed, and afterwards no engine would start. A pid file still named its containerd, and the number had been
// given to another program: the daemon took that for its own, waited for it and gave up, and said nothing that told why.
// Files that name nobody, or a stranger, are removed before the engine starts; that of a daemon which runs is not.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetDeadDaemons } from '../../src/machine/dockerd';

const scratch = mkdtempSync(join(tmpdir(), 'pointsman-dockerd-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('pid files of a machine that was killed are forgotten, those of a living daemon are not', () => {
  const run = join(scratch, 'run');
  mkdirSync(join(run, 'docker', 'containerd'), { recursive: true });
  const [daemon, containerd] = [join(run, 'docker.pid'), join(run, 'docker', 'containerd', 'containerd.pid')];
  // The number was given to another program since.
  writeFileSync(containerd, String(process.pid));
  const living = execFileSync('pidof', ['-s', 'dockerd'], { encoding: 'utf8' });
  writeFileSync(daemon, living);
  forgetDeadDaemons(run);
  expect(existsSync(containerd)).toBe(false);
  expect(existsSync(daemon)).toBe(true);
});
