import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileDocuments } from '../../src/store/local/documents';
import { FileTimings } from '../../src/store/local/timings';
import { documentsConformance, timingsConformance } from './documents';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-documents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('documents as files', () => {
  documentsConformance(() => new FileDocuments(join(folder, 'files'), '.json'));
});

describe('timings as files', () => {
  timingsConformance(() => new FileTimings(join(folder, 'timings')));
});

test('a document in a folder of its name is listed, and no draft stays', async () => {
  const documents = new FileDocuments(join(folder, 'folders'), '/rollouts.jsonl');
  await documents.put('campaign/a', 'text');
  expect(await documents.names()).toEqual(['campaign/a']);
  expect(readdirSync(join(folder, 'folders'), { recursive: true })).toHaveLength(2);
});
