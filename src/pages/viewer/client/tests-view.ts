import { count, duration } from '../../figures';
import type { ControlView, GradeView, TestGroup, TestView } from '../payload';
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
  const { groups, log, verdict, detail, suspicion, leftOut } = grade;
  return el(
    'div',
    { class: 'tests' },
    el(
      'p',
      {},
      verdict === 'graded'
        ? `Graded in ${duration(grade.seconds * 1000)}, in fresh containers without a network.`
        : `${VERDICTS[verdict] ?? spaced(verdict)} (after ${duration(grade.seconds * 1000)}).`,
    ),
    detail === null ? '' : el('p', {}, foreignLine(detail)),
    controlsLine(grade),
    leftOut.map(({ path, why }) => el('p', { class: 'flag' }, 'Not judged: ', foreignLine(path), ` ${why}`)),
    suspicion.map(({ kind, path, line, detail: said }) =>
      el(
        'p',
        { class: 'flag' },
        `⚑ ${spaced(kind)}: `,
        foreignLine(`${path}${line === null ? '' : `:${line}`} ${said}`),
      ),
    ),
    groups.map(groupBlock),
    el('h2', {}, 'What the tests printed'),
    log.head === ''
      ? el('p', { class: 'note' }, '(nothing)')
      : folded(log, LOG, data, async () => (log.blob ? data.blob(log.blob) : undefined)),
  );
}

const VERDICTS: Readonly<Record<string, string>> = {
  bribed: 'A test passes with a wrong expectation, so its passes say nothing',
  controls_incomplete: 'All tests pass; some did not run with a wrong expectation',
  patch_failed: 'The patch does not apply',
  no_tests: 'No test ran',
  timed_out: 'The tests did not end in time',
};

/** How the runs with wrong expectations ended, in a line, and each run below it. */
function controlsLine({ controls, runs }: GradeView): HTMLElement | string {
  if (!controls) return '';
  const { tests, of, run, passed } = controls;
  return el(
    'details',
    { class: 'controls' },
    el(
      'summary',
      {},
      `${tests} of ${count(of, 'test')} that had to be mended ran with wrong expectations, ${count(run, 'check')}: `,
      passed.length === 0
        ? el('span', { class: 'good' }, 'none passed')
        : el('span', { class: 'bad' }, `${passed.length} passed`),
    ),
    el(
      'ul',
      {},
      runs.map(({ name, seconds }) => el('li', {}, foreignLine(name), ` · ${duration(seconds * 1000)}`)),
    ),
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

function testLine({ id, outcome, passed, controls }: TestView): HTMLElement {
  const said = outcome ?? (passed ? 'passed' : 'did not run');
  return el(
    'li',
    { class: passed ? 'passed' : 'missing' },
    el('span', { class: passed ? 'good' : 'bad', aria: { hidden: true } }, passed ? '✓' : '✗'),
    el('code', {}, foreignLine(id)),
    passed && said === 'passed' ? el('span', { class: 'unseen' }, 'passed') : el('span', { class: 'note' }, said),
    controls.length === 0 ? '' : el('ul', { class: 'control-list' }, controls.map(controlLine)),
  );
}

/** A wrong expectation that fails is what should be. */
function controlLine({ line, was, now, outcome }: ControlView): HTMLElement {
  const look = outcome === 'failed' ? 'good' : outcome === 'passed' ? 'bad' : 'note';
  const said =
    outcome === 'failed' ? 'fails, as it must' : outcome === 'passed' ? 'passes' : (outcome ?? 'did not run');
  return el(
    'li',
    {},
    `line ${line}: `,
    el('code', {}, foreignLine(was || '(nothing)')),
    ' → ',
    el('code', {}, foreignLine(now)),
    ' ',
    el('span', { class: look }, said),
  );
}
