/** The Go release that a package of the standard library came with: an older one says that it is not in it. */
export const STANDARD_SINCE: Readonly<Record<string, string>> = {
  'go/version': '1.22',
  'math/rand/v2': '1.22',
  'log/slog': '1.21',
  'testing/slogtest': '1.21',
  'testing/synctest': '1.25',
  'crypto/ecdh': '1.20',
  'crypto/fips140': '1.24',
  'crypto/hkdf': '1.24',
  'crypto/mlkem': '1.24',
  'crypto/pbkdf2': '1.24',
  'crypto/sha3': '1.24',
  'net/netip': '1.18',
  cmp: '1.21',
  iter: '1.23',
  maps: '1.21',
  slices: '1.21',
  structs: '1.23',
  unique: '1.23',
  weak: '1.24',
};

/** The same for what may stand in a `go.mod` or `go.work`. */
export const DIRECTIVE_SINCE: Readonly<Record<string, string>> = {
  toolchain: '1.21',
  godebug: '1.23',
  tool: '1.24',
  ignore: '1.25',
};
