import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../../src/home';

const scratch = mkdtempSync(join(tmpdir(), 'pointsman-launchers-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('the launcher works through links, in any directory, and keeps stdout for the command', () => {
  symlinkSync(join(REPOSITORY, 'bin', 'pointsman'), join(scratch, 'first'));
  symlinkSync('first', join(scratch, 'pointsman'));
  const help = execFileSync(join(scratch, 'pointsman'), ['--help'], { cwd: scratch, encoding: 'utf8' });
  expect(help).toMatch(/^Usage: pointsman/);
});

test('an unknown command is refused with the list, and dependencies that are there are left alone', () => {
  const fresh = (...args: string[]) =>
    spawnSync('bash', [join(REPOSITORY, 'bin', 'fresh'), ...args], { encoding: 'utf8' });
  expect(fresh('tset')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/test \[args\][\s\S]*no command 'tset'/),
  });
  expect(fresh('deps')).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test('a measurement that is not there is refused with those that are, each of them loaded', () => {
  const { status, stderr } = spawnSync('npx', ['tsx', join('bench', 'main.ts'), 'nothing'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/^no bench "nothing" \(there are: .*rollout/),
  });
});

test('the shell programs parse', () => {
  for (const file of ['bin/fresh', '.ci/run']) execFileSync('bash', ['-n', join(REPOSITORY, file)]);
});
