import { randomUUID } from 'node:crypto';
import type { ServiceSpec } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';

jest.setTimeout(120_000);

const owner = { workflowId: 'test/images', firstRunId: randomUUID() };
/** Named as images of hidden tests are. */
const SECRET = `pointsman/test-secret:${owner.firstRunId.slice(0, 8)}`;
const sandboxes = openSandboxes('test');
const spec: ServiceSpec = {
  ...{ name: 'spy', kind: 'container', packages: [], env: {}, image: SECRET },
  ...{ start: 'exec sleep infinity', health: 'true' },
};

beforeAll(() => sandboxes.images.tag(BASE_IMAGE, SECRET));
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
  await sandboxes.images.remove(SECRET);
});

function start(service: ServiceSpec, ...images: string[]) {
  const request = { owner, services: [service], base: BASE_IMAGE, install: () => undefined };
  const { services } = openSandboxes('test', undefined, { images });
  return services.startSiblings(request, new AbortController().signal);
}

test.each([SECRET, BASE_IMAGE, 'pointsman/problem', `${SECRET}@sha256:${'a'.repeat(64)}`])(
  'an agent starts no service from %s, which nobody has listed',
  async (image) => {
    const { started, failed } = await start({ ...spec, image }, 'redis', 'pointsman/test-secret');
    expect(started).toEqual([]);
    expect(failed).toMatchObject({ name: 'spy', why: expect.stringMatching(/services\.images.*: redis/) });
  },
);

test('it starts one from an image that the operator has listed, and from the base image with packages', async () => {
  expect(await start(spec, SECRET)).toEqual({ started: ['spy'], failed: null });
  const { image: _, ...packaged } = spec;
  expect(await start(packaged)).toEqual({ started: ['spy'], failed: null });
});
