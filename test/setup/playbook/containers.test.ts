import { runLab } from '../../../bench/playbook-lab';
import { inFull } from '../../support/counts';

/** Small repositories in real containers, from the base image to tests that ran. */
const MINUTES = 60_000;

test(
  'python: a requirement of the tests that nobody declared, and a version made from tags',
  async () => {
    const { success, counts, seen } = await runLab('dir:python', {
      files: {
        'pyproject.toml':
          '[build-system]\nrequires=["setuptools", "setuptools-scm"]\nbuild-backend="setuptools.build_meta"\n[project]\nname="stamp"\ndynamic=["version"]\n[project.optional-dependencies]\ntest=["pytest"]\n[tool.setuptools_scm]\n',
        'src/stamp/__init__.py': 'def count():\n    return 1\n',
        'tests/test_count.py':
          'import toml\nfrom stamp import count\ndef test_count():\n    assert count() == 1\ndef test_toml():\n    assert toml.loads("a=1") == {"a": 1}\n',
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { collected: 2, passed: 2, failed: 0 } });
    const fixes = seen.map(({ move }) => move.thought).filter((thought) => thought.startsWith('[fix'));
    expect(fixes).toEqual([expect.stringContaining('say-the-version'), expect.stringContaining(':toml]')]);
  },
  5 * MINUTES,
);

test(
  'node: Node.js itself, and a linter that is not there beside tests that are',
  async () => {
    const { success, counts } = await runLab('dir:node', {
      files: {
        'package.json':
          '{"name":"stamp","version":"1.0.0","main":"index.js","scripts":{"test":"eslint . && tape test/*.js"},"devDependencies":{"tape":"^5"}}',
        'index.js': 'module.exports = () => 1;\n',
        'test/count.js':
          "const test = require('tape');\ntest('counts', (t) => { t.equal(require('..')(), 1); t.end(); });\n",
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { passed: 1, failed: 0 } });
  },
  5 * MINUTES,
);

const MANAGERS = [
  ['yarn of today', { 'yarn.lock': '', '.yarnrc.yml': 'enableTelemetry: false\n' }, 1],
  ['yarn', { 'yarn.lock': '# yarn lockfile v1\n' }, 0],
  ['pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n" }, 0],
] as const;

inFull.each(MANAGERS)(
  'node: another package manager, by what lies beside: %s',
  async (_, beside, refused) => {
    const { success, counts, seen } = await runLab('dir:managed', {
      files: {
        'package.json': '{"name":"stamp","version":"1.0.0","main":"index.js","scripts":{"test":"node --test"}}',
        'index.js': 'module.exports = () => 1;\n',
        'test/count.test.js':
          "const test = require('node:test');\ntest('counts', () => { require('node:assert').equal(require('..')(), 1); });\n",
        ...beside,
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { passed: 1, failed: 0 } });
    const failed = seen.filter(({ observed }) => observed.exitCode !== 0);
    expect(failed.length).toBe(refused);
  },
  5 * MINUTES,
);

test(
  'what cannot be had is given up with the reason',
  async () => {
    const { success, message } = await runLab('dir:odd', {
      files: {
        'pyproject.toml':
          '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\nversion="1"\ndependencies=["a-distribution-that-nobody-made-9f3c"]\n',
        'stamp.py': '',
      },
    });
    expect(success).toBe(false);
    expect(message).toMatch(/^python\/project cannot be reached: .*a-distribution-that-nobody-made-9f3c/);
  },
  5 * MINUTES,
);
