import { type Act, shell } from './goal';

const INSTALL = 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends';

/** Installs Debian packages without a question and without what they only recommend. */
export function aptInstall(packages: readonly string[]): string {
  return `apt-get update -qq && ${INSTALL} ${packages.join(' ')}`;
}

export function install(packages: readonly string[]): Act {
  return shell(aptInstall([...new Set(packages)]));
}

/** The same where some may be of another release: what cannot be had keeps nothing else away. Fails where none can be had. */
export function installAvailable(packages: readonly string[]): Act {
  const each = `for name in ${packages.join(' ')}; do ${INSTALL} "$name" && had=yes || echo "not to be had: $name"; done; test "$had" = yes`;
  return shell(`${aptInstall(packages)} || { had=no; ${each}; }`);
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
      // One that nothing has is no reason to go without the others.
      `packages=$(${lookUp.map((one) => `{ ${one} || true; }`).join('; ')})`,
      'test -n "$packages"',
      'echo "found in: $packages"',
      `${INSTALL} $packages`,
    ].join(' && '),
  );
}

/** A name in a regular expression of `apt-file`, and inside of single quotes. */
export const literally = (text: string) => text.replace(/[^\w/-]/g, (char) => (char === "'" ? '.' : `\\${char}`));
