import { openPython, type Python } from '@pointsman/python';
import { safeLine } from '../../src/cli/terminal/safe-text';
import { documentRecords } from '../../src/dataset/check-read';
import { isFileRead } from '../../src/dataset/file-reading';
import { shownIn } from '../../src/dataset/template-shows';
import { wellFormed, wellFormedJson } from '../../src/dataset/text-marks';
import { failureOf } from '../../src/grading/controls';
import { REPORTERS } from '../../src/grading/reporters';
import { junitCases } from '../../src/grading/reporters/junit-xml';
import { readReview } from '../../src/grading/review';
import { simpleCommands } from '../../src/grading/runners/command-line';
import { followed } from '../../src/grading/runners/follow';
import { SHARED } from '../../src/grading/shared-files';
import { suspicionsIn } from '../../src/grading/suspicion';
import { overflowOf, windowIn } from '../../src/model/overflow';
import { quotable } from '../../src/model/redact';
import { remedyFor } from '../../src/model/remedies';
import { assembleStream, isEventStream } from '../../src/model/stream';
import { readCandidate } from '../../src/problems/candidate/reply';
import { readHarness } from '../../src/problems/equivalence/read-harness';
import { answerOf, codeBlocks } from '../../src/problems/equivalence/reply';
import { servicesOf } from '../../src/problems/harbor/compose';
import { readHarborTask } from '../../src/problems/harbor/read';
import { hasContext, pathsOfNumstat, splitPatch } from '../../src/problems/patch';
import { ROW_FORMATS, readRow } from '../../src/problems/readers';
import { readPythonList } from '../../src/problems/readers/python-list';
import { reversePatch } from '../../src/problems/reverse';
import { readDocstring } from '../../src/problems/specification/sections';
import { cutEnd, cutMiddle, isWellFormed, preview, shortened } from '../../src/rollout/clip';
import { DIALECTS } from '../../src/rollout/dialects';
import { findFunctionTags } from '../../src/rollout/dialects/function-tags';
import { findTextCall } from '../../src/rollout/dialects/text-calls';
import { objectAt, objectsIn } from '../../src/rollout/json';
import { splitReasoning } from '../../src/rollout/reasoning';
import { splitShell } from '../../src/rollout/shell';
import { TOOLS } from '../../src/rollout/tools';
import { addressesIn } from '../../src/sandbox/docker/reach';
import { parseExports } from '../../src/sandbox/shell-state';
import { errorSignature, errorSignatures, keyLines } from '../../src/setup/error-signature';
import { changesEnvironment, goalOf, parts, plain, shellWords } from '../../src/setup/experience/commands';
import { embedNgrams } from '../../src/setup/experience/embedding';
import { generalized, isParticular, particularsOf } from '../../src/setup/experience/generalize';
import { importPeer } from '../../src/setup/experience/jsonl';
import { quoted, quotedValue } from '../../src/setup/experience/quoting';
import { literalText } from '../../src/setup/experience/signals';
import { avoidsTests, runsNoTests } from '../../src/setup/experience/test-avoidance';
import { oneLine } from '../../src/setup/loop/commands';
import { buildingsIn } from '../../src/setup/playbook/ecosystems/python-interpreter';
import { readJsonObject, saidObjects } from '../../src/setup/read-json';
import { readCfg } from '../../src/setup/repository/cfg';
import { documentedCommands, serviceHints } from '../../src/setup/repository/documents';
import { factsOf } from '../../src/setup/repository/facts-of';
import { readMakefile } from '../../src/setup/repository/makefile';
import { surveyOf } from '../../src/setup/repository/markers';
import { readRequirement } from '../../src/setup/repository/requirement';
import { systemPackages } from '../../src/setup/repository/system-packages';
import { readToml } from '../../src/setup/repository/tables';
import { filtersOf } from '../../src/setup/roles/filters';
import { posixCksum } from '../../src/setup/roles/rules/cksum';
import { readInterpreters } from '../../src/setup/roles/rules/interpreter';
import { readCounts } from '../../src/setup/test-output';
import { failuresOf } from '../../src/setup/test-output/failures';
import { recogniseLicence } from '../../src/sources/licence';
import { spdxOf } from '../../src/sources/spdx';

