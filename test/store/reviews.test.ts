import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileDocuments } from '../../src/store/local/rows';
import { Reviews } from '../../src/store/reviews';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-reviews-'));
afterAll(() => rmSync(folder, { recursive: true }));

const said = (accepted: boolean) => ({ accepted, why: 'looked at it', by: 'ann', at: '2026-11-25T00:00:00.000Z' });

test('nobody has said anything of anything', async () => {
  const reviews = new Reviews(fileDocuments(join(folder, 'none'), 'reviews'));
  expect(await reviews.reviewed()).toEqual(new Set());
  expect(await reviews.of('rollout/a')).toBeUndefined();
});

test('the last word on a rollout counts, whatever its id holds', async () => {
  const reviews = new Reviews(fileDocuments(join(folder, 'some'), 'reviews'));
  const ids = ['rollout/a', '..', 'campaign/ä b/0001'];
  for (const id of ids) await reviews.keep(id, said(true));
  await reviews.keep('..', said(false));
  expect(await reviews.reviewed()).toEqual(new Set(ids));
  expect(await reviews.of('..')).toEqual(said(false));
});
