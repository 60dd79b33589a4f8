import { WITHOUT_CHECKS } from '../../repository/maven';
import { aptInstall } from '../apt';
import { type Ecosystem, type Goal, type Project, type Reader, type Remedy, shell, step } from '../goal';

/** Its package links manual pages into a folder that images without manuals lack, and fails half installed. */
const jdkWith = (tool: string) => `mkdir -p /usr/share/man/man1 && ${aptInstall(['default-jdk-headless', tool])}`;

/** Quiet about downloads, which are thousands of lines. */
const MAVEN = 'mvn -B -ntp';

function maven(): Goal[] {
  const flags = (ways: ReadonlyMap<string, string>) =>
    [
      ways.get('level')
        ? ` -Dmaven.compiler.source=${ways.get('level')} -Dmaven.compiler.target=${ways.get('level')}`
        : '',
      ways.get('checks') === 'off' ? ` ${WITHOUT_CHECKS}` : '',
    ].join('');
  return [
    step('toolchain', 'Install a JDK and Maven.', `${jdkWith('maven')} && mvn -version`),
    step('build', 'Compile it with its tests.', (ways) => `${MAVEN} test-compile${flags(ways)}`),
    step('tests', 'Run its tests.', (ways) => `${MAVEN} test${flags(ways)}`, true),
  ];
}

function gradle({ survey }: Project): Goal[] {
  const wrapper = survey.paths.includes('gradlew') && survey.paths.includes('gradle/wrapper/gradle-wrapper.jar');
  const command = (from: string | undefined) =>
    wrapper && from !== 'debian' ? 'sh ./gradlew --no-daemon' : 'gradle --no-daemon';
  return [
    step('toolchain', 'Install a JDK and Gradle.', `${jdkWith('gradle')} && gradle --version`),
    step('build', 'Compile it with its tests.', (ways) => `${command(ways.get('gradle'))} testClasses`),
    step('tests', 'Run its tests.', (ways) => `${command(ways.get('gradle'))} test`, true),
  ];
}

/**
 * Java does not look at the bundle that other tools are told of. What the system does not trust already is added to a copy
 * of Java's own store, which only the build is told of.
 */
const TRUST = [
  'test -n "$SSL_CERT_FILE"',
  'cp -L /etc/ssl/certs/java/cacerts /opt/build-trust.jks && chmod u+w /opt/build-trust.jks',
  `csplit -s -z -f /tmp/authority- "$SSL_CERT_FILE" '/-BEGIN CERTIFICATE-/' '{*}'`,
  'for one in /tmp/authority-*; do line=$(sed -n 8p "$one"); [ -z "$line" ] || grep -qF -- "$line" /etc/ssl/certs/ca-certificates.crt || keytool -importcert -noprompt -keystore /opt/build-trust.jks -storepass changeit -alias "${one##*/}" -file "$one"; done',
  'rm -f /tmp/authority-*',
  'export MAVEN_OPTS=-Djavax.net.ssl.trustStore=/opt/build-trust.jks GRADLE_OPTS=-Djavax.net.ssl.trustStore=/opt/build-trust.jks',
].join(' && ');

/** Of these, Debian has one or two at a time. */
const RELEASES = [8, 11, 16, 17, 21, 22, 23, 24, 25];

/** Class files of Java 8 are of version 52, and each release counts one on. */
const releaseOf = (classFile: number) => classFile - 44;

/** Readers of errors that another JDK is the answer to, and which one. */
const jdkErrors: readonly Reader[] = [
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

const jdkRemedies: readonly Remedy[] = [
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

const readers: readonly Reader[] = [
  ...jdkErrors,
  { cause: 'java-certificates', pattern: /PKIX path building failed/g },
  { cause: 'java-level', pattern: /(?:Source|Target) option \d+ is no longer supported\. Use (\d+) or later/g },
  {
    cause: 'project-checks',
    pattern:
      /Failed to execute goal [\w.]*:?(?:apache-rat|maven-(?:checkstyle|enforcer|pmd)|spotbugs|japicmp|animal-sniffer|license-maven|spotless)[\w-]*/g,
  },
  { cause: 'gradle-wrapper', pattern: /Downloading https?:\S*gradle[\s\S]{0,3000}?(?:Exception|timed out)/g },
];

const remedies: readonly Remedy[] = [
  ...jdkRemedies,
  { name: 'trust what the host trusts', cause: 'java-certificates', sure: true, fix: () => ({ act: shell(TRUST) }) },
  {
    name: 'compile for what this JDK knows',
    cause: 'java-level',
    sure: true,
    fix: ([level]) => ({ way: ['level', String(Math.max(8, Number(level)))] }),
  },
  { name: 'leave out what is no test', cause: 'project-checks', sure: true, fix: () => ({ way: ['checks', 'off'] }) },
  { name: "take Debian's Gradle", cause: 'gradle-wrapper', sure: true, fix: () => ({ way: ['gradle', 'debian'] }) },
];

function plan(project: Project): Goal[] {
  return project.facts.buildSystems.includes('maven') ? maven() : gradle(project);
}

export const java: Ecosystem = { name: 'java', plan, readers, remedies };
