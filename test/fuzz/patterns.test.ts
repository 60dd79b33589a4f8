import { createHash } from 'node:crypto';
import { FULL, minutes } from '../support/counts';
import { patternsUnder, slowOn } from './patterns';

/** Of what no text of others reaches; each says why. */
const OWN_TEXT: Readonly<Record<string, string>> = {
  'src/pages/charts/funnel.ts': 'a number of ours',
  'src/pages/charts/scale.ts': 'a number of ours',
  'src/pages/figures.ts': 'a number of ours',
};

/** A commit tries an eighth of them, by what they are: another file does not change which. `npm run fuzz` tries all. */
const isOfToday = (source: string) => createHash('sha256').update(source).digest()[0]! % 8 === 0;

const FOLDERS = ['src', 'packages/python/src'];

it('finds what is slow: the forms that were found here once', () => {
  const slow = [
    { source: String.raw`\s+$`, flags: 'm' },
    { source: String.raw`^\s*license\s*=`, flags: 'm' },
    { source: '<[^>]*>', flags: '' },
    { source: String.raw`\bfind\b.*\s-delete`, flags: '' },
    { source: '#.*$', flags: '' },
  ].filter((each) => slowOn({ file: '', ...each }));
  expect(slow).toHaveLength(5);
  const quick = [
    { source: String.raw`(?<!\s)\s+$`, flags: 'm' },
    { source: '^[ \\t]*license', flags: 'm' },
    { source: '<[^<>]*>', flags: '' },
    { source: String.raw`\bfind\b.{0,400}\s-delete`, flags: '' },
    { source: '#.*$', flags: 's' },
  ].filter((each) => slowOn({ file: '', ...each }));
  expect(quick).toEqual([]);
});

/**
 * A regular expression that is quadratic in its text holds the thread of every run on a host. Where this fails: let what
 * repeats begin nowhere but at its start (`(?<!\s)\s+$`), keep what is between two words to a length (`.{0,300}`), let the
 * rest be the rest whatever it holds (`.*$` with the flag `s`), or do without (`trimEnd`).
 */
it(
  'no regular expression of the sources is slow on any text',
  () => {
    const patterns = patternsUnder(FOLDERS).filter(({ source }) => /[*+]|\{\d+,/.test(source));
    expect(patterns.length).toBeGreaterThan(800);
    const slow = patterns
      .filter(({ file, source }) => !(file in OWN_TEXT) && (FULL || isOfToday(source)))
      .flatMap((pattern) => {
        const text = slowOn(pattern, FULL ? 32_000 : 16_000);
        return text === undefined
          ? []
          : [`${pattern.file}: /${pattern.source}/${pattern.flags} on ${JSON.stringify(text.slice(0, 40))}…`];
      });
    expect(slow).toEqual([]);
  },
  minutes(8, 15),
);
