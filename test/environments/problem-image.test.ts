import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deps } from '../../src/deps';
import { ensureProblemImage, imageOf } from '../../src/environments/problem-environment';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { FileBlobs } from '../../src/store/local/blobs';
import { tinyProblem } from '../support/tiny-problem';

const folder = mkdtempSync(join(tmpdir(), 'problem-image-'));
const sandboxes = new DockerSandboxes('test-problem-image');
afterAll(() => {
  sandboxes.close();
  rmSync(folder, { recursive: true, force: true });
});

test('runs of one grade that all want an image that is not here yet have it made once', async () => {
  const tiny = await tinyProblem();
  const content = randomUUID();
  const problem = { ...tiny, preparation: { patch: '', files: [{ path: 'notes.txt', content }] } } as typeof tiny;
  const owner = { workflowId: 'test/grade', firstRunId: randomUUID() };
  const made = jest.spyOn(sandboxes, 'workshop');
  const deps = { sandboxes, blobs: new FileBlobs(join(folder, 'blobs')), imageRoad: 'none' } as unknown as Deps;
  const { signal } = new AbortController();
  const given = await Promise.all(Array.from({ length: 4 }, () => ensureProblemImage(deps, owner, problem, signal)));
  expect(new Set(given)).toEqual(new Set([imageOf(problem)]));
  expect(made).toHaveBeenCalledTimes(1);
  expect(await sandboxes.images.find(imageOf(problem))).toBeDefined();
  await sandboxes.images.remove(imageOf(problem));
});
