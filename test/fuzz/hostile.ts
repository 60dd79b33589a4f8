import { FULL } from '../support/counts';

/** Of what text is made that readers find hard: each is repeated until it is as long as wanted. */
const UNITS = [
  // Blanks, line ends, signs.
  ...[
    ' ',
    '\n',
    '\t',
    '\r',
    '\r\n',
    ' \n',
    '\0',
    'a',
    'A',
    '0',
    '1,',
    ',',
    '.',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '```',
    '~~~',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '</',
    ':',
    '::',
    ';',
    '|',
    '&&',
    '#',
    '# ',
    '=',
    '==',
    '-',
    '--',
    '_',
    '*',
  ],
  ...[
    '@',
    '@@',
    '%',
    '$',
    '${',
    '$(',
    '!',
    '~',
    '^',
    '\\"',
    "\\'",
    '\\n',
    '\\\n',
    '""',
    "''",
    '"\n',
    "'\n",
    'é',
    '\ud800',
  ],
  ...['\u001b', '\u001b]', '\u001b[', '\u001b[0m', '\u001b[31', '\u0007', 'a b', 'a.', 'a/', 'a: ', 'a=b ', 'a\n\n'],
  // What models write, never closed.
  ...['<think>', '<think>\n', '</think>', '<function=', '<function=a>', '<parameter=a>', '</parameter>', '```python\n'],
  ...[
    '```\n',
    '{"a":',
    '[[',
    '[{',
    '{"a":"',
    '"a",',
    'def a(',
    'def a():\n',
    '@a\n',
    'class a:\n',
    '"""',
    '"""\n',
    '<!--',
  ],
  // Headers of each format.
  ...[
    'diff --git a/a b/a\n',
    '--- a/a\n',
    '--- a/a\n+++ b/a\n',
    '@@ -1 +1 @@\n',
    '@@ -1,9999999 +1,9999999 @@\n',
    '+\n',
  ],
  ...['index 1..2\n', 'GIT binary patch\n', 'new file mode 120000\n', '\\ No newline at end of file\n', '1\t1\ta\0'],
  ...[
    '<testsuite>',
    '<testcase name="a"/>',
    '<testcase>',
    '<testcase',
    '<?xml',
    '<![CDATA[',
    '<a ',
    '<a b="',
    '&#1',
    '&amp;',
  ],
  ...[
    '<!DOCTYPE a [',
    '<!ENTITY a "a">',
    '<failure>',
    'ok 1 - a\n',
    'not ok 1\n',
    'ok 1 # skip',
    '1..9\n',
    '# Subtest: a\n',
  ],
  ...[
    '=== RUN a\n',
    '--- FAIL: a (0.00s)\n',
    '--- PASS: a',
    '{"Action":"run","Test":"a"}\n',
    'test a ... ok\n',
    'test a ... ',
  ],
  ...[
    'test_a (a.A) ... ',
    'test_a (a.A) ... ok\n',
    'FAIL: test_a (a.A)\n',
    '======\n',
    '------\n',
    '====== a ======\n',
    '____ a ____\n',
  ],
  ...[
    'FAILED a::b - c\n',
    'a.py::b PASSED [ 1%]\n',
    'E   a\n',
    '1 passed',
    '1 passed in 0.1s\n',
    'Ran 1 test in 0s\n',
    'OK\n',
  ],
  ...[
    'Traceback (most recent call last):\n',
    '  File "a.py", line 1, in a\n',
    'Error: a\n',
    'AError: a: ',
    'error: a\n',
    'a:1:1: error: a\n',
  ],
  ...[
    'Tests run: 1, Failures: 0',
    '[ERROR] a\n',
    '[INFO] ',
    'BUILD FAILURE\n',
    ' ✓ a\n',
    ' ✕ a\n',
    '● a › b\n',
    'Tests: 1 failed',
  ],
  ...[
    '    at a (a.js:1:1)\n',
    'at a.A.a(A.java:1)\n',
    '1/1 Test #1: a ... Passed',
    'thread a panicked at a',
    'failures:\n',
    '---- a stdout ----\n',
  ],
  // Build files and package metadata.
  ...[
    '[a]\n',
    '[a',
    '[[a]]\n',
    'a = [\n',
    'a = "',
    'a = {',
    'a:\n',
    'a: b\n',
    '- a\n',
    '  - ',
    'a:\n\ta\n',
    '\ta\\\n',
    'a==1',
    'a>=1,',
    'a; ',
  ],
  ...[
    'a[b]',
    'a[',
    'install_requires=[',
    "setup(a='",
    'extras_require={',
    'License :: ',
    'license = ',
    ' and ',
    'MIT OR ',
    '(MIT',
    'LicenseRef-',
  ],
  ...[
    '<dependency>',
    '<artifactId>',
    '${a}',
    'implementation "',
    'version = ',
    'find_package(',
    'option(',
    'enable_testing(',
    'require (\n',
  ],
  ...[
    'replace ',
    'RUN ',
    'RUN a \\\n',
    '$ a\n',
    '    $ ',
    'apt-get install ',
    'apt-get install -y a \\\n',
    'pip install a ',
    'commands =\n',
    'def a(session):\n',
  ],
  ...[
    'session.run("',
    'deps =\n    ',
    '{posargs',
    '{args:',
    '{[a]',
    'declare -x a="',
    "declare -x a=$'",
    'if a; then\n',
    'for a in ',
    "echo '",
    'cat <<A\n',
  ],
  ...[
    'sudo ',
    'env a=b ',
    'bash -c "',
    'find . ',
    'No module named ',
    'fatal error: ',
    'Package ',
    'not found: ',
    'Cannot install ',
    'curl a ',
  ],
  ...[
    'Args:\n',
    ':param ',
    '>>> a\n',
    '/tmp/a',
    '/usr/lib/',
    'https://',
    'a-',
    'a.b.',
    'a+b@',
    '<script',
    '<style>',
    '<html>',
    '0x1f',
    '1.2.3.',
  ],
];

/** Two of them in turn, or one after a run of another: drawn, the same ones each time. */
const MIXES = FULL ? 300 : 30;

function* drawn(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

function shuffled<T>(items: readonly T[], draw: Generator<number>): T[] {
  const order = items.map((item) => [draw.next().value as number, item] as const);
  return order.sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Texts by a name; each is `size` characters long, or nearly. With a seed of one's own they come in another order, too. */
export function* hostileTexts(size: number, seed?: number): Generator<readonly [name: string, text: string]> {
  const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const draw = drawn(seed ?? 7);
  const units = seed === undefined ? UNITS : shuffled(UNITS, draw);
  for (const unit of units) yield [JSON.stringify(unit), filled(unit, size)];
  const any = () => UNITS[Math.floor(draw.next().value * UNITS.length)]!;
  for (let mix = 0; mix < MIXES; mix++) {
    const [one, other, third] = [any(), any(), any()];
    const name = [one, other, third].map((unit) => JSON.stringify(unit)).join(' ');
    if (mix % 3 === 0) yield [`in turn ${name}`, filled(one + other + third, size)];
    else if (mix % 3 === 1) yield [`halves ${name}`, filled(one, size / 2) + filled(other, size / 2 - 20) + third];
    else yield [`once, then ${name}`, one + other + filled(third, size - one.length - other.length)];
  }
}
