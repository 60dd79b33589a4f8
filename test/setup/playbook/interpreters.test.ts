import { runLab } from '../../../bench/playbook-lab';
import { inFull, minutes } from '../../support/counts';

const project = (requires: string) =>
  `[build-system]\nrequires = ["setuptools"]\n[project]\nname = "stamp"\nversion = "1"\n${requires}[tool.setuptools]\npy-modules = ["stamp"]\n`;

// A Python is built for minutes.
inFull.each([
  ['requires-python = ">=3.13"\n', 'import ssl, sqlite3, sys\n', 'sys.version_info >= (3, 13)'],
  ['', 'import ssl, sqlite3, sys\nfrom collections import Mapping\n', 'issubclass(dict, Mapping)'],
])(
  'a project with %j that begins with %j gets a Python that it runs on',
  async (requires, begins, holds) => {
    const { success, counts, seen } = await runLab('dir:stamp', {
      files: {
        'pyproject.toml': project(requires),
        'stamp.py': begins,
        'test_stamp.py': `from stamp import *\n\n\ndef test_stamp():\n    assert ${holds}\n`,
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { passed: 1, failed: 0 } });
    expect(seen.filter(({ move }) => move.thought.includes('take an interpreter'))).toHaveLength(1);
  },
  minutes(1, 15),
);
