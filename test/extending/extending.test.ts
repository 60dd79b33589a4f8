import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../../src/home';
import { roomOf } from '../../src/rooms';
import { ADDITIONS, type Line } from './additions';

const PLUGINS = join(__dirname, 'plugins');
const at = (...path: string[]) => join(REPOSITORY, ...path);

function insert(copy: string, { in: file, after, add }: Line): void {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const place = text.indexOf(after);
  if (place < 0) throw new Error(`${file} has no ${JSON.stringify(after)} to add ${JSON.stringify(add)} after`);
  writeFileSync(path, text.slice(0, place + after.length) + add + text.slice(place + after.length));
}

/** A copy of the sources with everything added; in the repository, so that it finds the packages. */
function copied(): string {
  mkdirSync(at('.pointsman'), { recursive: true });
  const copy = mkdtempSync(at('.pointsman', 'extending-'));
  const parts = ['src', 'packages', 'prompts', 'package.json', 'tsconfig.json', 'test/extending', 'test/support'];
  for (const part of parts) cpSync(at(part), join(copy, part), { recursive: true });
  for (const { files, lines } of ADDITIONS) {
    for (const [from, to] of Object.entries(files)) {
      mkdirSync(dirname(join(copy, to)), { recursive: true });
      cpSync(join(PLUGINS, from), join(copy, to));
    }
    for (const line of lines) insert(copy, line);
  }
  return copy;
}

test('one of everything is added from outside: a file, and the lines that make it known', () => {
  const copy = copied();
  try {
    const config = { extends: './tsconfig.json', include: ['src'], exclude: ['src/pages/viewer/client'] };
    writeFileSync(join(copy, 'tsconfig.src.json'), JSON.stringify(config));
    const run = (program: string, ...args: string[]) => {
      const { stdout, stderr } = spawnSync(at('node_modules', '.bin', program), args, { cwd: copy, encoding: 'utf8' });
      return stdout + stderr;
    };
    expect(run('tsc', '--noEmit', '-p', 'tsconfig.src.json')).toBe('');
    expect(JSON.parse(run('tsx', 'test/extending/use.ts'))).toMatchObject({
      dialect: { ok: true, thought: 'look', action: { tool: 'search', args: { text: "it's" } } },
      tool: `grep -rnF -- 'it'"'"'s' . | head -n 50`,
      policy: ['student', 'student', 'expert', 'student'],
      exporter: true,
      ecosystem: [['ruby'], ['ruby/toolchain', 'ruby/dependencies', 'ruby/tests', 'verify']],
      atom: ['gem install --no-document rake'],
      source: [{ kind: 'gem', name: 'rake', version: '13.0.6' }, 'rake-13.0.6'],
      report: expect.arrayContaining(['Size']),
      reporter: { passed: 2, failed: 1 },
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}, 180_000);

test('where the compiler does not ask for an entry, the table is the only place', () => {
  for (const { what, lines } of ADDITIONS) {
    const places = lines.filter(({ add }) => !add.startsWith('\nimport'));
    expect({ what, places: places.length }).toEqual({ what, places: Math.min(places.length, 3) });
    for (const { in: file } of places) expect(roomOf(file)).toBeDefined();
  }
});

test('docs/extending.md shows each of them as it is', () => {
  const guide = readFileSync(at('docs', 'extending.md'), 'utf8');
  for (const { what, files, lines } of ADDITIONS) {
    expect(guide).toContain(`## ${what}\n`);
    for (const to of Object.values(files)) expect(guide).toContain(`\`${to}\``);
    for (const { in: file, add } of lines) {
      if (!add.startsWith('\nimport')) expect(guide).toContain(`\`${file}\``);
    }
  }
  for (const name of ['tool.ts', 'policy.ts', 'report-part.ts', 'atom.ts'])
    expect(guide).toContain(readFileSync(join(PLUGINS, name), 'utf8').trim());
});
