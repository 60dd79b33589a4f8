import { remedyFor } from './remedy-for';
import { dossierOf, OK, simulate, textOf } from './simulated';

const MODULES = {
  'a/go.mod': 'module host.invalid/a\n\ngo 1.17\n',
  'a/a_test.go': '',
  'b/go.mod': 'module host.invalid/b\n\ngo 1.18\n',
  'b/b_test.go': '',
};
const goes = (files: Readonly<Record<string, string>>) =>
  simulate(dossierOf(files), () => OK)
    .seen.map(({ move }) => textOf(move))
    .filter((line) => /\bgo (mod|build|test)\b/.test(line));

test('modules below the root are each fetched, built and tested; none is made', () => {
  const each = (command: string) =>
    `(ended=0; for module in a b; do (cd "$module" && ${command}) || ended=$?; done; exit $ended)`;
  const expected = ['go mod download', 'go build ./...', "go test -run '^$' ./..."].map(each);
  expect(goes(MODULES)).toEqual(expected);
  expect(goes({ ...MODULES, 'go.work': 'go 1.18\nuse (\n./a\n./b\n)\n' })).toEqual(expected);
});

test('the version that a workspace asks for is installed', () => {
  const [newer] = goes({ ...MODULES, 'go.work': 'go 1.22.3\nuse (\n./a\n./b\n)\n' });
  expect(newer).toContain('golang.org/toolchain@v0.0.1-go1.22.3.linux');
});

test('where only the list of what was vendored came along, modules are taken from the proxy', () => {
  const files = { 'go.mod': 'module host.invalid/a\n', 'a.go': '', 'a_test.go': '', 'vendor/modules.txt': '' };
  const text = 'cannot find module providing package host.invalid/x: import lookup disabled by -mod=vendor';
  expect(remedyFor(files, 'go/build', text)).toBe('export GOFLAGS=-mod=mod && go mod download');
});

test('only where there is none at all, a module is made', () => {
  expect(goes({ 'a.go': '', 'a_test.go': '' })[0]).toBe('go mod init module.local/main && go mod tidy');
});

test.each([
  ['beside it', 'replace host.invalid/core => ../../\n', 'host.invalid/core'],
  ['of one version', 'replace host.invalid/core v1.2.0 => ../core\n', 'host.invalid/core@v1.2.0'],
  [
    'of a list',
    'replace (\n\thost.invalid/core => ../core // here\n\thost.invalid/x => host.invalid/y v1.0.0\n)\n',
    'host.invalid/core',
  ],
])('a module that is replaced by a folder %s comes from the proxy where that is not there', (_, replace, dropped) => {
  const files = { 'go.mod': `module host.invalid/a\n\n${replace}`, 'a.go': '', 'a_test.go': '' };
  expect(goes(files)[0]).toBe(`(cd . && go mod edit -dropreplace=${dropped} && go mod tidy)`);
});

test('a replacement that is there stays', () => {
  const files = {
    'go.mod': 'module host.invalid/a\n\nreplace host.invalid/core => ./core\n',
    'core/go.mod': 'module host.invalid/core\n',
    'a_test.go': '',
  };
  expect(goes(files)[0]).toBe('go mod download');
});

test.each([
  ['Go', { 'go.mod': 'module host.invalid/a\n', 'a_test.go': '' }, "go test -run '^$' ./..."],
  ['Rust', { 'Cargo.toml': '[package]\nname = "a"\n', 'src/lib.rs': '', 'tests/a.rs': '' }, 'cargo test --no-run'],
])('tests of %s are built, and run by the verifier alone', (_, files, built) => {
  const { seen } = simulate(dossierOf(files as unknown as Record<string, string>), () => OK);
  const lines = seen.map(({ move }) => textOf(move));
  expect(lines.filter((line) => /\b(?:go|cargo) test\b/.test(line))).toEqual([built]);
  expect(lines.at(-1)).toBe('verify');
});
