import { quoted } from '../../experience/quoting';
import { aptInstall } from '../apt';
import { type Ecosystem, type Goal, type Project, type Reader, type Remedy, shell, step } from '../goal';
import { OLDER_CRATES, RUST, RUST_VERSION } from './rust-toolchain';

const isWorkspace = ({ survey }: Project) => /^\[workspace\]/m.test(survey.texts['Cargo.toml'] ?? '');

/** Its tests are built here and run by the verifier, once: what they say is read there as well as it would be here. */
function plan(project: Project): Goal[] {
  const all = isWorkspace(project) ? ' --workspace' : '';
  return [
    step('toolchain', 'Install Rust, and the linker that it needs.', RUST),
    step('dependencies', 'Fetch its crates.', 'cargo fetch'),
    step(
      'build',
      'Build it with its tests.',
      (ways) => `cargo test${all}${ways.get('features') === 'all' ? ' --all-features' : ''} --no-run`,
      true,
    ),
  ];
}

const readers: readonly Reader[] = [
  {
    cause: 'lock',
    pattern: /lock file version `?\d+`? (?:was found|requires)|failed to parse lock file|--locked was passed/g,
    what: () => '',
  },
  { cause: 'rust-version', pattern: RUST_VERSION, what: () => '' },
  {
    cause: 'denied-lint',
    pattern:
      /lint level is defined here\s+-->[^\n]*\n[^#]*#!?\[(?:deny|forbid)\(|`#\[(?:deny|forbid)\([^)]*\)\]` (?:implied by|on by default)|requested on the command line with `-D /g,
    what: () => '',
  },
  {
    cause: 'target',
    pattern: /can't find (?:example|bench|test) `[^`]+` at path `([^`]+)`/g,
    what: ([, path], { survey, workdir }) => {
      const inTree = path?.startsWith(`${workdir}/`) ? path.slice(workdir.length + 1) : null;
      return inTree === null || survey.paths.includes(inTree) ? null : inTree;
    },
  },
  { cause: 'features', pattern: /requires the features: ([^\n]+)/g, what: () => '' },
  {
    cause: 'libclang',
    pattern: /Unable to find libclang|couldn't find any valid shared libraries matching: \['libclang/g,
    what: () => '',
  },
  {
    cause: 'command',
    pattern: /(?:is `?cmake`? not installed|failed to execute command:[^\n]*cmake)/g,
    what: () => 'cmake',
  },
  { cause: 'command', pattern: /Could not find `?protoc`?/g, what: () => 'protoc' },
  {
    cause: 'header',
    pattern: /Could not find directory of OpenSSL installation|OpenSSL (?:headers|development) /g,
    what: () => 'openssl/ssl.h',
  },
];

const remedies: readonly Remedy[] = [
  {
    name: 'make the lock anew',
    cause: 'lock',
    sure: true,
    fix: () => ({ act: shell('rm -f Cargo.lock && cargo generate-lockfile') }),
  },
  {
    // Only the resolver can choose older versions of what asks for a newer compiler.
    name: 'resolve for this compiler',
    cause: 'rust-version',
    sure: true,
    fix: () => ({ act: shell(OLDER_CRATES) }),
  },
  {
    // What the author forbade himself grows with every compiler: taste, not an error of this code.
    name: 'let lints warn',
    cause: 'denied-lint',
    sure: true,
    fix: () => ({ act: { action: 'set_env', key: 'RUSTFLAGS', value: '--cap-lints warn' } }),
  },
  {
    // Cargo reads no manifest that names a file which is not there, and packages are published without their examples.
    name: 'put an empty one in place of what the archive lacks',
    cause: 'target',
    sure: true,
    fix: (whats) => {
      const put = (path: string) =>
        `{ mkdir -p "$(dirname ${quoted(path)})" && echo 'fn main() {}' > ${quoted(path)}; }`;
      return { act: shell(whats.map(put).join(' && ')) };
    },
  },
  {
    name: 'turn all features on',
    cause: 'features',
    sure: true,
    fix: (_, { goal }) => (goal.id.endsWith('/build') ? { way: ['features', 'all'] } : null),
  },
  {
    name: 'install it',
    cause: 'libclang',
    sure: true,
    fix: () => ({ act: shell(aptInstall(['libclang-dev', 'clang'])) }),
  },
];

export const rust: Ecosystem = { name: 'rust', plan, readers, remedies };
