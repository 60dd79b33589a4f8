import { remedyFor } from './remedy-for';

const GO = { 'go.mod': 'module host.invalid/stamp\n\ngo 1.17\n', 'a.go': '', 'a_test.go': '' };
const RUST = { 'Cargo.toml': '[package]\nname="stamp"\nversion="1.0.0"\n', 'src/lib.rs': '' };

test.each([
  ['go: errors parsing go.mod:\n/w/go.mod:5: unknown directive: toolchain', 'go1.21.0.linux'],
  ['/w/go.mod:7: unknown directive: tool', 'go1.24.0.linux'],
  ['/w/go.mod:7: unknown block type: ignore', 'go1.25.0.linux'],
  ['go: go.mod requires go >= 1.24.0 (running go 1.19.8; GOTOOLCHAIN=local)', 'go1.24.0.linux'],
  ['go: host.invalid/y@v1.2.3 requires go >= 1.23 (running go 1.21.0)', 'go1.23.0.linux'],
  ['a.go:5:10: cannot range over f: requires go1.23 or later (-lang was set to go1.21)', 'go1.23.0.linux'],
  ['a.go:4:2: package slices is not in GOROOT (/usr/lib/go-1.19/src/slices)', 'go1.21.0.linux'],
  ['a.go:4:2: package weak is not in std (/usr/local/go/src/weak)', 'go1.24.0.linux'],
  ['a.go:4:2: package math/rand/v2 is not in std', 'go1.22.0.linux'],
  ['a.go:4:2: package iter is not in GOROOT', 'go1.23.0.linux'],
  ['a.go:4:2: package testing/synctest is not in std', 'go1.25.0.linux'],
  ['a.go:4:2: package made/by/generator is not in std (/usr/local/go/src/made)', 'finish'],
  ['error obtaining VCS status: exit status 128\n\tUse -buildvcs=false', 'export GOFLAGS='],
  ['go: missing Git command. See https://golang.org/s/gogetcmd', ' git'],
  ['git: executable file not found in $PATH', ' git'],
])('go: %s', (text, expected) => {
  const found = remedyFor(GO, 'go/build', text);
  if (expected === 'finish') expect(found).not.toContain('toolchain@');
  else expect(found).toContain(expected);
});

test('what was asked of Go before is still asked', () => {
  expect(remedyFor(GO, 'go/build', 'error obtaining VCS status: exit status 128')).toBe(
    'export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"',
  );
});

test.each([
  ['feature `edition2024` is required\n\n  The package requires the Cargo feature', 'CARGO_RESOLVER_INCOMPATIBLE'],
  ['supported edition values are `2015`, `2018`, or `2021`, but `2024` is unknown', 'CARGO_RESOLVER_INCOMPATIBLE'],
  ['error: NASM command not found or failed to execute.', ' nasm'],
  [
    'error: the lock file /w/Cargo.lock needs to be updated but --locked was passed to prevent this',
    'cargo generate-lockfile',
  ],
  ['error: cannot update the lock file /w/Cargo.lock because --locked was passed to prevent this', 'generate-lockfile'],
  ['failed to execute command: No such file or directory (os error 2)\nis `cmake` not installed?', ' cmake'],
  ['thread main panicked: is not installed: cmake', ' cmake'],
])('rust: %s', (text, expected) => {
  expect(remedyFor(RUST, 'rust/build', text)).toContain(expected);
});
