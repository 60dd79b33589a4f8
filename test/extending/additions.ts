/** A line that goes into a file of `src`, before or after the first line that holds a text. */
export interface Line {
  readonly in: string;
  readonly after: string;
  readonly add: string;
}

/** What is added to Pointsman from outside: files that are new, and the lines that make them known. */
export interface Addition {
  readonly what: string;
  /** From `plugins/` to where they belong. */
  readonly files: Readonly<Record<string, string>>;
  /** An import stands above its table, and is not counted as a place to find. */
  readonly lines: readonly Line[];
}

const ecosystems = 'src/setup/playbook/ecosystems/index.ts';
const languages = 'src/setup/repository/languages.ts';

export const ADDITIONS: readonly Addition[] = [
  {
    what: 'A dialect',
    files: {
      'dialect.ts': 'src/rollout/dialects/json.ts',
      'prompts/json/system.md': 'prompts/json/system.md',
      'prompts/json/instance.md': 'prompts/json/instance.md',
    },
    lines: [
      { in: 'src/contract/names.ts', after: "DialectName = openNames('tools', 'xml', 'backticks'", add: ", 'json'" },
      { in: 'src/rollout/dialects/index.ts', after: '= { tools, xml, backticks', add: ', json' },
      { in: 'src/rollout/dialects/index.ts', after: "from './dialect';", add: "\nimport { json } from './json';" },
    ],
  },
  {
    what: 'A tool',
    files: { 'tool.ts': 'src/rollout/tools/search.ts' },
    lines: [
      { in: 'src/rollout/tools/index.ts', after: '[bash, submit, editor', add: ', search' },
      { in: 'src/rollout/tools/index.ts', after: "from './editor';", add: "\nimport { search } from './search';" },
    ],
  },
  {
    what: 'A hand-over policy',
    files: { 'policy.ts': 'src/rollout/every-nth.ts' },
    lines: [
      { in: 'src/contract/hand-over.ts', after: '  never: z.literal(true),', add: '\n  everyNth: z.int().min(2),' },
      {
        in: 'src/rollout/handover.ts',
        after: "  never: { draw: () => null, needs: () => ['student'] },",
        add: '\n  everyNth,',
      },
      {
        in: 'src/rollout/handover.ts',
        after: "from '../contract';",
        add: "\nimport { everyNth } from './every-nth';",
      },
    ],
  },
  {
    what: 'An exporter',
    files: { 'exporter.ts': 'src/dataset/exporters/alpaca.ts' },
    lines: [
      { in: 'src/contract/names.ts', after: "  'atif',", add: "\n  'alpaca'," },
      { in: 'src/dataset/exporters/index.ts', after: '  atif,', add: '\n  alpaca,' },
      { in: 'src/dataset/exporters/index.ts', after: "from './atif';", add: "\nimport { alpaca } from './alpaca';" },
    ],
  },
  {
    what: 'An ecosystem of the playbook',
    files: { 'ecosystem.ts': 'src/setup/playbook/ecosystems/ruby.ts' },
    lines: [
      { in: 'src/setup/repository/facts.ts', after: "export type Language = 'python'", add: " | 'ruby'" },
      { in: languages, after: 'Readonly<Record<Language, LanguageFiles>> = {', add: '\n  ruby: rubyFiles,' },
      {
        in: languages,
        after: "from './manifests/rust';",
        add: "\nimport { rubyFiles } from '../playbook/ecosystems/ruby';",
      },
      { in: ecosystems, after: 'Record<Language, Ecosystem>> = {', add: ' ruby,' },
      { in: ecosystems, after: "from './python';", add: "\nimport { ruby } from './ruby';" },
    ],
  },
  {
    what: 'An atom',
    files: { 'atom.ts': 'src/setup/experience/gem.ts' },
    lines: [
      { in: 'src/contract/names.ts', after: "  'adjust_command',", add: "\n  'gem_install'," },
      {
        in: 'src/setup/experience/atoms.ts',
        after: 'Readonly<Record<AtomName, Render>> = {',
        add: '\n  gem_install: gemInstall,',
      },
      {
        in: 'src/setup/experience/atoms.ts',
        after: "from './commands';",
        add: "\nimport { gemInstall } from './gem';",
      },
    ],
  },
  {
    what: 'A kind of source',
    files: { 'guest/gem.py': 'src/sources/guest/gem.py' },
    lines: [
      { in: 'src/contract/source.ts', after: "readonly kind: 'pypi'", add: " | 'gem'" },
      {
        in: 'src/contract/source.ts',
        after: "[Kind in SourceSpec['kind']]: SourceForm<SourceOf<Kind>> } = {",
        add: "\n  gem: registry({ kind: 'gem', form: 'gem:NAME@VERSION', separator: '@', pattern: /^([\\w.-]+)@(\\d[\\w.]*)$/ }),",
      },
      {
        in: 'src/sources/fetch.ts',
        after: "[Kind in SourceSpec['kind']]: Fetcher<SourceOf<Kind>> } = {",
        add: "\n  gem: fromRegistry('gem'),",
      },
    ],
  },
  {
    what: 'A part of the report',
    files: { 'report-part.ts': 'src/pages/report/parts/size.ts' },
    lines: [
      { in: 'src/pages/report/report.ts', after: '  howPart,', add: '\n  sizePart,' },
      {
        in: 'src/pages/report/report.ts',
        after: "from './parts/shift';",
        add: "\nimport { sizePart } from './parts/size';",
      },
    ],
  },
  {
    what: 'A test reporter',
    files: { 'test-reporter.ts': 'src/setup/test-output/busted.ts' },
    lines: [
      { in: 'src/setup/test-output/index.ts', after: '  doctest,', add: '\n  busted,' },
      {
        in: 'src/setup/test-output/index.ts',
        after: "from './build-runners';",
        add: "\nimport { busted } from './busted';",
      },
    ],
  },
  {
    what: 'A sandbox backend',
    files: { 'sandbox-backend.ts': 'src/sandbox/remote/sandboxes.ts' },
    lines: [
      {
        in: 'src/sandbox/index.ts',
        after: 'const BACKENDS: Record<string, MakeSandboxes> = {',
        add: '\n  remote: (scope: string): Sandboxes => remoteSandboxes(scope),',
      },
      {
        in: 'src/sandbox/index.ts',
        after: "from './docker/sandboxes';",
        add: "\nimport { remoteSandboxes } from './remote/sandboxes';",
      },
    ],
  },
  {
    what: 'A blob store',
    files: { 'blob-store.ts': 'src/store/local/memory.ts' },
    lines: [
      {
        in: 'src/store/index.ts',
        after: 'const BLOB_STORES = {',
        add: '\n  memory: (): BlobStore => new MemoryBlobs(),',
      },
      {
        in: 'src/store/index.ts',
        after: "from './local/blobs';",
        add: "\nimport { MemoryBlobs } from './local/memory';",
      },
    ],
  },
];
