import fc from 'fast-check';
import type { Action } from '../../src/contract';
import { isFileRead } from '../../src/dataset/file-reading';
import { type Done, longestIdentical, repetitionOf } from '../../src/dataset/repetition';
import { actionOf, anyText } from '../rollout/sample';

const bash = (command: string): Action => ({ tool: 'bash', args: { command } });
const view = (path: string, more: Record<string, unknown> = {}): Action => ({
  tool: 'str_replace_editor',
  args: { command: 'view', path, ...more },
});
const done = (actions: readonly Action[], observation = ''): Done[] =>
  actions.map((action, i) => ({ turn: { turn: i + 1, action }, observation }));

const READS = [
  'cat a.py',
  'cat -n src/a.py src/b.py',
  'head -50 a.py',
  'head -n 50 a.py | tail -n 20',
  'tail -n +100 a.py',
  "sed -n '10,40p' a.py",
  'sed -n 10,40p a.py 2>&1',
  "sed -n '10{p;q}' a.py",
  "sed -n -e '1,5p' -e '/^def run/,/^def /p' a.py",
  "sed '20,$d' a.py",
  'less a.py',
  'more +30 a.py',
  'nl -ba a.py',
  "nl -ba a.py | sed -n '10,20p'",
  'bat --style=plain a.py',
  "awk 'NR>=10 && NR<=40' a.py",
  'awk \'NR>=10 && NR<=40 {print NR": "$0}\' a.py',
  'awk "NR==3{print; exit}" a.py',
  'grep -n "" a.py',
  "grep -n '.*' a.py | head -40",
  'cd /repo && cat a.py',
  'cd /repo; PAGER=cat head -5 a.py',
  'cd /repo && sed -n 1,80p a.py 2>/dev/null | head -c 2000',
  'cat < a.py',
  'sudo timeout 5 cat a.py',
  'bash -lc "cd /repo && cat a.py"',
  '(cd /repo && cat a.py)',
  'for f in a.py b.py; do echo "== $f"; cat $f; done',
  'if [ -f a.py ]; then cat a.py; fi',
  'ls -la && cat a.py',
  'echo "--- a"; cat a.py; echo; echo "--- b"; cat b.py',
  'git show HEAD:src/a.py',
  'git --no-pager show HEAD~2:src/a.py | sed -n 1,20p',
  "find . -name '*.cfg' -exec cat {} \\;",
  "find . -name '*.cfg' | xargs head -20",
  'xxd a.bin | head',
  'cat a.py || cat b.py',
  'tac a.py |& head -5',
];

const NO_READS = [
  'ls',
  'ls -la src',
  "find . -name '*.py'",
  'grep -rn "def run" src',
  'cat a.py | grep -n "def run"',
  'cat a.py | wc -l',
  'wc -l a.py',
  'git diff',
  'git log --oneline | head -5',
  'git status',
  'python a.py',
  'cat a.py && python a.py',
  'python -m pytest -q 2>&1 | tail -20',
  'make test | head -50',
  'cat > a.py <<EOF\nprint(1)\nEOF',
  "cat <<'EOF' > notes.md\ncat a.py\nEOF",
  'cat a.py > b.py',
  'cat a.py &> b.py',
  'cat a.py | tee b.py',
  "sed -i 's/a/b/' a.py",
  "sed -n 's/a/b/p' a.py",
  "sed 's/a/b/' a.py",
  "awk '/def/ {print $2}' a.py",
  'awk \'{print > "out"}\' a.py',
  'head',
  'echo hello',
  'echo cat a.py',
  'cd /repo',
  'pip install -e . | tail -3',
  'find . -name "*.pyc" -delete',
  'bash run.sh',
  'bash -c "make && cat a.py"',
  'cp a.py b.py; cat b.py',
  'rm -rf build',
  'toString a.py',
  'constructor',
  '',
];

test.each(READS)('reads: %s', (command) => {
  expect(isFileRead(bash(command))).toBe(true);
});

test.each(NO_READS)('does not only read: %s', (command) => {
  expect(isFileRead(bash(command))).toBe(false);
});

