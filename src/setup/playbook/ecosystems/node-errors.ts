import type { Reader } from '../goal';

export const nodeReaders: readonly Reader[] = [
  {
    cause: 'unfetchable',
    pattern:
      /No matching version found for|npm (?:ERR!|error) code (?:ETARGET|E404)\b|git ls-remote|git dep preparation failed|Please make sure you have the correct access rights|ssh:\/\/git@|npm (?:ERR!|error) code (?:128|ENOGIT)|git\+(?:ssh|https)[^\n]*(?:fail|error|could not)/gi,
    what: () => '',
  },
  {
    cause: 'peer-conflict',
    pattern: /ERESOLVE|unable to resolve dependency tree|Conflicting peer dependency/g,
    what: () => '',
  },
  {
    cause: 'lock',
    pattern:
      /npm ci` can only install|lock file'?s? .* does not satisfy|ERR_PNPM_(?:OUTDATED|LOCKFILE|NO_LOCKFILE)|Your lockfile needs to be updated|YN0028|EUSAGE|LOCKFILE_BREAKING/g,
    what: () => '',
  },
  { cause: 'toolchain-source', pattern: /No matching distribution found for nodejs-(?:wheel|bin)/g, what: () => '' },
  {
    cause: 'node-module',
    pattern: /Cannot find (?:module|package) '([^'./][^']*)'/g,
    what: (found) => packageOf(found[1]!),
  },
  { cause: 'node-module', pattern: /Test environment (jest-environment-[\w-]+) cannot be found/g },
  {
    cause: 'node-module',
    pattern: /Preset ([^\s./][^\s]*) not found/g,
    what: (found) => packageOf(found[1]!),
  },
  {
    cause: 'node-built',
    pattern:
      /Cannot find module '(\.[^']*\/(?:dist|lib|build|out|es|cjs)[^']*|\/[^']*\/(?:dist|build|out|cjs)\/[^']*)'/g,
    what: () => '',
  },
  {
    cause: 'node-gyp',
    pattern: /gyp ERR! (?:build error|find Python|stack Error: not found: make)|gyp ERR! stack Error: `?make`? /g,
    what: () => '',
  },
  {
    cause: 'node-own-script',
    pattern: /npm (?:ERR!|error) path (\S+)\nnpm (?:ERR!|error) command failed/g,
    what: (found, { workdir }) => (found[1] === workdir ? '' : null),
  },
  {
    cause: 'node-headers',
    pattern: /gyp http GET \S+-headers\.tar\.gz[\s\S]{0,200}?install got an error/g,
    what: () => '',
  },
  { cause: 'node-version', pattern: /notsup Required:\s*\{[^}\n]*"node":\s*"([^"]+)"/g },
  { cause: 'node-version', pattern: /(?:ERR!|error) notsup [^\n]*wanted: \{[^}\n]*"node":"([^"]+)"/g },
  { cause: 'node-version', pattern: /The engine "node" is incompatible[^\n]*Expected version "([^"]+)"/g },
  { cause: 'node-version', pattern: /Unsupported environment[\s\S]{0,300}?Expected version: ([^\n]+)/g },
  { cause: 'workspace-protocol', pattern: /Unsupported URL Type "workspace:"/g },
  { cause: 'old-openssl', pattern: /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported/g },
  { cause: 'missing-install', pattern: /sh: (?:\d+: )?([\w-]+): (?:not found|command not found)/g },
];

/** `lodash/get` → `lodash`, `@scope/name/deep` → `@scope/name`. */
function packageOf(path: string): string | null {
  if (path.startsWith('node:') || path.startsWith('/')) return null;
  const parts = path.split('/');
  return path.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}
