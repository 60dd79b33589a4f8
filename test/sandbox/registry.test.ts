import { registryFailure } from '../../src/sandbox/docker/registry';

test.each([
  ['registry.internal/api:500', 'manifest for registry.internal/api:500 not found: manifest unknown', 'NotFound'],
  ['team/reset-tool:404', 'toomanyrequests: rate limit of team/reset-tool:404', 'Unavailable'],
  ['registry.internal/app:1', 'received unexpected HTTP status: 503 Service Unavailable', 'Unavailable'],
  ['registry.internal/app:1', 'unauthorized: authentication required', 'InvalidInput'],
  ['registry.internal/app:1', 'something that nobody has seen', 'Unavailable'],
])('%s: "%s" is %s, whatever the image is called', (image, said, code) => {
  expect(registryFailure('pulled', image, new Error(said))).toMatchObject({
    code,
    message: expect.stringContaining(said),
  });
});
