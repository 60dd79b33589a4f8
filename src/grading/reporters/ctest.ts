import { junitCases } from './junit-xml';
import { Collected, programOf, type Reporter } from './reporter';

/**
 * CTest, from 3.21 on by its own JUnit report, and behind scripts, which pass it no words, by what it prints of each test:
 * ids are the names of its tests.
 */
export const ctest: Reporter = {
  name: 'ctest',
  starts: (words) => programOf(words[0]) === 'ctest' && !words.includes('-N'),
  asks: (file, words) => ({ variables: {}, words: ['--output-junit', file], at: words.length }),
  read({ file, stdout }) {
    const collected = new Collected();
    for (const { name, outcome } of junitCases(file ?? '')) collected.add(name, outcome);
    if (file !== null) return collected.outcomes();
    for (const line of stdout.split('\n')) {
      const [, name, said] =
        /^ {0,9}\d+\/\d+ Test +#\d+: (.{1,400}?) \.{3,} *\*{0,9}(.{1,100}?) +[\d.]+ sec\r?$/.exec(line) ?? [];
      if (name === undefined || said === undefined) continue;
      collected.add(name, said === 'Passed' ? 'passed' : /^(Skipped|Not Run)/.test(said) ? 'skipped' : 'failed');
    }
    return collected.outcomes();
  },
  alone: (words, test) => [...words, '-R', `^${test.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`],
};
