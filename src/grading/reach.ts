import type { LeftOut, Problem } from '../contract';
import { addedLines, type PatchSection, splitPatch } from '../problems/patch';
import { fileOfTestId, hiddenPaths, isTestName, testRoots } from '../problems/test-files';
import { shadowsLibrary } from './library-names';
import { simpleCommands } from './runners/command-line';
import { sharedAs } from './shared-files';

/** What of a problem says where a patch may reach. */
export interface ReachGiven {
  readonly problem: Pick<Problem, 'tests' | 'goldPatch' | 'protected'>;
  /** Files that the test command goes through to its runner: `through` of what was followed. */
  readonly through: readonly string[];
  /** Files of the tests that are the candidate's but for the tests in them, which are put there later. */
  readonly inline?: ReadonlySet<string>;
}

interface Reach {
  /** The patch without the files that are not the candidate's to change. */
  readonly patch: string;
  readonly leftOut: readonly LeftOut[];
}

/** One path that a patch changes, in the spelling that all that means the same path share. */
interface Change {
  readonly path: string;
  /** Parts of the path, and its last. */
  readonly parts: readonly string[];
  readonly name: string;
  readonly isNew: boolean;
  /** Target of the symbolic link that it becomes. */
  readonly link: string | undefined;
  readonly isSubmodule: boolean;
}

/** What the rules look up, made once a problem. */
interface Ground {
  readonly hidden: ReadonlySet<string>;
  readonly roots: readonly string[];
  /** Files of FAIL_TO_PASS that are documents with examples. */
  readonly documents: ReadonlySet<string>;
  readonly through: ReadonlySet<string>;
  /** Words of the test command that may be paths. */
  readonly named: ReadonlySet<string>;
  readonly protected: readonly string[];
}

