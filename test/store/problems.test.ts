import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem, type Ref } from '../../src/contract';
import { FileBlobs } from '../../src/store/local/blobs';
import { fileDocuments } from '../../src/store/local/rows';
import { Problems } from '../../src/store/problems';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-problems-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const blobs = new FileBlobs(join(folder, 'blobs'));
const of = (home: string) => new Problems(join(folder, home), blobs, fileDocuments(join(folder, home), 'controls'));

test('an id of one home becomes what another home finds; what it does not know stays as it is', async () => {
  const problem = Problem.parse({
    id: 'tiny',
    image: 'none',
    workdir: '/repo',
    statement: 'Mend it.',
    tests: { command: 'true', parser: { kind: 'auto' }, failToPass: ['a'], passToPass: [] },
  });
  mkdirSync(join(folder, 'desk', 'tiny'), { recursive: true });
  writeFileSync(join(folder, 'desk', 'tiny', 'problem.json'), JSON.stringify(problem));
  const ref = await of('desk').portable('tiny');
  expect(await of('host').find(ref)).toEqual(problem);
  for (const source of ['other', '/a/path', problem, ref as Ref])
    expect(await of('desk').portable(source)).toBe(source);
});
