/** Languages that the built-in policies know how to set up. */
export type Language = 'python' | 'node' | 'go' | 'rust' | 'c' | 'cpp' | 'java';

export type BuildSystem =
  | 'setuptools'
  | 'poetry'
  | 'hatch'
  | 'flit'
  | 'pdm'
  | 'uv'
  | 'maturin'
  | 'scikit-build'
  | 'meson-python'
  | 'requirements'
  | 'tox'
  | 'nox'
  | 'npm'
  | 'yarn'
  | 'pnpm'
  | 'go'
  | 'cargo'
  | 'cmake'
  | 'meson'
  | 'autotools'
  | 'make'
  | 'maven'
  | 'gradle';

/** Something that the project says it needs. */
export interface Dependency {
  /** As its registry spells it. */
  readonly name: string;
  /** Optional features of it that are asked for too. */
  readonly extras?: readonly string[];
  /** Version condition in the words of its ecosystem, or the address it comes from; empty: any version. */
  readonly spec: string;
  /** `core`: to run. `build`: to build. `test`: to test or develop. `extra`: for an optional feature. */
  readonly scope: 'core' | 'build' | 'test' | 'extra';
  /** The extra, dependency group or feature that asks for it. */
  readonly extra?: string;
  /** Python environment marker: it is needed only where this holds. */
  readonly marker?: string;
  /** What a program imports it as; empty where that is unknown or meaningless. */
  readonly importNames: readonly string[];
  /** File that declares it. */
  readonly declared: string;
}

/** A dependency with whose manifest declares it: a crate is no distribution of Python, whatever their names. */
export interface ProjectDependency extends Dependency {
  readonly language: Language;
}

export interface EntryPoint {
  /** `console`: installed script. `module`: `python -m`. `bin`: program of a package. `main`: importable main module. */
  readonly kind: 'console' | 'module' | 'bin' | 'main';
  readonly name: string;
  /** What it starts: `package.module:function`, a file, or a package path. */
  readonly target: string;
}

/** A set of requirements that can be installed by name. */
export interface DependencyGroup {
  readonly name: string;
  /** `extra`: `pip install .[NAME]`. `group`: of a dependency-groups table. `tool`: of a tool's own table, such as Poetry's, whose rows are installed one by one. `file`: `-r PATH`. */
  readonly kind: 'extra' | 'group' | 'tool' | 'file';
  /** Whether its name says that it is for testing or developing. */
  readonly test: boolean;
}

/** What the files of a repository say about it. Nothing here was tried. */
export interface ProjectFacts {
  /** The main one first. */
  readonly languages: readonly Language[];
  readonly buildSystems: readonly BuildSystem[];
  readonly name: string | null;
  readonly version: string | null;
  /** Versions of the runtimes that it asks for, in the words of each ecosystem: `{python: '>=3.8'}`, `{go: '1.21'}`. */
  readonly runtime: Readonly<Partial<Record<'python' | 'node' | 'go' | 'rust' | 'java', string>>>;
  readonly dependencies: readonly ProjectDependency[];
  readonly groups: readonly DependencyGroup[];
  readonly entryPoints: readonly EntryPoint[];
  /** Importable top-level packages and modules; of Go the module's path, of Rust the crates. */
  readonly modules: readonly string[];
  /** Files and folders that hold tests, outermost only. */
  readonly testPaths: readonly string[];
  readonly testFrameworks: readonly string[];
  /** Services that its tests or documents speak of. */
  readonly serviceHints: readonly string[];
  /** Whether its version comes from tags that an exported tree does not have. */
  readonly vcsVersion: boolean;
  /** Commands that its documents and continuous integration give, shell prompts taken off. */
  readonly documented: readonly string[];
}

/** What one ecosystem's manifests add. */
export type ManifestFacts = Partial<
  Pick<ProjectFacts, 'name' | 'version' | 'vcsVersion'> & {
    readonly runtime: ProjectFacts['runtime'];
    readonly buildSystems: readonly BuildSystem[];
    readonly dependencies: readonly Dependency[];
    readonly groups: readonly DependencyGroup[];
    readonly entryPoints: readonly EntryPoint[];
    readonly modules: readonly string[];
    readonly testFrameworks: readonly string[];
  }
>;

/** What the manifests of one language declare. */
export const declaredFor = ({ dependencies }: ProjectFacts, language: Language): readonly ProjectDependency[] =>
  dependencies.filter((one) => one.language === language);