interface Rule {
  readonly kind: string;
  readonly why: string;
  /** Not even what the gold patch changes is the candidate's. */
  readonly always?: true;
  applies(change: Change, ground: Ground): boolean;
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** What a patch may not bring, a row a kind. The first that applies is the reason given. */
export const REACH: readonly Rule[] = [
  {
    kind: 'outside_workdir',
    why: 'lies outside of the work directory',
    always: true,
    applies: ({ path, parts }) => path === '' || path.startsWith('/') || parts.includes('..'),
  },
  {
    kind: 'git',
    why: 'is read by git, which applies the patch',
    always: true,
    applies: ({ parts, name }) => parts.includes('.git') || name === '.gitmodules',
  },
  { kind: 'submodule', why: 'would be code that is not in the patch', applies: ({ isSubmodule }) => isSubmodule },
  {
    kind: 'hidden_test',
    why: 'is a test file of the problem',
    always: true,
    applies: ({ path }, { hidden }) => hidden.has(path),
  },
  {
    kind: 'in_place_of_tests',
    why: 'would stand where a folder of the tests is',
    always: true,
    applies: ({ path }, { hidden }) => [...hidden].some((test) => test.startsWith(`${path}/`)),
  },
  {
    kind: 'link_out',
    why: 'is a link that leads out of the work directory, or into the tests',
    applies: ({ path, link }, ground) => link !== undefined && leadsAway(path, link, ground),
  },
  {
    kind: 'git_attributes',
    why: 'changes how git writes files',
    applies: ({ name }) => name === '.gitattributes',
  },
  {
    kind: 'startup_hook',
    why: 'is run whenever Python starts',
    applies: ({ name }) => /^(sitecustomize|usercustomize)(\.|$)|\.(pth|egg-link|_pth)$|^pyvenv\.cfg$/.test(name),
  },
  {
    kind: 'protected',
    why: 'belongs to the environment',
    applies: ({ path, parts }, ground) =>
      parts.includes('node_modules') ||
      parts.includes('site-packages') ||
      ground.protected.some((own) => isWithin(path, own)),
  },
  {
    kind: 'compiled_code',
    why: 'is compiled, and may differ from its source',
    applies: ({ name, parts }) =>
      /\.(py[co]|so|pyd|dll|dylib|node|class|jar|egg|whl|rlib)$|\.so\.\d/.test(name) || parts.includes('__pycache__'),
  },
  {
    kind: 'package_metadata',
    why: 'is metadata by which test runners find plugins',
    applies: ({ parts }) =>
      parts.some((part) => /\.(dist|egg)-info$/.test(part)) || parts.at(-1) === 'entry_points.txt',
  },
  {
    kind: 'pytest_config',
    why: 'configures pytest',
    applies: ({ name }) => /^\.?pytest\.(ini|toml)$|^conftest\.py$/.test(name),
  },
  {
    kind: 'test',
    why: 'belongs to the tests',
    applies: ({ path, parts, name }, { roots }) =>
      isTestName(name) ||
      /_spec\.rb$|\.t$/.test(name) ||
      parts.some((part) => /^__(tests|snapshots|mocks)__$/.test(part)) ||
      roots.some((root) => isWithin(path, root)),
  },
  {
    kind: 'doctest',
    why: 'is a document whose examples are tests of the problem',
    applies: ({ path }, { documents }) => documents.has(path),
  },
  {
    kind: 'test_command',
    why: 'is run or read by the test command',
    applies: ({ path, name }, { through, named }) =>
      sharedAs(name) === undefined && (through.has(path) || named.has(path)),
  },
  {
    kind: 'runner_config',
    why: 'configures the test runner',
    applies: ({ name, path }) =>
      /^(noxfile\.py|tox\.toml|hatch\.toml|\.coveragerc(\.toml)?|\.?nose\.cfg|unittest\.cfg|\.proverc|\.rspec|\.stestr\.conf|\.testr\.conf)$/.test(
        name,
      ) ||
      /^(jest|vitest|vite|karma|ava|babel|playwright|cypress|wallaby)[\w.-]{0,200}\.(config|conf|workspace|setup)\.[\w.]+$/.test(
        name,
      ) ||
      /^(jest|vitest)[.-]setup\.[\w.]+$|^\.(mocharc|taprc|nycrc|c8rc|babelrc|swcrc)(\.\w+)?$/.test(name) ||
      /^(ctest(testfile|custom|config)\.(cmake|cfg)|dartconfiguration\.tcl)$/.test(name) ||
      /(^|\/)\.config\/nextest\.toml$/.test(path),
  },
  {
    kind: 'tool_chain',
    why: 'configures the interpreter, the build or the package manager',
    applies: ({ name, path }) =>
      /^(\.python-version|\.tool-versions|\.?mise\.toml|\.nvmrc|\.node-version|\.env(rc)?|uv\.toml|poetry\.toml|pip\.conf|\.npmrc|\.yarnrc(\.yml)?|\.pnp\.[cm]?js|\.pnpmfile\.cjs|rust-toolchain(\.toml)?|build\.rs|go\.work|bunfig\.toml)$/.test(
        name,
      ) || /(^|\/)\.cargo\/config(\.toml)?$/.test(path),
  },
  {
    kind: 'shadows_library',
    why: 'would be imported in place of the test framework or the standard library',
    applies: ({ path, isNew, link }, { roots }) =>
      isNew && shadowsLibrary(path, ['', 'src', 'lib', ...roots], link !== undefined),
  },
];

/** A problem's reach: made once, asked for every patch. */
export class ReachOf {
  readonly #ground: Ground;
  readonly #gold: ReadonlySet<string>;

