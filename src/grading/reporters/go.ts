import { z } from 'zod';
import {
  type Asked,
  Collected,
  CollectedFailures,
  jsonLines,
  programOf,
  type Report,
  type Reporter,
  spelledAs,
} from './reporter';

const Event = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

/**
 * `go test -json`, and behind scripts `-v`: other commands of Go take both from GOFLAGS, and only the second leaves what they
 * print as scripts expect it (`go test $(go list ./...)`). Ids are `package::Test/part`, or `Test/part` where that is how they
 * are wanted.
 */
export const go: Reporter = {
  name: 'go',
  starts: (words) => (programOf(words[0]) === 'go' && words[1] === 'test') || isGotestsum(words),
  asks(file, words): Asked {
    if (isGotestsum(words)) return { variables: { GOTESTSUM_JSONFILE: file }, words: ['--jsonfile', file], at: 1 };
    return { variables: { GOFLAGS: '-v' }, words: ['-json'], at: 2 };
  },
  read(report, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    const running = new Set<string>();
    const failing = new Set<string>();
    const add = (key: string, outcome: 'passed' | 'failed' | 'skipped' | 'error') => {
      for (const id of spelledAs(spellingsOf(key), wanted)) collected.add(id, outcome);
      if (outcome === 'failed') failing.add(key.split('\n')[0]!);
    };
    for (const { Action: action, Package: path, Test: test } of eventsOf(report)) {
      if (path === undefined) continue;
      const key = `${path}\n${test}`;
      if (test === undefined) {
        // It was not built, or it ended with an error that no test of it had.
        if (action === 'fail' && !failing.has(path) && !hasOpen(running, path)) {
          collected.add(`${path}::<collect>`, 'error');
        }
      } else if (action === 'run') running.add(key);
      else if (action === 'pass' || action === 'fail' || action === 'skip') {
        running.delete(key);
        add(key, action === 'pass' ? 'passed' : action === 'fail' ? 'failed' : 'skipped');
      }
    }
    // Begun and never ended: its process died.
    for (const key of running) add(key, 'error');
    return collected.outcomes();
  },
  failures(report, ids) {
    const wanted = new Set(ids);
    const failures = new CollectedFailures();
    for (const { Action: action, Package: path, Test: test, Output: text } of jsonEvents(report)) {
      if (action !== 'output' || path === undefined || test === undefined || text === undefined) continue;
      const parts = test.split('/');
      for (const [at] of parts.entries()) {
        const key = `${path}\n${parts.slice(0, at + 1).join('/')}`;
        for (const id of spelledAs(spellingsOf(key), wanted)) failures.add(id, text.replace(/\n$/, ''));
      }
    }
    return failures.texts.size > 0 ? failures.texts : undefined;
  },
  only(words, files) {
    if (isGotestsum(words)) return undefined;
    const options = optionsOf(words);
    const folders = [...new Set(files.map((file) => `./${file.split('/').slice(0, -1).join('/')}`))];
    return options && ['go', 'test', ...options, ...folders];
  },
  alone(words, id) {
    if (isGotestsum(words)) return undefined;
    const options = optionsOf(words);
    const [path, test] = id.includes('::') ? id.split('::') : ['./...', id];
    const pattern = test!.split('/').map((part) => `^${part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
    return options && ['go', 'test', ...options, '-run', pattern.join('/'), path!];
  },
};

/** Options of a `go test` without its packages; undefined where one may take the next word for its value. */
function optionsOf(words: readonly string[]): string[] | undefined {
  const kept: string[] = [];
  for (let at = 2; at < words.length; at++) {
    const word = words[at]!;
    if (word === '-args') return undefined;
    if (!word.startsWith('-')) continue;
    kept.push(word);
    const isFlag = /^--?(v|json|race|short|failfast|cover|msan|asan|a|n|x|work|trimpath|fullpath|linkshared)$/.test(
      word,
    );
    if (!word.includes('=') && !isFlag) kept.push(words[++at] ?? '');
  }
  return kept;
}

/** It starts `go test -json` itself and shows less of it. */
const isGotestsum = (words: readonly string[]) => programOf(words[0]) === 'gotestsum';

type GoEvent = z.infer<typeof Event>;

const hasOpen = (running: ReadonlySet<string>, path: string) => [...running].some((key) => key.startsWith(`${path}\n`));

function spellingsOf(key: string): string[] {
  const [path, test] = key.split('\n') as [string, string];
  return [`${path}::${test}`, `${path}.${test}`, `${path}/${test}`, `${path} ${test}`, test];
}

/** What the two ways of reporting say, as `go test -json` has it. */
function eventsOf(report: Report): GoEvent[] {
  const events = jsonEvents(report);
  return events.some(({ Package }) => Package !== undefined) ? events : printedEvents(report.stdout);
}

function jsonEvents({ file, stdout }: Report): GoEvent[] {
  return jsonLines(file ?? stdout).flatMap((line) => Event.safeParse(line).data ?? []);
}

const ENDS: Readonly<Record<string, string>> = { PASS: 'pass', FAIL: 'fail', SKIP: 'skip' };

/** A package is named behind all of its tests. */
function printedEvents(stdout: string): GoEvent[] {
  const events: GoEvent[] = [];
  let since: { readonly Action: string; readonly Test: string }[] = [];
  for (const line of stdout.split('\n')) {
    const begun = /^=== RUN {3}(\S+)$/.exec(line)?.[1];
    if (begun !== undefined) since.push({ Action: 'run', Test: begun });
    // A test may have printed something without an end before it.
    const [, word, test] = /--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/.exec(line) ?? [];
    if (test !== undefined) since.push({ Action: ENDS[word!]!, Test: test });
    const [, mark, path] = /^(ok {2}|FAIL|\? {3}|-{3} FAIL:)\t(\S+)(?:\s|$)/.exec(line) ?? [];
    if (path === undefined) continue;
    events.push(...since.map((each) => ({ ...each, Package: path })));
    events.push({ Action: mark === 'FAIL' ? 'fail' : 'pass', Package: path });
    since = [];
  }
  return events;
}
