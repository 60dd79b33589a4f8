import { aptInstall } from '../apt';
import { type Reader, type Remedy, shell } from '../goal';

/** Of these, Debian has one or two at a time. */
const RELEASES = [8, 11, 16, 17, 21, 22, 23, 24, 25];

/** Class files of Java 8 are of version 52, and each release counts one on. */
const releaseOf = (classFile: number) => classFile - 44;

/** Readers of errors that another JDK is the answer to, and which one. */
export const jdkErrors: readonly Reader[] = [
  { cause: 'newer-jdk', pattern: /release version (\d+) not supported/g },
  { cause: 'newer-jdk', pattern: /invalid (?:target|source) release: (?:1\.)?(\d+)/g },
  {
    cause: 'newer-jdk',
    pattern: /has been compiled by a more recent version[^\n]*?class file version (\d+)/g,
    what: ([, version]) => String(releaseOf(Number(version))),
  },
  { cause: 'newer-jdk', pattern: /Cannot find a Java installation[^\n]*matching: \{languageVersion=(\d+)/g },
  {
    cause: 'older-jdk',
    pattern: /Unsupported class file major version (\d+)/g,
    what: ([, version]) => String(releaseOf(Number(version))),
  },
  { cause: 'older-jdk', pattern: /Could not determine java version from '(?:1\.)?(\d+)/g },
  // Java 11 took them out.
  {
    cause: 'older-jdk',
    pattern: /package javax\.(?:xml\.bind|xml\.ws|annotation|activation|jws)[\w.]* does not exist/g,
    what: () => '11',
  },
];

export const jdkRemedies: readonly Remedy[] = [
  {
    name: 'install a newer JDK',
    cause: 'newer-jdk',
    sure: true,
    fix: (whats) => taking(RELEASES.filter((release) => release >= Math.max(...whats.map(Number)))),
  },
  {
    name: 'install an older JDK',
    cause: 'older-jdk',
    sure: true,
    fix: (whats) => taking(RELEASES.filter((release) => release < Math.min(...whats.map(Number))).reverse()),
  },
];

/** The first that the archive has. Fails where it has none of them. */
function taking(releases: readonly number[]) {
  if (releases.length === 0) return null;
  const install = aptInstall(['"openjdk-$version-jdk-headless"']);
  return {
    act: shell(
      `home=; for version in ${releases.join(' ')}; do { ${install}; } && home=$(echo /usr/lib/jvm/java-$version-openjdk-*) && break; done; test -x "$home/bin/javac" && export JAVA_HOME="$home" PATH="$home/bin:$PATH" && java -version`,
    ),
  };
}
