import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reported } from '../../../src/grading/runners/ask';
import { followed } from '../../../src/grading/runners/follow';

const PROGRAM = join(__dirname, '../../../src/environments/grading/guest/report-arguments.cjs');
/** In the place of a runner: says in its report what it was called with. */
const RUNNER = `const file = process.argv.map((word) => /utput(?:File)?=(.*)/.exec(word)).find(Boolean);
const words = process.argv.slice(2).filter((word) => word !== file?.input);
require('node:fs').writeFileSync(file ? file[1] : '/dev/null', JSON.stringify(words));
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'late-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: 0o755 });
}

/** Runs a command line in the folder as a judge would; gives what each process of the runner was called with. */
function run(command: string): string[][] {
  const readFile = (path: string) => {
    try {
      return readFileSync(join(folder, path), 'utf8');
    } catch {
      return undefined;
    }
  };
  const asked = reported(command, followed(command, readFile), join(folder, 'report'));
  for (const { path, late } of asked.reports) {
    if (!late) continue;
    copyFileSync(PROGRAM, `${path}.cjs`);
    writeFileSync(`${path}.json`, JSON.stringify(late));
  }
  const { status, stderr } = spawnSync('bash', ['-c', asked.command], { cwd: folder, encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
  const reports = readdirSync(folder).filter((name) => /^report(\.\d)?-\d+$/.test(name));
  return reports.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[]).sort();
}

test.each([
  ['jest', 'jest/bin/jest.js', ['--json']],
  ['vitest', 'vitest/vitest.mjs', ['--reporter=json']],
  ['mocha', 'mocha/bin/mocha.js', ['--reporter', 'json', '--reporter-option']],
])('%s is asked for its report wherever a script starts it', (name, program, words) => {
  const text = program.endsWith('.mjs')
    ? `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n${RUNNER}`
    : RUNNER;
  write(`node_modules/${program}`, `#!/usr/bin/env node\n${text}`);
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(`../${program}`, join(folder, `node_modules/.bin/${name}`));
  write('package.json', '{"scripts": {"test": "./test.sh"}}');
  write(
    'test.sh',
    `#!/bin/sh\nset -e\nnode -e 0\nnode_modules/.bin/${name} a -- b\n${name} c\nnode ./node_modules/${program} d\n`,
  );
  expect(run('npm test --silent')).toEqual([
    ['a', ...words, '--', 'b'],
    ['c', ...words],
    ['d', ...words],
  ]);
});

test('runners of two kinds behind one script are each asked', () => {
  write('node_modules/jest/bin/jest.js', RUNNER);
  write('node_modules/mocha/bin/mocha.js', RUNNER);
  write('test.sh', 'node node_modules/jest/bin/jest.js a && node node_modules/mocha/bin/mocha.js b\n');
  expect(run('sh test.sh')).toEqual([
    ['a', '--json'],
    ['b', '--reporter', 'json', '--reporter-option'],
  ]);
});
