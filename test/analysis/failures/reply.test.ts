import fc from 'fast-check';
import { readReply } from '../../../src/analysis/failures/judge-prompt';
import { FailureCategory, JudgedCategory } from '../../../src/contract';
import { codePoint } from '../../support/code-points';

const GOOD = '<description>It read the file again and again.</description>\n\n';

test.each([
  ['as asked', `${GOOD}endless_file_reading`, 'endless_file_reading'],
  ['with a label', `${GOOD}Category: endless_file_reading`, 'endless_file_reading'],
  ['with a label and capitals', `${GOOD}**Category:** Endless File Reading.`, 'endless_file_reading'],
  ['in backticks', `${GOOD}\`wrong_solution\``, 'wrong_solution'],
  ['as a list item', `${GOOD}- missed-edge-case`, 'missed_edge_case'],
  ['in a sentence', `${GOOD}The category is: "syntax_error".`, undefined],
  ['with "Category is"', `${GOOD}Category is syntax_error`, 'syntax_error'],
  ['with "Error category"', `${GOOD}Error category — tool_error`, 'tool_error'],
  ['on the same line', '<description>x</description> infinite_loop', 'infinite_loop'],
  ['with empty lines and marks behind it', `${GOOD}other\n\n\`\`\`\n---\n`, 'other'],
  ['with Windows line ends', `${GOOD}tool_error\r\n`, 'tool_error'],
  [
    'after thinking aloud',
    `<think>wrong_solution?\n</think>${GOOD}misunderstood_problem_statement`,
    'misunderstood_problem_statement',
  ],
  ['made up', `${GOOD}flaky_tests`, undefined],
  ['two of them', `${GOOD}tool_error, wrong_solution`, undefined],
  ['nothing at all', '', undefined],
  ['only the description', GOOD, undefined],
])('a category %s', (_, reply, category) => {
  const read = readReply(reply);
  expect(read).toMatchObject({ category: category ?? 'unreadable' });
  if (reply.startsWith(GOOD)) expect(read.description).toBe('It read the file again and again.');
});

test('a description without tags, or without an end, is kept', () => {
  expect(readReply('It was slow.\nAnd wrong.\n\nwrong_solution').description).toBe('It was slow.\nAnd wrong.');
  expect(readReply('<description>It was slow.').description).toBe('It was slow.');
});

test('no reply throws, and what was asked for is always read', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.constantFrom(...FailureCategory.options), (noise, category) => {
      expect(JudgedCategory.options).toContain(readReply(noise).category);
      const said = noise.replace(/<\/?(think|description)>?/gi, '');
      const read = readReply(`<description>${said}</description>\n\n${category}`);
      expect(read).toMatchObject({ category });
      expect(read.description).toBe(said.trim());
    }),
  );
});
