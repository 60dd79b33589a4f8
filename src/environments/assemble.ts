import {
  labelOfSource,
  PointsmanError,
  Problem,
  type ProblemInitInput,
  parseInput,
  type Ref,
  type TestFile,
} from '../contract';
import type { Deps } from '../deps';
import { type InlineTests, openInlineTests } from '../grading/inline-tests';
import { isPackagingByproduct, isTestPath } from '../problems/test-files';
import type { Owner } from '../sandbox/labels';
import type { Sandbox } from '../sandbox/sandbox';
import type { SourceTree } from '../sources/archive';
import { fetchSource } from '../sources/fetch';
import { GIT, mustRun, textOf } from './commands';
import type { Environment } from './problem-environment';

/**
 * The problem without its measured lists: hidden tests and gold patch worked out in the environment's own image, so both
 * are relative to exactly the commit that an agent begins with.
 */
export async function assembleProblem(
  deps: Deps,
  owner: Owner,
  input: ProblemInitInput,
  environment: Environment,
  signal: AbortSignal,
): Promise<Problem> {
  const before = await fetchSource(deps, owner, input.before, environment.recipe.sha256, input.base, signal);
  const after = input.after ? await fetchSource(deps, owner, input.after, undefined, input.base, signal) : undefined;
  const { workdir } = input;
  const inline = after && apart(await openInlineTests(), before.tree, after.tree);
  const licence = input.licence ?? before.licence;
  const spec = { owner, role: 'assemble', image: environment.image, workdir, network: 'none' } as const;
  const { files, gold } = await deps.sandboxes.workshop(spec, async (workshop) => ({
    files:
      input.tests === undefined
        ? [...testDifference(before.tree, inline!.code), ...inline!.tests].sort((a, b) => (a.path < b.path ? -1 : 1))
        : await testsOfPatch(workshop, workdir, await textOfPatch(deps, input.tests)),
    gold:
      input.gold === undefined
        ? await sourceDifference(workshop, workdir, before.tree, inline!.code)
        : await textOfPatch(deps, input.gold),
  }));
  if (files.length === 0) {
    throw new PointsmanError(
      'InvalidInput',
      'no test file differs, so nothing could tell a fix from no fix',
      'Give --tests PATCH, or another --after.',
    );
  }
  return parseInput(
    Problem,
    {
      id: input.id ?? labelOfSource(input.before),
      image: environment.image,
      workdir,
      statement: input.statement,
      tests: {
        command: input.test,
        parser: input.parser,
        failToPass: [],
        passToPass: [],
        files,
        timeoutSeconds: input.timeoutSeconds,
      },
      goldPatch: gold,
      protected: environment.protected,
      environment: environment.recipe,
      provenance: {
        made: 'problem init',
        before: input.before,
        ...(before.resolved.revision ? { beforeRevision: before.resolved.revision } : {}),
        ...(input.after ? { after: input.after, afterSha256: after!.sha256 } : {}),
        ...(after?.resolved.revision ? { afterRevision: after.resolved.revision } : {}),
      },
      ...(licence ? { licence } : {}),
    },
    'problem',
  );
}

/**
 * Tests that the later version has in files of code, and its tree with the tests that the earlier one has there: what is new
 * in them is no part of the fix. Those of files that are new are in neither, as no other fix would have such a file.
 */
function apart(inline: InlineTests, before: SourceTree, after: SourceTree): { code: SourceTree; tests: TestFile[] } {
  const code = new Map(after);
  const tests: TestFile[] = [];
  for (const [path, file] of after) {
    const text = file.bytes.toString('utf8');
    if (file.link !== undefined || !inline.areIn({ path, text })) continue;
    const old = before.get(path)?.bytes.toString('utf8');
    const own = inline.put(text, old ?? '') ?? inline.put(text, '')!;
    code.set(path, { ...file, bytes: Buffer.from(own) });
    if (old === undefined || inline.only(old) === inline.only(text)) continue;
    const hidden = inline.put(old, text);
    if (hidden !== undefined) tests.push({ path, content: hidden });
  }
  return { code, tests };
}

/** Test files of the later version that the earlier has not or has otherwise; those that it dropped are to be gone. */
function testDifference(before: SourceTree, after: SourceTree): TestFile[] {
  const files: TestFile[] = [];
  for (const [path, file] of after) {
    if (!isTestPath(path) || isPackagingByproduct(path) || file.link !== undefined) continue;
    if (before.get(path)?.bytes.equals(file.bytes)) continue;
    files.push({ path, content: contentOf(file.bytes), ...(file.executable ? { executable: true } : {}) });
  }
  for (const path of before.keys()) {
    if (isTestPath(path) && !isPackagingByproduct(path) && !after.has(path)) files.push({ path, content: null });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function testsOfPatch(sandbox: Sandbox, workdir: string, patch: string): Promise<TestFile[]> {
  await sandbox.write([{ path: '/tmp/tests.patch', bytes: Buffer.from(patch) }]);
  const applied = await sandbox.exec({
    cwd: workdir,
    command: `${GIT} update-index -q --refresh; ${GIT} apply --index --whitespace=nowarn /tmp/tests.patch`,
  });
  if (applied.exitCode !== 0) {
    throw new PointsmanError(
      'InvalidInput',
      `tests: the patch does not apply to the sources: ${textOf(applied)}`,
      'It must apply to --before.',
    );
  }
  const listed = await mustRun(sandbox, {
    cwd: workdir,
    command: `${GIT} diff --cached --name-status --no-renames -z HEAD`,
  });
  const fields = listed.stdout.toString('utf8').split('\0');
  const files: TestFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status, path] = [fields[at]!, fields[at + 1]!];
    const full = `${workdir}/${path}`;
    files.push({ path, content: status === 'D' ? null : contentOf((await sandbox.read(full)).get(full)!) });
  }
  await mustRun(sandbox, { cwd: workdir, command: `${GIT} reset -q --hard HEAD` });
  return files;
}

/** What the later version changes outside of its tests, as git writes it. */
async function sourceDifference(
  sandbox: Sandbox,
  workdir: string,
  before: SourceTree,
  after: SourceTree,
): Promise<string> {
  const counts = (path: string) => !isTestPath(path) && !isPackagingByproduct(path);
  const gone = [...before.keys()].filter((path) => counts(path) && !after.has(path));
  const changed = [...after].filter(([path, file]) => {
    const old = before.get(path);
    return counts(path) && !(old && old.link === file.link && old.bytes.equals(file.bytes));
  });
  const removed = [...gone, ...changed.map(([path]) => path)].map((path) => `${workdir}/${path}`);
  await mustRun(sandbox, { command: 'for f in "$@"; do rm -rf -- "$f"; done', args: removed });
  await sandbox.write(changed.map(([path, file]) => ({ path: `${workdir}/${path}`, ...file })));
  const { patch } = await sandbox.journal((journal) => journal.diff('HEAD', workdir));
  return patch.toString('utf8');
}

async function textOfPatch(deps: Deps, patch: string | Ref): Promise<string> {
  return typeof patch === 'string' ? patch : (await deps.blobs.get(patch.sha256)).toString('utf8');
}

function contentOf(bytes: Buffer): TestFile['content'] {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
}
