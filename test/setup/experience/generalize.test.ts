import { generalized, isParticular, particularsOf } from '../../../src/setup/experience/generalize';

test.each([
  ['pypi:shop-kit==1.3.0', 'shop_kit 1.3.0'],
  ['npm:@shop/kit@2.1.0', '@shop/kit 2.1.0'],
  ['go:github.com/shop/kit/v3@v3.2.1', 'github.com/shop/kit 3.2.1'],
  ['go:gopkg.in/kit.v3@v3.2.1', 'gopkg.in/kit v3.2.1'],
  ['deb-src:shop-kit=1:2.4.1-3+deb12u1', 'shop-kit 2.4.1'],
  ['deb-src:shop-kit=1:2.4.1-3+deb12u1', 'shop-kit 1:2.4.1-3+deb12u1'],
  ['archive:/srv/shop-kit-1.3.0.tar.gz', 'shop-kit 1.3.0'],
  [`archive:https://host/shop/shop-kit/archive/refs/tags/v1.3.0.tar.gz#sha256=${'0'.repeat(64)}`, 'shop-kit 1.3.0'],
  ['git+https://host/shop/shop-kit.git@v1.3.0', 'shopkit 1.3.0'],
  ['dir:/srv/shop-kit-1.3.0/', 'shop-kit 1.3.0'],
  ['/home/me/shop-kit', 'shop-kit'],
])('nothing of %s stays in a text', (source, text) => {
  const particulars = particularsOf(source, '/repo');
  const general = generalized(`cannot build ${text} in /repo/src`, particulars);
  expect(general).not.toMatch(/kit|\d/i);
  expect(general).toMatch(/^cannot build \S*PROJECT(?: VERSION)? in \.\/src$/);
  expect(isParticular(text, particulars)).toBe(true);
});

test('a version of one digit is in every other line, and tells nothing', () => {
  for (const source of ['deb-src:shop-kit=1-2', 'dir:/srv/shop-kit-1', 'git+https://host/shop-kit@1']) {
    expect(generalized('exited with 1', particularsOf(source, null))).toBe('exited with 1');
  }
});
