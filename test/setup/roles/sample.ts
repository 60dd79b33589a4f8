import type { Evidence, ServiceSpec } from '../../../src/contract';
import { surveyOf } from '../../../src/setup/repository/markers';
import type { Case, Observed, Seen } from '../../../src/setup/roles/role';

export const seen = <Move>(move: Move, output = '', exitCode: number | null = 0): Seen<Move> => ({
  move,
  observed: { exitCode, output, timedOut: false },
});

export const observed = (output: string, exitCode: number | null = 1): Observed => ({
  exitCode,
  output,
  timedOut: false,
});

export const evidence = (exitCode: number | null, command = 'true', timedOut = false): Evidence => ({
  command,
  exitCode,
  timedOut,
  output: { sha256: '0'.repeat(64), bytes: 0 },
  preview: '',
});

export const redis: ServiceSpec = { name: 'redis', kind: 'process', packages: [], port: 6379, env: {} };

/** A Python project with one core, one test and one optional dependency. */
export const FILES = {
  'pyproject.toml': [
    '[build-system]',
    'requires = ["setuptools"]',
    '[project]',
    'name = "acorn"',
    'version = "1.0"',
    'requires-python = ">=3.9"',
    'dependencies = ["PyYAML>=5", "click"]',
    '[project.optional-dependencies]',
    'test = ["pytest", "freezegun"]',
    'fast = ["orjson"]',
    '[project.scripts]',
    'acorn = "acorn.cli:main"',
    '',
  ].join('\n'),
  'acorn/__init__.py': '',
  'tests/test_acorn.py': 'def test_it(): pass\n',
};

export function sampleCase(files: Readonly<Record<string, string>> = FILES): Case {
  return {
    source: 'pypi:acorn==1.0',
    goal: 'The tests run.',
    workdir: '/repo',
    survey: surveyOf(Object.entries(files)),
    components: [],
    services: [],
    steps: [],
    claim: 'All 12 tests pass.',
  };
}
