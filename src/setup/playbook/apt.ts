import { type Act, shell } from './goal';

/** Installs Debian packages without a question and without what they only recommend. */
export function aptInstall(packages: readonly string[]): string {
  return `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packages.join(' ')}`;
}

export function install(packages: readonly string[]): Act {
  return shell(aptInstall([...new Set(packages)]));
}

/**
 * Finds the Debian packages whose files match, by the archive's own index of contents, and installs of each the one that
 * has it in the shortest place: copies of a header lie deeper than the header. Fails where nothing has such a file.
 */
export function installByFile(patterns: readonly string[]): Act {
  const lookUp = patterns.map(
    (pattern) =>
      `apt-file search -x '${pattern}' | awk -F': ' '{ print length($2), ($1 ~ /-dev$/ ? 0 : 1), $1 }' | sort -n -k1,1 -k2,2 | awk 'NR == 1 { print $3 }'`,
  );
  return shell(
    [
      `command -v apt-file > /dev/null || { ${aptInstall(['apt-file'])}; }`,
      'apt-file update > /dev/null',
      `packages=$(${lookUp.map((one) => `{ ${one}; }`).join('; ')})`,
      'test -n "$packages"',
      'echo "found in: $packages"',
      'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages',
    ].join(' && '),
  );
}

/** A name in a regular expression of `apt-file`, and inside of single quotes. */
export const literally = (text: string) => text.replace(/[^\w/-]/g, (char) => (char === "'" ? '.' : `\\${char}`));
