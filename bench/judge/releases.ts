import { randomUUID } from 'node:crypto';
import { eachStatement, openPython, type Python, type Statement } from '@pointsman/python';
import { BASE_IMAGE } from '../../src/machine/image';
import { isTestPath } from '../../src/problems/test-files';
import { unifiedDiff } from '../../src/problems/unified-diff';
import { Roots } from '../../src/roots';
import type { Sandboxes } from '../../src/sandbox/sandbox';
import { fetchSource } from '../../src/sources/fetch';
import type { SourceTree } from '../../src/sources/tree';
import type { BlobStore } from '../../src/store/blobs';
import { type Alternative, problemWith, type Task } from './task';

/** A package whose source archive holds its tests. */
interface Package {
  readonly name: string;
  /** What is imported, where that is not called like the package. */
  readonly modules?: readonly string[];
  /** The release that the tests are of. */
  readonly gold: string;
  /** Releases before and after it. */
  readonly others: readonly string[];
  /** Files and folders of the tests that run. */
  readonly tests: readonly string[];
  readonly options?: string;
  /** Packages that it or its tests need. */
  readonly needs?: readonly string[];
}

const PACKAGES: readonly Package[] = [
  {
    name: 'toolz',
    gold: '1.0.0',
    others: ['1.2.0', '1.1.0', '0.12.1', '0.12.0', '0.11.2', '0.10.0'],
    tests: ['toolz/tests'],
  },
  { name: 'inflection', gold: '0.5.1', others: ['0.5.0', '0.4.0', '0.3.1'], tests: ['test_inflection.py'] },
  {
    name: 'packaging',
    gold: '24.2',
    others: ['26.4', '26.0', '25.0', '24.0', '23.2', '22.0'],
    tests: ['licenses', 'metadata', 'tags', 'utils'].map((each) => `tests/test_${each}.py`),
    needs: ['pretend'],
  },
  {
    name: 'humanize',
    gold: '4.12.0',
    others: ['4.17.0', '4.15.0', '4.10.0', '4.8.0', '4.6.0'],
    tests: ['tests'],
    needs: ['freezegun', 'pytest-cov'],
  },
  {
    name: 'boltons',
    gold: '25.0.0',
    others: ['26.2.0', '26.0.0', '24.1.0', '23.1.1', '21.0.0', '20.0.0'],
    tests: ['tests'],
  },
  { name: 'sqlparse', gold: '0.5.3', others: ['0.6.1', '0.5.5', '0.5.0', '0.4.4', '0.4.1'], tests: ['tests'] },
  { name: 'tabulate', gold: '0.9.0', others: ['0.10.0', '0.8.10', '0.8.9', '0.8.7'], tests: ['test'] },
  {
    name: 'click',
    gold: '8.1.8',
    others: ['8.5.1', '8.3.0', '8.2.1', '8.1.3', '8.0.4'],
    tests: ['tests'],
  },
  {
    name: 'python-dateutil',
    modules: ['dateutil'],
    gold: '2.9.0.post0',
    others: ['4.0.0', '3.0.0', '2.8.2', '2.8.0', '2.7.5'],
    tests: ['tests'],
    options: '--ignore tests/property',
    needs: ['freezegun', 'six', 'hypothesis', 'pytest-cov'],
  },
  {
    name: 'jsonschema',
    gold: '4.23.0',
    others: ['4.26.0', '4.21.1', '4.19.2', '4.18.0'],
    tests: ['cli', 'exceptions', 'format', 'types', 'utils', 'validators'].map(
      (each) => `jsonschema/tests/test_${each}.py`,
    ),
    needs: ['attrs', 'referencing', 'rpds-py', 'jsonschema-specifications', 'pyrsistent'],
  },
  { name: 'parso', gold: '0.8.4', others: ['0.8.7', '0.8.2', '0.8.0', '0.7.1'], tests: ['test'] },
  {
    name: 'inflect',
    gold: '7.5.0',
    others: ['7.6.0', '7.0.0', '6.2.0', '5.6.2'],
    tests: ['tests'],
    needs: ['more_itertools', 'typeguard', 'pydantic'],
  },
  {
    name: 'more-itertools',
    modules: ['more_itertools'],
    gold: '10.7.0',
    others: ['11.2.1', '11.0.0', '10.8.0', '10.5.0', '10.1.0', '9.1.0'],
    tests: ['tests'],
  },
  {
    name: 'wcwidth',
    gold: '0.2.13',
    others: ['0.9.4', '0.5.0', '0.2.14', '0.2.8'],
    tests: ['tests'],
    needs: ['pytest-cov'],
  },
  {
    name: 'networkx',
    gold: '3.3',
    others: ['3.5', '3.4.2', '3.2.1', '3.1'],
    tests: ['networkx/classes/tests', 'networkx/utils/tests', 'networkx/generators/tests'],
  },
  {
    name: 'attrs',
    modules: ['attr', 'attrs'],
    gold: '24.3.0',
    others: ['26.1.0', '25.3.0', '24.2.0', '23.2.0', '22.2.0'],
    tests: ['tests'],
    needs: ['hypothesis', 'cloudpickle'],
  },
];

/** Before the patch all tests fail, with a traceback each: native ones take least time. */
const COMMAND = 'python3 -m pytest -q --tb=native --continue-on-collection-errors -p no:cacheprovider';

interface FetchDeps {
  readonly sandboxes: Sandboxes;
  readonly blobs: BlobStore;
}

/**
 * Packages of which one release is the reference, in tests of its own, and the others are solutions that somebody else
 * wrote. Before the patch all public functions of the package raise.
 */