/** Who wrote it is nobody's business: any text of any length comes back, or is refused, in time that grows with its length. */
export type Reader = (text: string) => unknown;

const PARTICULARS = particularsOf('pypi:some-name==1.2.3', '/work/some-name');
const COMMANDS = [
  'pytest -v',
  'npm test',
  'go test ./...',
  'cargo test',
  'mvn test',
  'ctest',
  'make check',
  './run.sh',
];
const MARKERS = [
  ...['setup.py', 'setup.cfg', 'pyproject.toml', 'requirements.txt', 'tox.ini', 'package.json', 'go.mod', 'Cargo.toml'],
  ...['pom.xml', 'build.gradle', 'CMakeLists.txt', 'Makefile', 'configure.ac', 'meson.build', 'README.md'],
  ...['.github/workflows/ci.yml', '.travis.yml', 'Dockerfile', 'CONTRIBUTING.md', 'noxfile.py'],
];

/** Every reader of foreign text, by the file that exports it. `readers.test.ts` says which exports have to be here. */
export async function openReaders(): Promise<ReadonlyMap<string, Reader>> {
  const python = await openPython();
  return new Map([...PLAIN, ...dialects(), ...reporters(), ...surveys(), ...ofPython(python)]);
}

type Entry = readonly [name: string, reader: Reader];

const composeOf = (text: string) => `services:\n  a: { image: x, command: ${JSON.stringify(text)} }\n`;

/** A task whose every text is the text. */
const taskOf = (text: string) =>
  new Map(
    ['instruction.md', 'environment/Dockerfile', 'tests/test.sh', 'tests/Dockerfile'].map((path) => [
      path,
      { bytes: Buffer.from(text), executable: false },
    ]),
  ).set('task.toml', { bytes: Buffer.from('[verifier]\nenvironment_mode = "separate"\n'), executable: false });

/** A row whose every field that readers look into is the text. */
function rowOf(text: string): object {
  const diff = `--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+${text}\n`;
  const lists = { FAIL_TO_PASS: [`a.py::${text}`], PASS_TO_PASS: text };
  const tests = { f2p_tests: { [`Test${text}`]: {} }, p2p_tests: { [text]: {} } };
  return {
    ...{ instance_id: 'a', repo: 'a/b', org: 'a', number: 1, patch: diff, test_patch: text, problem_statement: text },
    ...{ ...lists, ...tests, fix_patch: text, title: text, body: text, image_name: 'a', test_cmds: text },
    ...{ install_config: { test_cmd: text }, repo_name: 'a', docker_image: 'a', commit_hash: 'abc' },
    parsed_commit_content: { file_diffs: [{ header: { file: { path: text } }, hunks: [] }] },
    execution_result_content: { test_file_names: ['test_1.py', 'test_2.py'], test_file_codes: [text, 'def a(): pass'] },
    expected_output_json: { [`${text}.a`]: 'PASSED' },
  };
}

