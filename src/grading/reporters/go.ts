import { z } from 'zod';
import { Collected, jsonLines, programOf, type Reporter, spelledAs } from './reporter';

const Event = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
});

/** `go test -json`: ids are `package::Test/part`, or `Test/part` where that is how they are wanted. */
export const go: Reporter = {
  name: 'go',
  starts: (words) => programOf(words[0]) === 'go' && words[1] === 'test',
  // Go takes from GOFLAGS what the command at hand knows.
  asks: () => ({ variables: { GOFLAGS: '-json' }, words: ['-json'], at: 2 }),
  read({ stdout }, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    const running = new Set<string>();
    const failing = new Set<string>();
    const add = (key: string, outcome: 'passed' | 'failed' | 'skipped' | 'error') => {
      const [path, test] = key.split('\n');
      const spellings = [`${path}::${test}`, `${path}.${test}`, `${path}/${test}`, `${path} ${test}`, test!];
      for (const id of spelledAs(spellings, wanted)) collected.add(id, outcome);
      if (outcome === 'failed') failing.add(path!);
    };
    for (const line of jsonLines(stdout)) {
      const { Action: action, Package: path, Test: test } = Event.safeParse(line).data ?? { Action: '' };
      if (path === undefined) continue;
      const key = `${path}\n${test}`;
      if (test === undefined) {
        // It was not built, or it ended with an error that no test of it had.
        if (action === 'fail' && !failing.has(path)) collected.add(`${path}::<collect>`, 'error');
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
  only(words, files) {
    const options = optionsOf(words);
    const folders = [...new Set(files.map((file) => `./${file.split('/').slice(0, -1).join('/')}`))];
    return options && ['go', 'test', ...options, ...folders];
  },
  alone(words, id) {
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
