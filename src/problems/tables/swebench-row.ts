import type { Python } from '@pointsman/python';
import type { FunctionInstance } from '../../contract';
import { unifiedDiff } from '../unified-diff';
import { hiddenTests, secondsOf, testCommand, testIds } from './hidden-tests';
import { problemStatement, type RolloutProblemOptions } from './rollout-problem';
import { stubbedModule } from './stubbed-module';

/** A row as SWE-bench has them; lists are JSON in strings there. */
export interface SweBenchRow {
  readonly instance_id: string;
  readonly repo: string;
  /** Empty: a repository without a history. `patch` and `test_patch` apply to its files with `stub_patch` applied. */
  readonly base_commit: string;
  readonly patch: string;
  readonly test_patch: string;
  readonly problem_statement: string;
  readonly hints_text: string;
  readonly created_at: string;
  readonly version: string;
  readonly FAIL_TO_PASS: string;
  readonly PASS_TO_PASS: string;
  readonly environment_setup_commit: string;
  /** Ours: what takes the function out of the repository, the image, and the command that runs the tests. */
  readonly stub_patch: string;
  readonly image_name: string;
  readonly workdir: string;
  readonly test_cmd: string;
  readonly test_timeout: number;
  /** Where the function stands, as JSON: its copies in the image are taken out with it. */
  readonly purge: string;
  readonly licence: string | null;
}

/** The row of an instance. The same instance gives the same row: its date is no date. */
export function swebenchRow(
  python: Python,
  instance: FunctionInstance,
  { moduleText, bundle, settings, image }: RolloutProblemOptions,
): SweBenchRow {
  const { text, gold } = stubbedModule(python, instance, moduleText);
  const tests = hiddenTests(instance, bundle, settings);
  return {
    instance_id: instance.id,
    repo: repositoryName(instance),
    base_commit: '',
    patch: gold,
    test_patch: tests.map(({ path, content }) => unifiedDiff(path, null, String(content))).join(''),
    problem_statement: problemStatement(instance),
    hints_text: '',
    created_at: '2000-01-01T00:00:00Z',
    version: /==?(.+)$/s.exec(instance.environment.source ?? '')?.[1] ?? '',
    FAIL_TO_PASS: JSON.stringify(testIds(instance)),
    PASS_TO_PASS: '[]',
    environment_setup_commit: '',
    stub_patch: unifiedDiff(instance.subject.target.file, moduleText, text),
    image_name: image ?? instance.environment.image,
    workdir: instance.subject.workdir,
    test_cmd: testCommand(instance),
    test_timeout: secondsOf(instance, settings),
    purge: JSON.stringify(instance.subject),
    licence: instance.environment.licence ?? null,
  };
}

/** `pypi:toolz==0.12.1` → `pypi/toolz`; without a source the package that the function is in. */
function repositoryName({ environment, subject }: FunctionInstance): string {
  const [, kind, name] = /^([a-z-]+)[:+](?:https?:\/\/[^/]+\/)?([^=@#]+)/.exec(environment.source ?? '') ?? [];
  if (kind === undefined || name === undefined) return subject.target.module.split('.')[0]!;
  return kind === 'git' ? name.replace(/\.git$/, '') : `${kind}/${name.split('/').at(-1)}`;
}