export function releaseTasks(deps: FetchDeps): Task[] {
  return PACKAGES.map((each) => ({
    name: each.name,
    gold: each.gold,
    async open() {
      const python = await openPython();
      const release = await fetched(deps, each, each.gold);
      const broken = new Map(
        [...release.code].map(([file, text]) => [file, isPython(file) ? withoutBodies(python, file, text) : text]),
      );
      const path = (file: string) => placed(release, file);
      return {
        problem: problemWith({
          id: `${each.name}-${each.gold}`,
          source: `pypi:${each.name}==${each.gold}`,
          setup: setupOf(each),
          before: [...broken].map(([file, content]) => ({ path: path(file), content })),
          tests: testFiles(each, release.tree),
          command: [COMMAND, ...each.tests, each.options ?? ''].join(' ').trim(),
          goldPatch: patchOf(path, broken, release.code),
        }),
        alternatives: each.others.map((version) => ({
          name: version,
          open: async () => alternative(path, broken, release.code, (await fetched(deps, each, version)).code),
        })),
      };
    },
  }));
}

/** A release with the text of its code, by `module/file.py`: a module that is one file counts as a package of one. */
interface Release {
  readonly tree: SourceTree;
  readonly code: ReadonlyMap<string, string>;
  /** Of each module, where it is in the archive. */
  readonly places: ReadonlyMap<string, string>;
}

const isPython = (path: string) => path.endsWith('.py');

async function fetched(deps: FetchDeps, { name, modules = [name] }: Package, version: string): Promise<Release> {
  const owner = { workflowId: `alternatives-${randomUUID()}`, firstRunId: randomUUID() };
  const source = `pypi:${name}==${version}`;
  const { signal } = new AbortController();
  const { tree } = await fetchSource({ ...deps, roots: Roots.any }, owner, source, undefined, BASE_IMAGE, signal);
  const code = new Map<string, string>();
  const places = new Map<string, string>();
  for (const module of modules) {
    const candidates = ['', 'src/'].flatMap((top) => [`${top}${module}/`, `${top}${module}.py`]);
    const place = candidates.find((each) => tree.has(each.endsWith('/') ? `${each}__init__.py` : each));
    if (place === undefined) throw new Error(`${source} has no module ${module}`);
    places.set(module, place);
    for (const [path, { bytes }] of tree) {
      const text = bytes.toString('utf8');
      if (!path.startsWith(place) || !isPython(path) || isTestPath(path) || !Buffer.from(text).equals(bytes)) continue;
      code.set(place.endsWith('/') ? `${module}/${path.slice(place.length)}` : `${module}/__init__.py`, text);
    }
  }
  return { tree, code, places };
}

/** Where a file of a release's code is, or would be, in the reference's archive. */
function placed({ places }: Release, file: string): string {
  const at = file.indexOf('/');
  const [module, rest] = [file.slice(0, at), file.slice(at + 1)];
  const place = places.get(module)!;
  if (place.endsWith('/')) return place + rest;
  if (rest === '__init__.py') return place;
  throw new Error(`${file} has no place beside ${place}`);
}

type Placing = (file: string) => string;

function patchOf(path: Placing, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const files = [...new Set([...before.keys(), ...after.keys()])].sort();
  return files.map((file) => unifiedDiff(path(file), before.get(file) ?? null, after.get(file) ?? null)).join('');
}

function alternative(
  path: Placing,
  before: ReadonlyMap<string, string>,
  gold: ReadonlyMap<string, string>,
  code: ReadonlyMap<string, string>,
): Alternative {
  const changed = patchOf(path, gold, code)
    .split('\n')
    .filter((line) => /^[-+](?![-+]{2} )/.test(line));
  return { patch: patchOf(path, before, code), lines: changed.length };
}

function testFiles({ tests }: Package, tree: SourceTree): { path: string; content: string }[] {
  return [...tree].flatMap(([path, { bytes }]) =>
    isPython(path) && tests.some((each) => path === each || path.startsWith(`${each}/`))
      ? [{ path, content: bytes.toString('utf8') }]
      : [],
  );
}

function setupOf({ gold, needs = [] }: Package): string[] {
  const pip = 'pip install -q --break-system-packages';
  return [
    `${pip} 'pytest>=8,<9' ${needs.join(' ')}`.trim(),
    // What takes its version from a repository finds ours, which has none.
    `SETUPTOOLS_SCM_PRETEND_VERSION=${gold} ${pip} --no-deps -e .`,
  ];
}

/** A module in which every public function and method raises as soon as it is called. */
function withoutBodies(python: Python, path: string, text: string): string {
  const places: { readonly at: number; readonly put: string }[] = [];
  const isPublic = (name: string) => !name.startsWith('_');
  eachStatement(python.parse(path, text).body, (statement) => {
    if (statement.kind === 'class') return isPublic(statement.name);
    if (statement.kind !== 'function') return true;
    if (isPublic(statement.name)) places.push(raising(statement.body, statement.docstring !== undefined, text));
    return false;
  });
  return places
    .sort((one, other) => other.at - one.at)
    .reduce((whole, { at, put }) => whole.slice(0, at) + put + whole.slice(at), text);
}

function raising(
  body: readonly Statement[],
  hasDocstring: boolean,
  text: string,
): { readonly at: number; readonly put: string } {
  const raise = 'raise NotImplementedError';
  const first = body[hasDocstring ? 1 : 0];
  if (!first) return { at: body[0]!.end, put: `; ${raise}` };
  const indent = text.slice(text.lastIndexOf('\n', first.start - 1) + 1, first.start);
  return { at: first.start, put: indent.trim() === '' ? `${raise}\n${indent}` : `${raise}; ` };
}
