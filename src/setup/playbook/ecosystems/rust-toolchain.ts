import { aptInstall } from '../apt';

const LINKER = ['gcc', 'libc6-dev', 'pkg-config'];

/** Debian keeps a current toolchain beside its old one, for building browsers: the old one does not know the sparse index. */
export const RUST = `{ { ${aptInstall(['cargo-web', 'rustc-web', ...LINKER])}; } || { ${aptInstall(['cargo', 'rustc', ...LINKER])}; }; } && cargo --version`;

/** What cargo says where something is written for a newer compiler than there is. */
export const RUST_VERSION =
  /requires rustc 1\.\d+|rustc [\d.]+ is not supported|feature `edition\d+` is required|edition values are [^\n]* but `\d+` is unknown/g;

export const PREFER_OLDER_CRATES = 'export CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback';
export const OLDER_CRATES = `${PREFER_OLDER_CRATES} && cargo update`;
