import { junitCases } from './junit-xml';
import { Collected, programOf, type Reporter, spelledAs } from './reporter';

/** Node's own runner by its JUnit reporter: ids are the names of a test and what it lies in, ` > ` between two. */
export const node: Reporter = {
  name: 'node',
  starts: (words) => programOf(words[0]) === 'node' && words.includes('--test'),
  asks(file, words) {
    const report = ['--test-reporter=junit', `--test-reporter-destination=${file}`];
    // Behind the first file they would be arguments of the tests.
    return { variables: { NODE_OPTIONS: report.join(' ') }, words: report, at: words.indexOf('--test') + 1 };
  },
  read({ file }, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    for (const { name, suites, outcome } of junitCases(file ?? '')) {
      const parts = [...suites, name];
      for (const id of spelledAs([parts.join(' > '), parts.join(' '), name], wanted)) collected.add(id, outcome);
    }
    return collected.outcomes();
  },
  only(words, files) {
    const at = words.indexOf('--test');
    const options = words.filter((word) => word.startsWith('-'));
    return at < 0 || words.includes('--') ? undefined : [words[0]!, ...options, ...files];
  },
};
