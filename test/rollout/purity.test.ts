import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../src/rollout');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);

test.each(sources)('%s does nothing but compute', (_, source) => {
  const imported = [...source.matchAll(/from '([^']+)'/g)].map((hit) => hit[1] ?? '');
  for (const name of imported)
    expect(name).toMatch(/^(\.{1,2}\/(?!.*(adapters|sandbox|model|store|workflows|activities)\/)|zod$)/);
  expect(source).not.toMatch(/Math\.random|\bDate\b|process\.|performance\./);
});

test('only the byte edits use Buffer, so workflows may bundle the rest', () => {
  const using = sources.filter(([, source]) => source.includes('Buffer')).map(([path]) => path);
  expect(using.sort()).toEqual(['tools/edit-plan.ts']);
});
