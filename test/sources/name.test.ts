import fc from 'fast-check';
import { z } from 'zod';
import {
  isPointsmanError,
  labelOfSource,
  parseInput,
  parseSource,
  projectOfSource,
  SourceName,
} from '../../src/contract';

const HEX = 'a'.repeat(64);

describe('a source', () => {
  it.each([
    ['pypi:yamllint==1.28.0', { kind: 'pypi', name: 'yamllint', version: '1.28.0' }, 'yamllint-1.28.0'],
    ['pypi:a.b_c==1.0rc1+x', { kind: 'pypi', name: 'a.b_c', version: '1.0rc1+x' }, 'a.b_c-1.0rc1+x'],
    ['npm:qs@6.11.0', { kind: 'npm', name: 'qs', version: '6.11.0' }, 'qs-6.11.0'],
    ['npm:@types/ms@2.1.0', { kind: 'npm', name: '@types/ms', version: '2.1.0' }, 'ms-2.1.0'],
    [
      'go:github.com/spf13/pflag@v1.0.5',
      { kind: 'go', name: 'github.com/spf13/pflag', version: 'v1.0.5' },
      'pflag-v1.0.5',
    ],
    ['go:gopkg.in/yaml.v3@v3.0.1', { kind: 'go', name: 'gopkg.in/yaml.v3', version: 'v3.0.1' }, 'yaml.v3-v3.0.1'],
    ['crate:itoa@1.0.11', { kind: 'crate', name: 'itoa', version: '1.0.11' }, 'itoa-1.0.11'],
    ['deb-src:hello=2.10-3', { kind: 'deb-src', name: 'hello', version: '2.10-3' }, 'hello-2.10-3'],
    [
      'deb-src:g++-x=1:2.0~rc1+dfsg-1',
      { kind: 'deb-src', name: 'g++-x', version: '1:2.0~rc1+dfsg-1' },
      'g++-x-1:2.0~rc1+dfsg-1',
    ],
    [
      'git+https://h.example/o/r.git@v1.0',
      { kind: 'git', url: 'https://h.example/o/r.git', revision: 'v1.0' },
      'r-v1.0',
    ],
    [
      'git+https://h.example/o/r@feature/x',
      { kind: 'git', url: 'https://h.example/o/r', revision: 'feature/x' },
      'r-feature-x',
    ],
    [
      'git+https://h.example/r.git@@scope/pkg@1.0.0',
      { kind: 'git', url: 'https://h.example/r.git', revision: '@scope/pkg@1.0.0' },
      'r-@scope-pkg@1.0.0',
    ],
    [
      'git+ssh://git@h.example/o/r.git@main',
      { kind: 'git', url: 'ssh://git@h.example/o/r.git', revision: 'main' },
      'r-main',
    ],
    ['git+file:///srv/r@0123abc', { kind: 'git', url: 'file:///srv/r', revision: '0123abc' }, 'r-0123abc'],
    ['dir:/srv/my project', { kind: 'dir', path: '/srv/my project' }, 'my project'],
    ['archive:/srv/p-1.0.tar.gz', { kind: 'archive', location: '/srv/p-1.0.tar.gz' }, 'p-1.0'],
    [`archive:/srv/p.zip#sha256=${HEX}`, { kind: 'archive', location: '/srv/p.zip', sha256: HEX }, 'p'],
    [
      `archive:https://h.example/p.tar.xz#sha256=${HEX}`,
      { kind: 'archive', location: 'https://h.example/p.tar.xz', sha256: HEX },
      'p',
    ],
  ])('%s is read', (text, spec, label) => {
    expect(parseSource(text)).toEqual(spec);
    expect(labelOfSource(text)).toBe(label);
    expect(SourceName.safeParse(text).success).toBe(true);
  });

  it.each([
    ['pypi:yamllint', 'version is missing', undefined],
    ['pypi:yamllint=1.28.0', 'expected pypi:NAME==VERSION', 'pypi:yamllint==1.28.0'],
    ['pypi:yamllint@1.28.0', 'expected pypi:NAME==VERSION', 'pypi:yamllint==1.28.0'],
    ['npm:qs==6.11.0', 'expected npm:NAME@VERSION', 'npm:qs@6.11.0'],
    ['npm:@types/ms=2.1.0', 'expected npm:NAME@VERSION', 'npm:@types/ms@2.1.0'],
    ['npm:qs@latest', 'not well formed', undefined],
    ['go:github.com/spf13/pflag@1.0.5', 'expected go:MODULE@vVERSION', 'go:github.com/spf13/pflag@v1.0.5'],
    ['go:github.com/x/../y@v1', 'not well formed', undefined],
    ['crate:itoa==1.0.11', 'expected crate:NAME@VERSION', 'crate:itoa@1.0.11'],
    ['deb-src:hello==2.10-3', 'expected deb-src:NAME=VERSION', 'deb-src:hello=2.10-3'],
    ['git+https://h.example/o/r.git', 'revision is missing', undefined],
    ['git+ssh://git@h.example/o/r.git', 'revision is missing', undefined],
    ['git+git@h.example:o/r.git@v1', 'without a scheme', 'git+ssh://git@h.example/o/r.git@v1'],
    ['git+https://me:secret@h.example/r.git@v1', 'credentials', undefined],
    ['git+https://token@h.example/r.git@v1', 'credentials', undefined],
    ['git+https://h.example/r.git@--upload-pack=x', 'revision is not well formed', undefined],
    ['git+https://h.example/r.git@v1#egg=r', 'fragment', undefined],
    ['git+ext::sh -c x@v1', 'not one that is fetched', undefined],
    ['dir:here', 'not absolute', undefined],
    ['archive:p.tar.gz', 'neither an absolute path nor a URL', undefined],
    ['archive:https://h.example/p.tar.gz', 'a URL needs the sha256', undefined],
    ['archive:/srv/p.tar.gz#sha256=abc', '64 small hex digits', undefined],
    [`archive:https://u:p@h.example/p.zip#sha256=${HEX}`, 'credentials', undefined],
    ['pip:yamllint==1.28.0', 'unknown kind of source "pip"', 'pypi:yamllint==1.28.0'],
    ['pipy:yamllint==1.28.0', 'unknown kind of source "pipy"', 'pypi:yamllint==1.28.0'],
    ['cargo:itoa@1.0.11', 'unknown kind of source', 'crate:itoa@1.0.11'],
    ['deb:hello=2.10-3', 'unknown kind of source', 'deb-src:hello=2.10-3'],
    ['yamllint==1.28.0', 'unknown kind of source;', 'pypi:yamllint==1.28.0'],
    ['/srv/project', 'unknown kind of source', 'dir:/srv/project'],
    ['/srv/p.tar.gz', 'unknown kind of source', 'archive:/srv/p.tar.gz'],
    ['https://h.example/o/r.git@v1', 'unknown kind of source "https"', 'git+https://h.example/o/r.git@v1'],
    ['git@h.example:o/r.git@v1', 'unknown kind of source', 'git+ssh://git@h.example/o/r.git@v1'],
    ['', 'unknown kind of source;', undefined],
  ])('%s is refused with what was meant', (text, why, meant) => {
    const refusal = refusalOf(() => parseSource(text, 'before'));
    expect(refusal).toMatchObject({ code: 'InvalidInput', message: expect.stringContaining(why) });
    expect(refusal.message).toMatch(/^before: .*expected .*\(found "/);
    if (meant) expect(refusal.message).toContain(`did you mean "${meant}"?`);
    else expect(refusal.message).not.toContain('did you mean');
  });

  it('says the same as a field of an input', () => {
    const refusal = refusalOf(() =>
      parseInput(z.object({ after: SourceName }), { after: 'npm:qs==6.11.0' }, 'problem'),
    );
    expect(refusal.message).toBe(
      'problem: after: not well formed; expected npm:NAME@VERSION; did you mean "npm:qs@6.11.0"? (found "npm:qs==6.11.0")',
    );
  });

  it('is read or refused, whatever the text', () => {
    const kinds = fc.constantFrom(
      ...['pypi:', 'npm:', 'go:', 'crate:', 'deb-src:', 'git+https://', 'archive:', 'dir:', 'x:', ''],
    );
    const rest = fc.string({ unit: fc.constantFrom(...'ab1@=:/.-v#+\n ') });
    fc.assert(
      fc.property(kinds, rest, (kind, end) => {
        const label = labelled(kind + end);
        // A label becomes part of ids and of names of files.
        expect(label).not.toBe('');
        expect(label).not.toContain('/');
      }),
      {
        examples: [
          ['archive:', '/'],
          ['dir:', '/'],
          ['dir:', '/a//'],
        ],
      },
    );
  });
});

/** The label, or that there is none because the text was refused as it should be. */
function labelled(text: string): string {
  try {
    return labelOfSource(text);
  } catch (error) {
    expect(isPointsmanError(error) && error.code).toBe('InvalidInput');
    return 'refused';
  }
}

function refusalOf(attempt: () => unknown): Error {
  try {
    attempt();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was not refused');
}

describe('the project of a source', () => {
  const sha = `#sha256=${'a'.repeat(64)}`;
  it.each([
    ['pypi:Foo_Bar==1.0', 'pypi:foo-bar==2.0'],
    ['npm:@types/node@20.1.0', 'npm:@types/node@22.0.0'],
    ['go:example.org/a/b@v1.2.3', 'go:example.org/a/b/v2@v2.0.0'],
    ['crate:serde_json@1.0.0', 'crate:serde-json@1.1.0'],
    ['deb-src:jq=1.6-2', 'deb-src:jq=1.7-1'],
    ['git+https://h/a/b.git@v1', 'git+https://h/a/b@deadbeef'],
    ['dir:/srv/a', 'dir:/srv//a/'],
    ['archive:/one/foo-1.0.tar.gz', `archive:https://h/two/foo-1.1rc1.zip${sha}`],
    [`archive:https://h/a/b/archive/v1.0.tar.gz${sha}`, `archive:https://h/a/b/archive/main.zip${sha}`],
  ])('is the same for %s and %s', (one, other) => {
    expect(projectOfSource(one)).toBe(projectOfSource(other));
  });
  it.each([
    ['pypi:foo==1.0', 'npm:foo@1.0.0'],
    ['npm:@a/foo@1.0.0', 'npm:@b/foo@1.0.0'],
    ['git+https://h/a/b@v1', 'git+https://h/a/c@v1'],
    ['dir:/tmp/x/project', 'dir:/tmp/y/project'],
    ['archive:/srv/foo-1.0.zip', 'archive:/srv/foo-extra-1.0.zip'],
    [`archive:https://h/a/b/archive/v1.0.tar.gz${sha}`, `archive:https://h/a/c/archive/v1.0.tar.gz${sha}`],
    ['no source', 'none either'],
  ])('is another for %s and %s', (one, other) => {
    expect(projectOfSource(one)).not.toBe(projectOfSource(other));
  });
});