const PLAIN: readonly Entry[] = [
  ['cli/terminal/safe-text.ts safeLine', safeLine],
  ['dataset/file-reading.ts isFileRead', (command) => isFileRead({ tool: 'bash', args: { command } })],
  ['dataset/text-marks.ts wellFormed', (text) => wellFormed(text, new Set())],
  ['dataset/text-marks.ts wellFormedJson', (text) => wellFormedJson(text, new Set())],
  ['grading/review.ts readReview', readReview],
  ['grading/reporters/junit-xml.ts junitCases', junitCases],
  ['grading/runners/command-line.ts simpleCommands', simpleCommands],
  ...['./test.sh', 'make test', 'tox', 'nox', 'npm test', 'hatch run test', 'python setup.py test'].map(
    (command): Entry => [`grading/runners/follow.ts followed ${command}`, (text) => followed(command, () => text)],
  ),
  ...Object.entries(SHARED).map(
    ([name, shared]): Entry => [
      `grading/shared-files.ts putBack ${name}`,
      (text) => shared.putBack('[project]\nname = "x"\n', text),
    ],
  ),
  [
    'grading/suspicion.ts suspicionsIn',
    (text) => {
      const lines = text.split('\n');
      const patch = ['py', 'go', 'js', 'rs'].map(
        (end) =>
          `diff --git a/a.${end} b/a.${end}\n--- a/a.${end}\n+++ b/a.${end}\n@@ -0,0 +1,${lines.length} @@\n${lines
            .map((line) => `+${line}\n`)
            .join('')}`,
      );
      return suspicionsIn(patch.join(''), { ids: ['tests/test_a.py::test_a'], tests: [text] });
    },
  ],
  [
    'model/overflow.ts overflowOf',
    (text) => overflowOf({ status: 400, codes: [], text }, { tokens: 1_000, window: 1_000 }),
  ],
  ['model/overflow.ts windowIn', windowIn],
  ['model/remedies.ts remedyFor', (text) => remedyFor(text)],
  ['model/stream.ts isEventStream', isEventStream],
  ['model/stream.ts assembleStream', assembleStream],
  ['model/redact.ts quotable', (text) => quotable(text, ['a-secret'])],
  ['model/redact.ts quotable html', (text) => quotable(`<html>${text}`)],
  ['problems/equivalence/reply.ts codeBlocks', codeBlocks],
  ['problems/equivalence/reply.ts answerOf', answerOf],
  ['problems/harbor/compose.ts servicesOf', (text) => servicesOf(text, new Map())],
  ['problems/harbor/compose.ts servicesOf command', (text) => servicesOf(composeOf(text), new Map())],
  ['problems/harbor/read.ts readHarborTask', (text) => readHarborTask(taskOf(text), 'x')],
  ['problems/patch.ts splitPatch', splitPatch],
  ['problems/patch.ts hasContext', hasContext],
  ['problems/patch.ts pathsOfNumstat', pathsOfNumstat],
  ['problems/reverse.ts reversePatch', reversePatch],
  ['problems/specification/sections.ts readDocstring', readDocstring],
  ['rollout/json.ts objectAt', (text) => objectAt(`{${text}`, 0)],
  ['rollout/json.ts objectsIn', objectsIn],
  ['rollout/reasoning.ts splitReasoning', (text) => splitReasoning(text, /<tool_call>/g)],
  [
    'rollout/dialects/function-tags.ts findFunctionTags',
    (text) => findFunctionTags(`<function=bash>${text}`, TOOLS, false),
  ],
  ['rollout/dialects/text-calls.ts findTextCall', (text) => findTextCall(text, TOOLS, false)],
  ['rollout/shell.ts splitShell', splitShell],
  ['sandbox/docker/reach.ts addressesIn', addressesIn],
  ['sandbox/shell-state.ts parseExports', parseExports],
  ['setup/error-signature.ts errorSignature', (text) => errorSignature(text)],
  ['setup/error-signature.ts errorSignatures', (text) => errorSignatures(text)],
  ['setup/error-signature.ts keyLines', keyLines],
  ['setup/experience/commands.ts parts', parts],
  ['setup/experience/commands.ts shellWords', shellWords],
  ['setup/experience/commands.ts plain', plain],
  ['setup/experience/commands.ts goalOf', goalOf],
  ['setup/experience/commands.ts changesEnvironment', changesEnvironment],
  ['setup/experience/embedding.ts embedNgrams', embedNgrams],
  ['setup/experience/signals.ts literalText', literalText],
  ['setup/experience/test-avoidance.ts avoidsTests', avoidsTests],
  ['setup/experience/test-avoidance.ts runsNoTests', runsNoTests],
  ['grading/controls.ts failureOf', (text) => failureOf(text, 'a.py')],
  ['problems/readers/python-list.ts readPythonList', (text) => readPythonList(`['${text}`)],
  ['problems/readers/python-list.ts readPythonList whole', readPythonList],
  ['dataset/check-read.ts documentRecords', (text) => [...documentRecords(text)]],
  ['dataset/template-shows.ts shownIn', (text) => shownIn(text, `${text.slice(0, 2000)}"`)],
  ...ROW_FORMATS.map(
    (format): Entry => [`problems/readers/index.ts readRow ${format}`, (text) => readRow(rowOf(text), 1, format)],
  ),
  ['rollout/clip.ts cutMiddle', (text) => cutMiddle(text, 1000)],
  ['rollout/clip.ts cutEnd', (text) => cutEnd(text, 1000)],
  ['rollout/clip.ts shortened', (text) => shortened(text, 1000)],
  ['rollout/clip.ts preview', (text) => preview(text, 1000)],
  ['rollout/clip.ts isWellFormed', isWellFormed],
  ['setup/experience/generalize.ts generalized', (text) => generalized(text, PARTICULARS)],
  ['setup/experience/generalize.ts isParticular', (text) => isParticular(text, PARTICULARS)],
  ['setup/experience/jsonl.ts importPeer', (text) => importPeer(text)],
  ['setup/experience/quoting.ts quoted', quoted],
  ['setup/experience/quoting.ts quotedValue', quotedValue],
  ['setup/loop/commands.ts oneLine', oneLine],
  ['setup/roles/rules/cksum.ts posixCksum', posixCksum],
  ['setup/roles/rules/interpreter.ts readInterpreters', readInterpreters],
  ['setup/playbook/ecosystems/python-interpreter.ts buildingsIn', buildingsIn],
  ['setup/read-json.ts saidObjects', saidObjects],
  ['setup/read-json.ts readJsonObject', readJsonObject],
  ['setup/repository/cfg.ts readCfg', readCfg],
  ['setup/repository/makefile.ts readMakefile', readMakefile],
  ['setup/repository/requirement.ts readRequirement', readRequirement],
  ['setup/repository/tables.ts readToml', readToml],
  ['setup/roles/filters.ts filtersOf', (text) => filtersOf('pytest', text)],
  ['setup/roles/filters.ts filtersOf command', (text) => filtersOf(text, '')],
  ...COMMANDS.map(
    (command): Entry => [`setup/test-output/index.ts readCounts ${command}`, (text) => readCounts(command, text)],
  ),
  ...COMMANDS.map(
    (command): Entry => [
      `setup/test-output/failures.ts failuresOf ${command}`,
      (text) => failuresOf(command, { exitCode: 1, output: text, timedOut: false }),
    ],
  ),
  ['sources/licence.ts recogniseLicence', recogniseLicence],
  ['sources/spdx.ts spdxOf', spdxOf],
];

