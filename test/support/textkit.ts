import { openPython } from '@pointsman/python';
import Docker from 'dockerode';
import { CaseOutcome, FunctionInstance, type FunctionTarget, SandboxProfile } from '../../src/contract';
import { openHarnessRoom } from '../../src/environments/harness/session';
import { ensureHarnessImage } from '../../src/environments/harness/tools-image';
import { BASE_IMAGE } from '../../src/machine/image';
import { functionAt, referenceOf, signatureOf } from '../../src/problems/candidate';
import { openSandboxes } from '../../src/sandbox';
import { removeContainer } from '../../src/sandbox/docker/container';
import { putFiles } from '../../src/sandbox/docker/guest';

export const TEXTKIT_IMAGE = 'pointsman/test-textkit:1';

/** A package of two modules that need each other: small enough to be read, big enough to have every kind of dependency. */
const FILES: Readonly<Record<string, string>> = {
  'textkit/__init__.py': '',
  'textkit/words.py': `"""Words and how they are written."""

SEPARATORS = ' _-'


def split_words(text):
    """Give the words of a text, parted by spaces, underscores and hyphens."""
    words, word = [], ''
    for letter in text:
        if letter in SEPARATORS:
            if word:
                words.append(word)
            word = ''
        else:
            word += letter
    if word:
        words.append(word)
    return words


def camelize(text, upper_first=True):
    """Write the words of a text as one, each with a capital.

    The first word is in small letters where \`upper_first\` is false.
    """
    words = [word[:1].upper() + word[1:].lower() for word in split_words(text)]
    if words and not upper_first:
        words[0] = words[0].lower()
    return ''.join(words)


class Counter:
    """Counts words."""

    def __init__(self):
        self.counts = {}

    def add(self, text):
        """Count the words of a text; give how many of them are new."""
        new = 0
        for word in split_words(text):
            if word not in self.counts:
                new += 1
            self.counts[word] = self.counts.get(word, 0) + 1
        return new
`,
  'textkit/numbers.py': `"""Numbers as words."""

from .words import camelize


def ordinal(number):
    """Write a number with its ending: 1st, 2nd, 3rd, 11th."""
    if number < 0:
        raise ValueError('there is no such place')
    if 10 <= number % 100 <= 20:
        return f'{number}th'
    return str(number) + {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')


def label(text, number):
    """Name a thing by a text and its place, like \`FirstTry-2nd\`."""
    return f'{camelize(text)}-{ordinal(number)}'
`,
};

interface Sketch {
  readonly module: 'words' | 'numbers';
  readonly name: string;
  readonly kind?: FunctionTarget['kind'];
  readonly dependencies: number;
  readonly outOfFile?: boolean;
  readonly cases: Readonly<Record<string, string>>;
}

const SKETCHES: readonly Sketch[] = [
  {
    module: 'words',
    name: 'camelize',
    dependencies: 2,
    cases: {
      case_words: "return subject('some words')",
      case_first_small: "return subject('Some_words here', upper_first=False)",
      case_empty: "return subject('')",
    },
  },
  {
    module: 'words',
    name: 'Counter.add',
    kind: 'method',
    dependencies: 2,
    cases: {
      case_new: "counter = subject()\n    return counter.add('a b a'), counter",
      case_again: "counter = subject()\n    counter.add('a b')\n    return counter.add('b c'), counter",
    },
  },
  {
    module: 'numbers',
    name: 'ordinal',
    dependencies: 0,
    cases: {
      case_small: 'return [subject(n) for n in range(0, 30)]',
      case_hundreds: 'return [subject(n) for n in (100, 101, 111, 112, 121)]',
      case_negative: 'return subject(-1)',
    },
  },
  {
    module: 'numbers',
    name: 'label',
    dependencies: 4,
    outOfFile: true,
    cases: { case_label: "return subject('first try', 2)", case_none: "return subject('', 11)" },
  },
];

const OWNER = { workflowId: 'test-textkit', firstRunId: `textkit-${process.pid}` };
const WORKDIR = '/repo';

let made: Promise<FunctionInstance[]> | undefined;

/** Function problems of the package, sorted by id; what the reference does was seen by running it. Made once a process. */
export function textkitInstances(): Promise<FunctionInstance[]> {
  made ??= make();
  return made;
}

export async function textkitJsonl(): Promise<string> {
  return (await textkitInstances()).map((instance) => `${JSON.stringify(instance)}\n`).join('');
}

