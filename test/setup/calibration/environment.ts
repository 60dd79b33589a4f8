import type { ServiceSpec } from '../../../src/contract';
import type { Toolchain } from './images';

/** An environment of which we know what is wrong with it, because we made it so. */
export interface Environment {
  readonly id: string;
  readonly toolchain: Toolchain;
  /** The sources as they came. */
  readonly files: Readonly<Record<string, string>>;
  /** What the set-up agent did; without a network. */
  readonly steps: readonly string[];
  readonly services?: readonly ServiceSpec[];
  readonly wanted?: readonly ServiceSpec[];
  /** What is seeded; null where nothing speaks against the set-up. */
  readonly fault: string | null;
}

export const ACTIVATE = '. /venv/bin/activate';
export const PIP = 'pip install -q --no-index --find-links /opt/wheels --no-build-isolation';

/** A small package with one module, one function that uses no dependency, and a test of it. */
export function pythonProject(project: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'pyproject.toml': `[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "acorn"\nversion = "1.0"\n${project}`,
    'acorn/__init__.py': 'def add(a, b):\n    return a + b\n',
    'tests/test_add.py': 'from acorn import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
    ...more,
  };
}

export function nodeProject(manifest: object, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'package.json': `${JSON.stringify({ name: 'acorn', version: '1.0.0', main: 'index.js', ...manifest }, null, 2)}\n`,
    'index.js': 'exports.add = (a, b) => a + b;\n',
    'test/add.js':
      "const test = require('tape');\nconst { add } = require('..');\ntest('adds', (t) => { t.equal(add(1, 2), 3); t.end(); });\n",
    ...more,
  };
}

/** A registry that is already here: packages are copied with all that they need. */
export const NODE_INSTALL = 'mkdir -p node_modules && cp -r /opt/pool/node_modules/. node_modules/';
export const TAPE = { scripts: { test: "tape 'test/**/*.js'" }, devDependencies: { tape: '^5.0.0' } };
