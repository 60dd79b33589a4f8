import { count, duration } from '../../figures';
import type { GradeView, TestGroup, TestView } from '../payload';
import type { PageData } from './data';
import { button, el } from './dom';
import { folded, foreignLine } from './foreign-text';
import { spaced } from './words';

const NAMES = 200;
const LOG = { head: 40, tail: 60 };

const MEANING: Readonly<Record<TestGroup['name'], string>> = {
  FAIL_TO_PASS: 'failed before, and must pass now',
  PASS_TO_PASS: 'passed before, and must still pass',
  'other tests': 'ran as well, and decide nothing',
};

/** The verdict test by test: what is missing first. */
export function testsView(grade: GradeView, data: PageData): HTMLElement {
  const { groups, flags, log, verdict } = grade;
  return el(
    'div',
    { class: 'tests' },
    el(
      'p',
      {},
      verdict === 'graded'
        ? `Graded in ${duration(grade.seconds * 1000)}, in a fresh container without a network.`
        : `No verdict of the tests counts: ${spaced(verdict)} (after ${duration(grade.seconds * 1000)}).`,
    ),
    flags.map(({ kind, detail }) => el('p', { class: 'flag' }, `⚑ ${spaced(kind)}: `, foreignLine(detail))),
    groups.map(groupBlock),
    el('h2', {}, 'What the tests printed'),
    log.head === ''
      ? el('p', { class: 'note' }, '(nothing)')
      : folded(log, LOG, data, async () => (log.blob ? data.blob(log.blob) : undefined)),
  );
}

function groupBlock({ name, passed, total, tests }: TestGroup): HTMLElement {
  const all = passed === total;
  const list = el('ul', { class: 'test-list' });
  const block = el(
    'section',
    { class: 'test-group', aria: { label: name } },
    el(
      'h2',
      {},
      name,
      ' ',
      el('span', { class: all ? 'good' : name === 'other tests' ? 'muted' : 'bad' }, `${passed}/${total}`),
      el('span', { class: 'note' }, ` ${MEANING[name]}`),
    ),
    list,
  );
  const show = (from: number) => {
    for (const test of tests.slice(from, from + NAMES)) list.append(testLine(test));
    if (tests.length <= from + NAMES) return;
    const more = button(
      `Show more: ${count(tests.length - from - NAMES, 'test')} left`,
      () => {
        more.remove();
        show(from + NAMES);
      },
      { class: 'more' },
    );
    block.append(more);
  };
  show(0);
  const unnamed = total - tests.length;
  if (unnamed > 0)
    block.append(
      el(
        'p',
        { class: 'note' },
        `${count(unnamed, 'test')} that passed ${unnamed === 1 ? 'is' : 'are'} not named: the problem is not at hand here.`,
      ),
    );
  return block;
}

function testLine({ id, outcome, passed }: TestView): HTMLElement {
  const said = outcome ?? (passed ? 'passed' : 'did not run');
  return el(
    'li',
    { class: passed ? 'passed' : 'missing' },
    el('span', { class: passed ? 'good' : 'bad', aria: { hidden: true } }, passed ? '✓' : '✗'),
    el('code', {}, foreignLine(id)),
    passed && said === 'passed' ? el('span', { class: 'unseen' }, 'passed') : el('span', { class: 'note' }, said),
  );
}