function dialects(): Entry[] {
  return Object.entries(DIALECTS).map(([name, dialect]) => [
    `rollout/dialects ${name}`,
    (text) => {
      // Longer replies are refused unread.
      const content = text.slice(0, 999_000);
      dialect.parse({ content, toolCalls: [] });
      dialect.parse({ content: null, toolCalls: [{ id: '1', name: 'execute_bash', arguments: content }] });
    },
  ]);
}

function reporters(): Entry[] {
  return Object.entries(REPORTERS).map(([name, reporter]) => [
    `grading/reporters ${name}`,
    (text) => {
      const wanted = ['tests/test_a.py::test_a', 'test_a (a.A)', 'TestA', 'a::b'];
      reporter.read({ file: text, stdout: '', stderr: '' }, wanted);
      reporter.read({ file: null, stdout: text, stderr: text }, wanted);
      reporter.failures?.({ file: text, stdout: text, stderr: '' }, wanted);
    },
  ]);
}

function surveys(): Entry[] {
  return MARKERS.map((path) => [
    `setup/repository ${path}`,
    (text) => {
      const survey = surveyOf([[path, text]]);
      factsOf(survey);
      documentedCommands(survey);
      serviceHints(survey);
      systemPackages(survey);
    },
  ]);
}

function ofPython(python: Python): Entry[] {
  return [
    ['problems/candidate/reply.ts readCandidate', (text) => readCandidate(python, text, { name: 'a' })],
    [
      'problems/equivalence/read-harness.ts readHarness',
      (text) => readHarness(python, text, { author: 'model', context: 'sliced', mode: 'equivalence', limit: 10 }),
    ],
  ];
}
