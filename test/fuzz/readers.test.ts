import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FULL, minutes } from '../support/counts';
import { openReaders, type Reader } from './readers';
import { slowTexts } from './slow-readers';

const SRC = join(__dirname, '../../src');
/** Rooms whose functions are given what models, repositories and their programs wrote. */
const FOREIGN = [
  'setup/test-output',
  'grading',
  'problems',
  'rollout',
  'setup',
  'sources',
  'sandbox',
  'model',
  'dataset',
];
/** What a function calls such a text. */
const TEXT =
  /^export (?:async )?function (\w+)\((?:\w+: Python, )?(?:text|output|patch|reply|xml|jsonl|stdout|docstring|content|said|log): string\b/gm;

/** Readers that are called by those of the table, or are given what is short; each says which. */
const COVERED: Readonly<Record<string, string>> = {
  'setup/test-output/reading.ts linesOf': 'readCounts',
  'setup/test-output/reading.ts tallyOf': 'readCounts',
  'setup/test-output/index.ts readRun': 'failuresOf',
  'setup/repository/system-packages.ts wordsOf': 'systemPackages',
  'setup/repository/tables.ts readJson': 'factsOf',
  'grading/reporters/reporter.ts jsonLines': 'REPORTERS',
  'grading/reporters/reporter.ts jsonOf': 'REPORTERS',
  'problems/candidate/indentation.ts dedented': 'readCandidate',
  'problems/equivalence/value-float.ts floatOf': 'a number of a harness, which has its own limit',
  'problems/specification/append.ts appendTo': 'a docstring, by readDocstring',
  'setup/roles/rules/play.ts rowsOf': 'readInterpreters',
  'grading/variants/literals.ts otherNumbers': 'one line of a literal',
  'grading/variants/literals.ts numberOf': 'one number',
  'grading/variants/literals.ts otherTexts': 'one literal',
  'grading/variants/literals.ts otherNeedles': 'one literal',
  'rollout/dialects/named-arguments.ts namedArguments': 'findTextCall',
  'dataset/extra-row.ts isJson': 'JSON.parse alone',
  'model/reply.ts readAnswer': 'JSON.parse, then the dialects and quotable',
};

/** Readers by file and name, as the table has them. */
function readersOfSources(): string[] {
  return FOREIGN.flatMap((room) =>
    readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        [...readFileSync(join(SRC, room, name), 'utf8').matchAll(TEXT)].map(
          ([, reader]) => `${room}/${name} ${reader}`,
        ),
      ),
  );
}

let readers: ReadonlyMap<string, Reader>;

beforeAll(async () => {
  readers = await openReaders();
});

it('the table has every function that is given a text of others', () => {
  const known = [...readers.keys()];
  const missing = [...new Set(readersOfSources())].filter(
    (reader) => !(reader in COVERED) && !known.some((each) => each === reader || each.startsWith(`${reader} `)),
  );
  expect(missing).toEqual([]);
});

/** Readers that give up: milliseconds of the processor that one may take for a text of so many characters, and why. */
const GIVES_UP: Readonly<Record<string, (characters: number) => number>> = {
  // A reply is read as a block, as a whole and around its definition, a harness as a whole, each with the patience of the parser of Python.
  'problems/candidate/reply.ts readCandidate': (characters) => 4 * (1_000 + characters / 100),
  'problems/equivalence/read-harness.ts readHarness': (characters) => 4 * (1_000 + characters / 100),
};

/** Of a reader in a full run: some read a megabyte in six seconds, and there are five hundred texts. */
const PATIENCE_MS = 60_000;

/**
 * A commit tries some short texts on some readers; `npm run fuzz` a megabyte on all, other texts first each time. `READERS`
 * is a regular expression for the names of those that are wanted.
 */
it(
  'no reader takes longer than its text is long',
  () => {
    const wanted = new RegExp(process.env.READERS ?? '');
    const chosen = [...readers].filter(
      ([name], at) => wanted.test(name) && (FULL || (at % 8 === 0 && !(name in GIVES_UP))),
    );
    const size = FULL ? 1_000_000 : 20_000;
    const full = FULL ? { seed: Date.now(), patienceMs: PATIENCE_MS } : {};
    const all = chosen.flatMap(([name, reader], at) => {
      const began = performance.now();
      const { slow, tried } = slowTexts(reader, { size, allowedMs: GIVES_UP[name]?.(size), ...full });
      const seconds = Math.round((performance.now() - began) / 1000);
      const line = `${at + 1} of ${chosen.length}, ${tried} texts, ${seconds} s: ${[name, ...slow].join('\n  ')}\n`;
      if (FULL) process.stderr.write(line);
      return slow.map((text) => `${name}: ${text}`);
    });
    expect(all).toEqual([]);
  },
  minutes(10, 180),
);