async function make(): Promise<FunctionInstance[]> {
  const docker = new Docker();
  const there = await docker
    .getImage(TEXTKIT_IMAGE)
    .inspect()
    .catch(() => undefined);
  if (!there) await build(docker);
  const sandboxes = openSandboxes('test/textkit');
  const { signal } = new AbortController();
  const profile = SandboxProfile.parse({});
  const question = { workdir: WORKDIR, importRoots: ['.'], modules: ['textkit.words', 'textkit.numbers'] };
  try {
    const { image, python } = await ensureHarnessImage(
      { sandboxes },
      OWNER,
      { image: TEXTKIT_IMAGE, ...question },
      signal,
    );
    return await openHarnessRoom(
      { sandboxes },
      { owner: OWNER, role: 'reference', image, profile, python },
      signal,
      async (room) => {
        const instances: FunctionInstance[] = [];
        for (const sketch of SKETCHES) {
          const instance = await instanceOf(sketch, python);
          const { subject, harness } = instance;
          const request = { harness: harness.source, cases: harness.cases, seed: 0, secondsPerCase: 10 };
          const run = await room.run({ subject, keep: 10_000, observeCalls: 0, coverage: false, load: 0, ...request });
          if (run.fault !== null || run.unusable)
            throw new Error(`${instance.id}: ${run.fault ?? run.unusable?.message}`);
          instances.push({ ...instance, expected: run.outcomes.map((outcome) => CaseOutcome.parse(outcome)) });
        }
        return instances.sort((a, b) => (a.id < b.id ? -1 : 1));
      },
    );
  } finally {
    sandboxes.close();
  }
}

async function instanceOf(sketch: Sketch, interpreter: string): Promise<FunctionInstance> {
  const { module, name, kind = 'function', dependencies, outOfFile = false, cases } = sketch;
  const file = `textkit/${module}.py`;
  const python = await openPython();
  const syntax = python.parse(file, FILES[file]!);
  const found = functionAt(syntax, { name, lines: [1, 1] })!.statement;
  const last = syntax.lineStarts.filter((start) => start < found.end).length;
  const target: FunctionTarget = { module: `textkit.${module}`, name, kind, file, lines: [found.line, last] };
  const signature = signatureOf(syntax, target)!;
  const source = Object.entries(cases).map(([each, body]) => `def ${each}(subject):\n    ${body}\n`);
  return FunctionInstance.parse({
    id: `textkit.${module}.${name}`,
    environment: { image: TEXTKIT_IMAGE, workdir: WORKDIR },
    subject: { target, workdir: WORKDIR, importRoots: ['.'], python: interpreter },
    slice: { target, items: [], imports: [], importTimeEffects: [], unresolved: [] },
    dependencies,
    outOfFile,
    specification: { original: '', refined: found.docstring ?? '', by: 'types', argumentTypes: {}, returnTypes: [] },
    signature,
    reference: referenceOf(syntax, target)!,
    moduleText: FILES[file]!,
    size: { lines: last - found.line + 1, tokens: 40 + 30 * dependencies },
    contexts: { naive: signature, full: signature, sliced: `# ${file}\n${signature}` },
    harness: {
      author: 'builtin:recorded-calls',
      context: 'sliced',
      mode: 'equivalence',
      source: source.join('\n\n'),
      cases: Object.keys(cases),
    },
    expected: [],
    quality: {
      cases: source.length,
      repeats: 5,
      flaky: [],
      branchCoverage: 1,
      lineCoverage: 1,
      missedLines: [],
      mutants: [],
      mutationScore: null,
      oracle: 1,
      stub: 0,
    },
  });
}

async function build(docker: Docker): Promise<void> {
  const name = `pointsman-test-textkit-${process.pid}`;
  const container = await docker.createContainer({
    name,
    Image: BASE_IMAGE,
    Cmd: ['sleep', '600'],
    HostConfig: { NetworkMode: 'none' },
  });
  try {
    await container.start();
    const files = Object.entries(FILES).map(([path, text]) => ({
      path: `${WORKDIR}/${path}`,
      bytes: Buffer.from(text),
    }));
    await putFiles(container, files);
    const [repo, tag] = TEXTKIT_IMAGE.split(':') as [string, string];
    await container.commit({ repo, tag, changes: `WORKDIR ${WORKDIR}` });
  } finally {
    await removeContainer(docker, name);
  }
}