  constructor({ problem, through, inline = new Set() }: ReachGiven) {
    const gold = splitPatch(problem.goldPatch ?? '').flatMap(({ from, to }) => [from, to]);
    this.#gold = new Set(gold.flatMap((path) => (path === null ? [] : [spelled(path)])));
    const { failToPass, passToPass, command } = problem.tests;
    // A source file whose documentation holds the tests is named by the command and still the place of the fix.
    const tested = new Set([...failToPass, ...passToPass].map((id) => spelled(fileOfTestId(id))));
    const documents = failToPass.map(fileOfTestId).filter((path) => /\.(rst|txt|md|adoc)$/i.test(path));
    const words = simpleCommands(command).flatMap(({ words: each }) => each.map(({ text }) => text));
    this.#ground = {
      hidden: new Set(
        hiddenPaths(problem)
          .filter((path) => !inline.has(path))
          .map(spelled),
      ),
      roots: testRoots(problem).map(spelled),
      documents: new Set(documents.map(spelled)),
      through: new Set(through.map(spelled)),
      named: new Set(words.map((word) => spelled(word.replace(/^--?[\w-]+=/, ''))).filter((path) => !tested.has(path))),
      protected: problem.protected.map(spelled),
    };
  }

  /**
   * Takes out of a patch what is not the candidate's to change: whole files, each with a reason. Files that are shared, like
   * pyproject.toml, stay in; `restored` of `shared-files.ts` puts the problem's tables back once the patch is applied.
   */
  of(patch: string): Reach {
    const leftOut: LeftOut[] = [];
    const kept: string[] = [];
    for (const section of splitPatch(patch)) {
      const found = changesOf(section).flatMap((change) => this.#refusal(change) ?? []);
      if (found.length === 0) kept.push(section.text);
      else {
        const [first] = found;
        const paths = new Set([section.from, section.to].filter((path): path is string => path !== null));
        for (const path of paths) leftOut.push({ path, kind: first!.kind, why: first!.why });
      }
    }
    const text = kept.join('\n');
    return { patch: text === '' || text.endsWith('\n') ? text : `${text}\n`, leftOut };
  }

  /** Why a path, as git itself read it from a patch, is not the candidate's to change; undefined where it is. */
  refuses(path: string): LeftOut | undefined {
    const rule = this.#refusal(changeAt(path, false, undefined, false));
    return rule && { path, kind: rule.kind, why: rule.why };
  }

  #refusal(change: Change): Rule | undefined {
    const rule = REACH.find((each) => each.applies(change, this.#ground));
    if (rule === undefined || rule.always || !this.#gold.has(change.path)) return rule;
    // A link may be at the gold patch's path and lead elsewhere.
    return change.link === undefined && !change.isSubmodule ? undefined : rule;
  }
}

function changesOf(section: PatchSection): Change[] {
  const link = section.modes.includes('120000') && section.to !== null ? (addedLines(section)[0] ?? '') : undefined;
  const isSubmodule = section.modes.includes('160000');
  const paths = [...new Set([section.from, section.to])].filter((path): path is string => path !== null);
  return paths.map((path) => changeAt(path, section.from !== section.to && path === section.to, link, isSubmodule));
}

function changeAt(given: string, isNew: boolean, link: string | undefined, isSubmodule: boolean): Change {
  const path = spelled(given);
  const parts = path.split('/');
  return { path, parts, name: parts.at(-1)!, isNew, link, isSubmodule };
}

/**
 * One spelling for all that some file system takes for the same path: no `.` or empty parts, no case, no characters that
 * only look like others or are not seen, no dots and blanks at the end of a name.
 */
function spelled(path: string): string {
  const start = path.startsWith('/') ? '/' : '';
  const parts = path
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .toLowerCase()
    .split('/')
    .map((part) => (/^\.+$/.test(part) ? part : part.replace(/(?<![. ])[. ]+$/, '')))
    .filter((part) => part !== '' && part !== '.');
  return start + parts.join('/');
}

/** Whether a link ends outside of the work directory, in git's folder or in the tests. */
function leadsAway(path: string, target: string, { roots, hidden }: Ground): boolean {
  if (target.startsWith('/')) return true;
  const parts = path.split('/').slice(0, -1);
  for (const part of spelled(target).split('/')) {
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return true;
  }
  const end = parts.join('/');
  return parts.includes('.git') || hidden.has(end) || roots.some((root) => isWithin(end, root));
}
