import { factsOfFiles } from '../repository/sample';
import { remedyFor } from './remedy-for';

const MAVEN = { 'pom.xml': '<project><artifactId>a</artifactId></project>', 'src/main/java/A.java': '' };

test('a Gradle build whose root has settings alone', () => {
  const files = {
    'settings.gradle': "rootProject.name = 'letter'\ninclude 'core'",
    'core/build.gradle': "sourceCompatibility = 11\ndependencies {\n  testImplementation 'junit:junit:4.13'\n}\n",
    'core/src/main/java/A.java': '',
  };
  expect(factsOfFiles(files)).toMatchObject({
    languages: ['java'],
    name: 'letter',
    buildSystems: ['gradle'],
    runtime: { java: '11' },
    testFrameworks: ['junit4'],
    dependencies: [{ name: 'junit:junit', declared: 'core/build.gradle' }],
  });
});

test.each([
  ['<release>21</release>', '21'],
  ['<source>1.8</source><target>1.8</target>', '8'],
  ['<release>${jdk}</release>', '17'],
])('what the compiler of Maven is told: %s', (configuration, expected) => {
  const plugin = `<plugin><artifactId>maven-compiler-plugin</artifactId><configuration>${configuration}</configuration></plugin>`;
  const other = '<plugin><artifactId>maven-jar-plugin</artifactId></plugin>';
  for (const plugins of [plugin, other + plugin]) {
    const pom = `<project><artifactId>p</artifactId><properties><jdk>17</jdk></properties><build><plugins>${plugins}</plugins></build></project>`;
    expect(factsOfFiles({ 'pom.xml': pom, 'A.java': '' }).runtime).toEqual({ java: expected });
  }
});

test.each([
  ['Fatal error compiling: error: release version 21 not supported', 'for version in 21 22 23 24 25; do'],
  ['Fatal error compiling: error: invalid target release: 21', 'for version in 21 22 23 24 25; do'],
  ['A has been compiled by a more recent version (class file version 65.0), UnsupportedClassVersionError', 'in 21 22 '],
  ['> Cannot find a Java installation on your machine matching: {languageVersion=21, vendor=any}.', 'in 21 22 '],
  ['> Unsupported class file major version 61', 'for version in 16 11 8; do'],
  ["Could not determine java version from '17.0.9'.", 'for version in 16 11 8; do'],
  ['[ERROR] a/B.java:[3,23] package javax.xml.bind does not exist', 'for version in 8; do'],
])('%s', (text, expected) => {
  const command = remedyFor(MAVEN, 'java/build', text);
  expect(command).toContain(expected);
  expect(command).toContain('export JAVA_HOME=');
});
