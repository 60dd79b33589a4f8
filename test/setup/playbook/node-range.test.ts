import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowsNode } from '../../../src/setup/playbook/ecosystems/node';
import { nodeCheck } from '../../../src/setup/roles/rules/checks';

const RANGES = [
  ['>=14 <19', '18.18.2', true],
  ['>=14 <19', '22.1.0', false],
  ['^18.12 || >=20', '22.1.0', true],
  ['^18.12 || >=20', '18.2.0', false],
  ['12.x', '14.19.3', false],
  ['>= 16.0.0, < 17', '16.15.1', true],
  ['14 - 16', '16.15.1', true],
  ['14 - 16', '18.0.0', false],
  ['~18.18', '18.18.2', true],
  ['<=18', '18.18.2', true],
  ['>18', '18.18.2', false],
  ['v20', '20.1.0', true],
  ['20.11.0', '20.11.1', false],
  ['*', '22.1.0', true],
  ['lts/hydrogen', '22.1.0', true],
] as const;

test.each(RANGES)('%s and %s: %s', (range, version, expected) => {
  expect(allowsNode(range, version)).toBe(expected);
});

test('the court’s own check in the container says the same of the Node.js that runs it', () => {
  const said = (range: string) => {
    try {
      return execFileSync('bash', ['-c', nodeCheck('/tmp', [['node', range]])], { encoding: 'utf8' }) === '';
    } catch {
      return false;
    }
  };
  const ours = process.version.slice(1);
  const ranges = [...RANGES.map(([range]) => range), `^${ours}`, `>${ours}`, `<${ours}`, ours];
  expect(ranges.map(said)).toEqual(ranges.map((range) => allowsNode(range, ours)));
});

test('one that is too old for the check itself is examined all the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-old-node-'));
  // As 0.10 does with a program that begins with `const`.
  writeFileSync(
    join(folder, 'node'),
    '#!/bin/sh\n[ "$1" = -p ] && echo v0.10.48 || { echo SyntaxError >&2; exit 8; }\n',
  );
  chmodSync(join(folder, 'node'), 0o755);
  const said = (range: string) => {
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    try {
      return execFileSync('bash', ['-c', nodeCheck('/tmp', [['node', range]])], { encoding: 'utf8', env });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  expect([said('>=0.8'), said('>=4')]).toEqual(['', 'missing\tnode\t>=4\tthis is Node.js v0.10.48\n']);
  rmSync(folder, { recursive: true });
});
