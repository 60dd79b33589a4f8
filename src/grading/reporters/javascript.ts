import { z } from 'zod';
import type { TestOutcome } from '../../contract';
import {
  Collected,
  CollectedFailures,
  jsonOf,
  pathIn,
  programOf,
  type Report,
  type Reporter,
  type ReporterName,
  spelledAs,
} from './reporter';

const Results = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()).default([]),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
      status: z.string().optional(),
    }),
  ),
});

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { passed: 'passed', failed: 'failed' };

/**
 * Jest and Vitest, whose JSON is the same. Ids are `file > suite > test`, as Vitest prints them; wanted ones without the
 * file, or with other words between the parts, are found too.
 */
function jestLike(
  name: ReporterName,
  program: 'jest' | 'vitest',
  report: (file: string) => readonly string[],
): Reporter {
  return {
    name,
    starts: (words) => isProgram(words, program) && !/^(init|bench|list|typecheck)$/.test(words[1] ?? ''),
    asks(file, words) {
      const end = words.indexOf('--');
      const late = { program, words: report(`${file}-PROCESS`) };
      return { variables: {}, words: report(file), at: end < 0 ? words.length : end, late };
    },
    read(given, ids) {
      const wanted = new Set(ids);
      const collected = new Collected();
      const results = Results.safeParse(jsonOf(given.file ?? '')).data?.testResults ?? [];
      for (const file of results) {
        const path = pathIn(given.paths ?? [], file.name);
        if (file.status === 'failed' && file.assertionResults.length === 0)
          collected.add(`${path}::<collect>`, 'error');
        for (const { ancestorTitles, title, status } of file.assertionResults) {
          const spellings = spellingsOf(path, [...ancestorTitles, title]);
          for (const id of spelledAs(spellings, wanted)) collected.add(id, OUTCOMES[status] ?? 'skipped');
        }
      }
      return collected.outcomes();
    },
    failures(given, ids) {
      const wanted = new Set(ids);
      const failures = new CollectedFailures();
      for (const file of Results.safeParse(jsonOf(given.file ?? '')).data?.testResults ?? []) {
        const path = pathIn(given.paths ?? [], file.name);
        for (const { ancestorTitles, title, failureMessages } of file.assertionResults) {
          const text = failureMessages?.join('\n') ?? '';
          if (text === '') continue;
          for (const id of spelledAs(spellingsOf(path, [...ancestorTitles, title]), wanted)) failures.add(id, text);
        }
      }
      return failures.texts;
    },
    only: (words, files) => (hasPatterns(words, program) ? undefined : [...words, ...files]),
    alone(words, test) {
      const [path, ...parts] = test.split(' > ');
      if (parts.length === 0 || hasPatterns(words, program)) return undefined;
      return [...words, path!, '-t', `^${escaped(parts.join(' '))}$`];
    },
  };
}

export const jestTests = jestLike('jest', 'jest', (file) => ['--json', `--outputFile=${file}`]);
export const vitest = jestLike('vitest', 'vitest', (file) => ['--reporter=json', `--outputFile=${file}`]);

const MochaTest = z.object({
  fullTitle: z.string(),
  file: z.string().nullish(),
  err: z.object({ message: z.string().optional(), stack: z.string().optional() }).optional(),
});
const MochaResults = z.object({
  passes: z.array(MochaTest),
  failures: z.array(MochaTest),
  pending: z.array(MochaTest),
});

/** Mocha by its JSON, written to a file from 9.2 on and printed before. Ids are `file > full title`, or the full title. */
export const mocha: Reporter = {
  name: 'mocha',
  starts: (words) => isProgram(words, 'mocha') || isProgram(words, '_mocha'),
  asks: (file, words) => ({
    variables: {},
    words: mochaReport(file),
    at: words.length,
    late: { program: 'mocha', words: mochaReport(`${file}-PROCESS`) },
  }),
  read(given, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    const results = mochaResults(given);
    const add = (tests: readonly z.infer<typeof MochaTest>[], outcome: TestOutcome) => {
      for (const test of tests) for (const id of mochaIds(test, given, wanted)) collected.add(id, outcome);
    };
    add(results?.passes ?? [], 'passed');
    add(results?.failures ?? [], 'failed');
    add(results?.pending ?? [], 'skipped');
    return collected.outcomes();
  },
  failures(given, ids) {
    const wanted = new Set(ids);
    const failures = new CollectedFailures();
    for (const test of mochaResults(given)?.failures ?? []) {
      const text = `${test.err?.message ?? ''}\n${test.err?.stack ?? ''}`;
      for (const id of mochaIds(test, given, wanted)) failures.add(id, text);
    }
    return failures.texts;
  },
  alone: (words, test) => [...words, '--grep', `^${escaped(test.replace(/^\S+\.[cm]?[jt]sx? > /, ''))}$`],
};

const mochaReport = (file: string) => ['--reporter', 'json', '--reporter-option', `output=${file}`];

function mochaResults(given: Report): z.infer<typeof MochaResults> | undefined {
  return MochaResults.safeParse(jsonOf(given.file ?? printed(given))).data;
}

function mochaIds(test: z.infer<typeof MochaTest>, { paths = [] }: Report, wanted: ReadonlySet<string>) {
  const { fullTitle, file } = test;
  return spelledAs(file ? [`${pathIn(paths, file)} > ${fullTitle}`, fullTitle] : [fullTitle], wanted);
}

/** The object at the end of what was printed. */
function printed({ stdout }: Report): string {
  const start = stdout.lastIndexOf('\n{\n');
  return stdout.slice(start < 0 ? stdout.indexOf('{') : start);
}

function spellingsOf(path: string, parts: readonly string[]): string[] {
  const names = [' > ', ' › ', ' ', ' | '].map((between) => parts.join(between));
  return [
    `${path} > ${names[0]}`,
    ...names.flatMap((name) => [`${path} > ${name}`, `${path} › ${name}`, `${path}::${name}`, `${path} | ${name}`]),
    ...names,
  ];
}

function isProgram(words: readonly string[], program: string): boolean {
  if (programOf(words[0]) === program) return true;
  // `node --options node_modules/jest/bin/jest.js`, `yarn jest`.
  const name = new RegExp(`(^|/)${program}(/bin)?(/|\\.[cm]?js$|$)`);
  if (/^(yarn|pnpm|bun)$/.test(programOf(words[0]))) return words[1] === program;
  const script = words.slice(1).find((word) => !word.startsWith('-'));
  return programOf(words[0]) === 'node' && script !== undefined && name.test(script);
}

/** Whether the command says already which files it means, or may do so. */
function hasPatterns(words: readonly string[], program: string): boolean {
  const at = words.findIndex((word) => new RegExp(`(^|/)${program}(\\.[cm]?js)?$`).test(word));
  return words.slice(at + 1).some((word) => !word.startsWith('-') && word !== 'run');
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