test('the editor reads with view; a directory is only listed', () => {
  expect(isFileRead(view('/repo/a.py'))).toBe(true);
  expect(isFileRead(view('/repo/a.py', { view_range: [1, 50] }))).toBe(true);
  const listing = "Here's the files and directories up to 2 levels deep in /repo, excluding hidden items:\n/repo\n";
  expect(isFileRead(view('/repo'), listing)).toBe(false);
  expect(isFileRead({ tool: 'str_replace_editor', args: { command: 'create', path: '/a', file_text: 'x' } })).toBe(
    false,
  );
  expect(isFileRead({ tool: 'submit', args: {} })).toBe(false);
});

test('whatever a command is made of, reading it is quick and never throws', () => {
  const pieces = fc.constantFrom(
    'cat',
    'sed -n',
    "'",
    '"',
    '|',
    '>',
    '<',
    '&',
    '2>&1',
    ' ',
    'a.py',
    '$(',
    ')',
    '\n',
    '1,9p',
    ';',
  );
  const command = fc.oneof(
    anyText,
    fc.array(pieces, { maxLength: 400 }).map((parts) => parts.join(' ')),
  );
  fc.assert(fc.property(command, (text) => expect(typeof isFileRead(bash(text))).toBe('boolean')));
  for (const hostile of [';', ' ', '(', '1,', '/', '\\', '{', '&&'].map((piece) => piece.repeat(9_000))) {
    const began = performance.now();
    isFileRead(bash(`sed -n '${hostile}' a.py`));
    isFileRead(bash(`cat a ${hostile}`));
    expect(performance.now() - began).toBeLessThan(500);
  }
});

test('three identical actions in a row are one too many; the arguments count, their order does not', () => {
  const one = { tool: 'str_replace_editor', args: { command: 'view', path: '/a', view_range: [1, 2] } };
  const turned = { tool: 'str_replace_editor', args: { view_range: [1, 2], path: '/a', command: 'view' } };
  expect(repetitionOf(done([bash('ls'), one, turned, one, bash('ls')]))).toMatchObject({
    reason: 'identical_actions',
    run: { first: 2, last: 4, length: 3 },
    detail: 'turns 2–4: the same action 3 times in a row: edit view /a 1-2',
  });
  expect(repetitionOf(done([one, one, bash('ls'), one]))).toBeUndefined();
  expect(repetitionOf(done([one, view('/a', { view_range: [1, 3] }), one]))).toBeUndefined();
});

test('twenty reads in a row are too many, however they read and whichever part', () => {
  const reads = [...READS.slice(0, 19).map(bash), view('/repo/a.py', { view_range: [1, 50] })];
  expect(repetitionOf(done(reads))).toMatchObject({
    reason: 'endless_file_reading',
    run: { first: 1, last: 20, length: 20 },
  });
  expect(repetitionOf(done(reads.slice(1)))).toBeUndefined();
  // One turn that does something else begins anew.
  expect(repetitionOf(done([...reads.slice(0, 12), bash('make'), ...reads.slice(0, 12)]))).toBeUndefined();
  expect(repetitionOf(done(reads), { identicalActions: 3, fileReads: 0 })).toBeUndefined();
  expect(repetitionOf(done(reads.slice(0, 5)), { identicalActions: 3, fileReads: 5 })?.run.length).toBe(5);
});

test('the run that is found is the longest, by a count that walks every start', () => {
  const pool = fc.oneof(fc.constantFrom(bash('ls'), bash('cat a'), view('/a')), actionOf(anyText));
  fc.assert(
    fc.property(fc.array(pool, { maxLength: 30 }), (actions) => {
      const keys = actions.map((action) => JSON.stringify([action.tool, Object.entries(action.args).sort()]));
      const lengths = keys.map((key, from) => {
        const end = keys.findIndex((other, at) => at > from && other !== key);
        return (end < 0 ? keys.length : end) - from;
      });
      expect(longestIdentical(done(actions))?.length ?? 0).toBe(Math.max(0, ...lengths));
    }),
  );
});
