import { junitCases } from './junit-xml';
import { Collected, programOf, type Reporter } from './reporter';

/** CTest, from 3.21 on by its own JUnit report: ids are the names of its tests. */
export const ctest: Reporter = {
  name: 'ctest',
  starts: (words) => programOf(words[0]) === 'ctest' && !words.includes('-N'),
  asks: (file, words) => ({ variables: {}, words: ['--output-junit', file], at: words.length }),
  read({ file }) {
    const collected = new Collected();
    for (const { name, outcome } of junitCases(file ?? '')) collected.add(name, outcome);
    return collected.outcomes();
  },
  alone: (words, test) => [...words, '-R', `^${test.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`],
};
