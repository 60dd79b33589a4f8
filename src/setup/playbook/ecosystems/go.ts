import { quoted } from '../../experience/quoting';
import { goModules, inGoModules, replacedByNothing } from '../../repository/go-modules';
import { aptInstall } from '../apt';
import { type Ecosystem, type Goal, type Project, type Reader, type Remedy, shell, step } from '../goal';

/** What Debian's golang-go is, and the first release that the module proxy carries as a module. */
const DEBIAN = 19;
const FIRST_MODULE = 21;

const minorOf = (version: string | undefined) => Number(/^1\.(\d+)/.exec(version ?? '')?.[1] ?? 0);

/**
 * A newer toolchain comes from where modules come from, checked like them. Module archives keep no permissions, so the
 * programs are made executable.
 */
function newer(version: string): string {
  const minor = minorOf(version);
  const exact = minor < FIRST_MODULE ? `1.${FIRST_MODULE}.0` : /^1\.\d+$/.test(version) ? `${version}.0` : version;
  const module = `golang.org/toolchain@v0.0.1-go${exact}.linux-$(go env GOARCH)`;
  return [
    `folder=$(cd /tmp && GOFLAGS=-mod=mod go mod download -json ${module} | sed -n 's/.*"Dir": "\\(.*\\)",*/\\1/p')`,
    'test -n "$folder"',
    'rm -rf /usr/local/go && cp -r "$folder" /usr/local/go && chmod -R u+w /usr/local/go',
    'chmod +x /usr/local/go/bin/* /usr/local/go/pkg/tool/*/*',
    'export PATH="/usr/local/go/bin:$PATH" GOTOOLCHAIN=local',
    'go version',
  ].join(' && ');
}

function toolchain({ facts }: Project): Goal[] {
  const goals = [
    step(
      'toolchain',
      'Install Go, and a C compiler, which cgo needs.',
      `${aptInstall(['golang-go', 'gcc', 'libc6-dev'])} && export PATH="$PATH:/root/go/bin" && go version`,
    ),
  ];
  if (minorOf(facts.runtime.go) <= DEBIAN) return goals;
  return [
    ...goals,
    step('toolchain-version', 'Install the Go that it asks for: Debian has an older one.', newer(facts.runtime.go!)),
  ];
}

function plan(project: Project): Goal[] {
  const { survey, facts, source } = project;
  // A tree from the module proxy may lack the file, but its address is its path.
  const path = /^go:([^@]+)@/.exec(source)?.[1] ?? facts.name ?? 'module.local/main';
  const modules = goModules(survey);
  const vendored =
    modules.length > 0 &&
    modules.every((folder) => survey.paths.includes(`${folder === '.' ? '' : `${folder}/`}vendor/modules.txt`));
  const each = (command: string) => inGoModules(survey, command);
  const initialise = step('module', 'It is older than modules: make it one.', `go mod init ${path} && go mod tidy`);
  return [
    ...toolchain(project),
    ...(modules.length > 0 ? [] : [initialise]),
    ...replacements(project),
    ...(vendored ? [] : [step('dependencies', 'Fetch its modules.', each('go mod download'), true)]),
    step('build', 'Build all packages.', each('go build ./...'), true),
    // Run once, by the verifier: what they say is read there as well as it would be here.
    step('tests', 'Build its tests.', each("go test -run '^$' ./..."), true),
  ];
}

/** The versions that it requires of these are the published ones. */
function replacements({ survey }: Project): Goal[] {
  const edits = [...replacedByNothing(survey)].map(([folder, modules]) => {
    const dropped = modules.map((module) => `-dropreplace=${quoted(module)}`).join(' ');
    return `(cd ${quoted(folder)} && go mod edit ${dropped} && go mod tidy)`;
  });
  if (edits.length === 0) return [];
  const say = 'Take modules from the proxy whose folders beside it are not there.';
  return [step('replacements', say, edits.join(' && '), true)];
}

const readers: readonly Reader[] = [
  { cause: 'go-version', pattern: /go\.mod requires go >= (1\.\d+(?:\.\d+)?)/g },
  { cause: 'go-version', pattern: /note: module requires Go (1\.\d+)/g },
  { cause: 'go-version', pattern: /invalid go version '(1\.\d+(?:\.\d+)?)'/g },
  {
    cause: 'go-version',
    pattern: /package ([a-z][\w/]*) is not in (?:GOROOT|std)\b/g,
    what: ([, name]) => STANDARD_SINCE[name!] ?? null,
  },
  {
    cause: 'go-version',
    pattern: /unknown (?:directive|block type): (\w+)/g,
    what: ([, name]) => DIRECTIVE_SINCE[name!] ?? null,
  },
  { cause: 'go-version', pattern: /requires go(?: version)? ?(?:>= ?)?(1\.\d+(?:\.\d+)?)/g },
  { cause: 'go-vcs', pattern: /error obtaining VCS status/g },
  // Archives of modules keep the list of what was vendored, and not the packages.
  { cause: 'inconsistent-vendoring', pattern: /inconsistent vendoring|import lookup disabled by -mod=vendor/g },
  {
    cause: 'go-sum',
    pattern:
      /missing go\.sum entry|updates to go\.(?:mod|sum) needed|no required module provides package|cannot find module providing package/g,
  },
];

const remedies: readonly Remedy[] = [
  {
    name: 'install that Go',
    cause: 'go-version',
    sure: true,
    fix: (whats) => ({ act: shell(newer([...whats].sort((a, b) => minorOf(a) - minorOf(b)).at(-1)!)) }),
  },
  {
    // A tree without its history has no status, and nobody here asks a program which commit it is of.
    name: 'leave the commit out of programs',
    cause: 'go-vcs',
    sure: true,
    fix: () => ({ act: shell('export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"') }),
  },
  {
    name: 'complete the list of modules',
    cause: 'go-sum',
    sure: true,
    fix: (_, { project }) => ({ act: shell(inGoModules(project.survey, 'go mod tidy')) }),
  },
  {
    name: 'take the modules from the proxy',
    cause: 'inconsistent-vendoring',
    sure: true,
    // A workspace refuses the mode that would also write.
    fix: (_, { project }) => {
      const mode = project.survey.paths.includes('go.work') ? 'readonly' : 'mod';
      return { act: shell(`export GOFLAGS=-mod=${mode} && ${inGoModules(project.survey, 'go mod download')}`) };
    },
  },
];

export const go: Ecosystem = { name: 'go', plan, readers, remedies };

/** The Go release that a package of the standard library came with: an older one says that it is not in it. */
const STANDARD_SINCE: Readonly<Record<string, string>> = {
  'go/version': '1.22',
  'math/rand/v2': '1.22',
  'log/slog': '1.21',
  'testing/slogtest': '1.21',
  'testing/synctest': '1.25',
  'crypto/ecdh': '1.20',
  'crypto/fips140': '1.24',
  'crypto/hkdf': '1.24',
  'crypto/mlkem': '1.24',
  'crypto/pbkdf2': '1.24',
  'crypto/sha3': '1.24',
  'net/netip': '1.18',
  cmp: '1.21',
  iter: '1.23',
  maps: '1.21',
  slices: '1.21',
  structs: '1.23',
  unique: '1.23',
  weak: '1.24',
};

/** The same for what may stand in a `go.mod` or `go.work`. */
const DIRECTIVE_SINCE: Readonly<Record<string, string>> = {
  toolchain: '1.21',
  godebug: '1.23',
  tool: '1.24',
  ignore: '1.25',
};
