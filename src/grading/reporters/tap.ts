import type { TestOutcome } from '../../contract';
import { Collected, programOf, type Reporter, spelledAs } from './reporter';

/**
 * Test Anything Protocol, by itself or as `prove -v` prints it: ids are `file > description`, or the description where no
 * file is known; a point without one has its number.
 */
export const tap: Reporter = {
  name: 'tap',
  starts: (words) => /^(prove|yath|tape|bats)$/.test(programOf(words[0])),
  asks(_file, words) {
    const verbose = { HARNESS_VERBOSE: '1', TEST_VERBOSE: '1' };
    if (programOf(words[0]) === 'bats') return { variables: {}, words: ['--tap'], at: 1 };
    return { variables: verbose, words: programOf(words[0]) === 'prove' ? ['-v'] : [], at: 1 };
  },
  read({ stdout }, ids) {
    const wanted = new Set(ids);
    const collected = new Collected();
    let file = '';
    for (const line of stdout.split('\n')) {
      const begun = /^(\S+) \.{2,} ?(.*)$/.exec(line);
      if (begun) {
        file = begun[1]!;
        // Without -v a file is all that is named.
        if (/^ok\b/.test(begun[2]!)) collected.add(file, 'passed');
        else if (/^(Failed|Dubious)/.test(begun[2]!)) collected.add(file, 'failed');
        else if (/^skipped/.test(begun[2]!)) collected.add(file, 'skipped');
        continue;
      }
      const point = /^(not )?ok\b *(\d*) *(?:- )?(.*?)\r?$/.exec(line);
      if (!point || (point[2] === '' && point[3] === '')) continue;
      const [, mark, text] = /(?:^|[^\\])# *(todo|skip)(.*)$/i.exec(point[3]!) ?? [];
      const description = point[3]!
        .replace(/(?:(?<!\s)\s+)?(?<!\\)# *(?:todo|skip|time)\b.*$/i, '')
        .replaceAll('\\#', '#')
        .trim();
      const name = description || point[2]!;
      const outcome = outcomeOf(point[1] !== undefined, mark?.toLowerCase(), text ?? '');
      for (const id of spelledAs(file === '' ? [name] : [`${file} > ${name}`, name], wanted))
        collected.add(id, outcome);
    }
    return collected.outcomes();
  },
  only: (words, files) => (words.slice(1).some((word) => !word.startsWith('-')) ? undefined : [...words, ...files]),
};

function outcomeOf(isNot: boolean, mark: string | undefined, _text: string): TestOutcome {
  if (mark === 'skip') return 'skipped';
  if (mark === 'todo') return isNot ? 'xfailed' : 'xpassed';
  return isNot ? 'failed' : 'passed';
}
