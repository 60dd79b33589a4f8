import { openPython, type Python } from '@pointsman/python';
import type { FunctionTarget } from '../../../src/contract';
import { placeCandidate } from '../../../src/problems/candidate';

let python: Python;
beforeAll(async () => {
  python = await openPython();
});

const FILE = `"""A module."""
import os
from functools import wraps

LIMIT = 3


def helper(x):
    return x + 1


@wraps(helper)
def plain(a, b=2):
    """Adds."""
    # how
    return helper(a) + b  # done


class Box:
    size = 1

    @staticmethod
    def make(n):
        return Box(n)

    def total(self, items):
        """Sums."""
        if items:
            return sum(items)

        return 0

    def other(self):
        return 1


AFTER = plain(1)
`;
type Target = Pick<FunctionTarget, 'name' | 'kind' | 'lines'>;
const PLAIN: Target = { name: 'plain', kind: 'function', lines: [12, 16] };
const TOTAL: Target = { name: 'Box.total', kind: 'method', lines: [26, 31] };
const MAKE: Target = { name: 'Box.make', kind: 'staticmethod', lines: [22, 24] };

function place(target: Target, source: string, file = FILE) {
  return placeCandidate(python, python.parse('m.py', file), target, source);
}
function placed(target: Target, source: string, file = FILE): string {
  const answer = place(target, source, file);
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.text;
}
/** The file with one part exchanged, which is all that a placement may change. */
const expected = (from: string, to: string) => FILE.replace(from, () => to);
const PLAIN_DEF = FILE.slice(FILE.indexOf('def plain'), FILE.indexOf('\n\n\nclass Box'));
const TOTAL_DEF = FILE.slice(FILE.indexOf('    def total'), FILE.indexOf('\n\n    def other'));

describe('a function alone', () => {
  const wanted = expected(PLAIN_DEF, 'def plain(a, b=2):\n    return a - b');

  test.each([
    ['as it is', 'def plain(a, b=2):\n    return a - b\n'],
    ['indented', '    def plain(a, b=2):\n        return a - b\n'],
    ['with Windows line ends and a mark at its start', '\uFEFFdef plain(a, b=2):\r\n    return a - b\r\n'],
    [
      'with examples and a main that nothing needs',
      'import sys\ndef plain(a, b=2):\n    return a - b\n\nprint(plain(1))\nif __name__ == "__main__":\n    plain(sys.argv)\n',
    ],
    [
      'with what the file has already',
      'import os\nfrom functools import wraps\nLIMIT = 3\ndef plain(a, b=2):\n    return a - b\n',
    ],
    [
      'with its context stubbed',
      'def helper(x):\n    """Adds one."""\n    ...\n\ndef plain(a, b=2):\n    return a - b\n',
    ],
    ['in the whole file', wantedFile()],
    ['twice, the last one counts', 'def plain(a):\n    return 1\n\ndef plain(a, b=2):\n    return a - b\n'],
    [
      'after overload stubs',
      'from typing import overload\n@overload\ndef plain(a: int) -> int: ...\ndef plain(a, b=2):\n    return a - b\n',
    ],
  ])('%s', (_name, source) => {
    expect(placed(PLAIN, source)).toBe(wanted);
  });

  function wantedFile() {
    return expected(PLAIN_DEF, 'def plain(a, b=2):\n    return a - b');
  }

  test('decorators of its own take the place of the original ones', () => {
    const text = placed(PLAIN, 'from functools import cache\n\n@cache\ndef plain(a, b=2):\n    return a - b\n');
    expect(text).toContain(
      'from functools import cache\n\n\n@cache\ndef plain(a, b=2):\n    return a - b\n\n\nclass Box:',
    );
    expect(text).not.toContain('@wraps');
  });

  test('tabs stay tabs', () => {
    expect(placed(PLAIN, 'def plain(a, b=2):\n\tif a:\n\t\treturn 1\n\treturn 2\n')).toContain(
      '@wraps(helper)\ndef plain(a, b=2):\n\tif a:\n\t\treturn 1\n\treturn 2\n\n\nclass Box',
    );
  });

  test('it may be async, and the file may have Windows line ends', () => {
    const text = placed(PLAIN, 'async def plain(a, b=2):\n    return a\n', FILE.replaceAll('\n', '\r\n'));
    expect(text).toContain('async def plain(a, b=2):\r\n    return a\r\n\r\n\r\nclass Box');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('it may be on one line', () => {
    expect(placed(PLAIN, 'def plain(a, b=2): return a')).toBe(expected(PLAIN_DEF, 'def plain(a, b=2): return a'));
  });
});

describe('what it brings along', () => {
  test('imports, constants and helpers that it needs come before it', () => {
    const source =
      'import math\nimport re\nTABLE = {}\nTABLE["a"] = 1\n\ndef _double(x):\n    return math.floor(x) * 2\n\ndef plain(a, b=2):\n    return _double(TABLE["a"])\n';
    expect(placed(PLAIN, source)).toBe(
      FILE.replace(
        '@wraps',
        'import math\nTABLE = {}\nTABLE["a"] = 1\ndef _double(x):\n    return math.floor(x) * 2\n\n\n@wraps',
      ).replace(PLAIN_DEF, 'def plain(a, b=2):\n    return _double(TABLE["a"])'),
    );
  });

  test('where a name means something else in the file, all goes into the function', () => {
    const source =
      'import json as os\n\ndef helper(x):\n    return os.dumps(x)\n\ndef plain(a, b=2):\n    """Doc."""\n    return helper(a)\n';
    expect(placed(PLAIN, source)).toBe(
      expected(
        PLAIN_DEF,
        'def plain(a, b=2):\n    """Doc."""\n    import json as os\n    def helper(x):\n        return os.dumps(x)\n    return helper(a)',
      ),
    );
  });

  test('a clash that the header depends on is refused', () => {
    expect(place(PLAIN, 'LIMIT = 7\ndef plain(a, b=LIMIT):\n    return a\n')).toEqual({
      refused: 'LIMIT of its header means something else in the file',
    });
  });
});

describe('a method', () => {
  const wanted = expected(TOTAL_DEF, '    def total(self, items):\n        return len(items)');

  test.each([
    ['outside of its class', 'def total(self, items):\n    return len(items)\n'],
    ['indented as it stood', '    def total(self, items):\n        return len(items)\n'],
    ['in its class', 'class Box:\n    def total(self, items):\n        return len(items)\n'],
    [
      'in a class of another name, deeper',
      'class Solution:\n        size = 2\n        def total(self, items):\n                return len(items)\n'.replaceAll(
        '                ',
        '            ',
      ),
    ],
  ])('%s', (_name, source) => {
    expect(placed(TOTAL, source)).toBe(wanted);
  });

  test('members that only the candidate has come along, those of the class stay', () => {
    const source =
      'class Box:\n    size = 99\n    RATE = 2\n    def _all(self, items):\n        return items * self.RATE\n    def unused(self):\n        pass\n    def total(self, items):\n        return len(self._all(items)) + self.size\n';
    expect(placed(TOTAL, source)).toBe(
      expected(
        TOTAL_DEF,
        '    RATE = 2\n\n    def _all(self, items):\n        return items * self.RATE\n\n    def total(self, items):\n        return len(self._all(items)) + self.size',
      ),
    );
  });

  test('a static method stays one', () => {
    const source = 'from functools import lru_cache\nclass Box:\n    @lru_cache\n    def make(n):\n        return n\n';
    expect(placed(MAKE, source)).toContain('    @staticmethod\n    @lru_cache\n    def make(n):\n        return n\n');
    expect(placed(MAKE, 'def make(n):\n    return n\n')).toBe(FILE.replace('return Box(n)', 'return n'));
  });
});

test('text inside of strings keeps its margin, docstrings move along', () => {
  const source =
    'def total(self, items):\n    """One.\n\n    Two.\n    """\n    text = """a\n  b\n"""\n    return (text,\n        f\'\'\'x\n{items}\'\'\')\n';
  expect(placed(TOTAL, source)).toBe(
    expected(
      TOTAL_DEF,
      '    def total(self, items):\n        """One.\n\n        Two.\n        """\n        text = """a\n  b\n"""\n        return (text,\n            f\'\'\'x\n{items}\'\'\')',
    ),
  );
});

test.each([
  ['no Python', 'def plain(a:\n    return', /^no Python in line 1/],
  ['another function', 'def plane(a):\n    return a\n', /^it does not define plain$/],
  ['nothing', '', /^it does not define plain$/],
  ['a lambda', 'plain = lambda a: a\n', /^it does not define plain$/],
  ['a class of that name', 'class plain:\n    pass\n', /^it does not define plain$/],
])('%s is refused with its reason', (_name, source, why) => {
  expect(place(PLAIN, source)).toEqual({ refused: expect.stringMatching(why) });
});

test('of several definitions the one at its lines is replaced, and overload stubs stay', () => {
  const file =
    'import sys\nfrom typing import overload\nif sys.version_info > (3,):\n    @overload\n    def f(a: int) -> int: ...\n    def f(a):\n        return 1\nelse:\n    def f(a):\n        return 2\n';
  const answer = placeCandidate(
    python,
    python.parse('m.py', file),
    { name: 'f', kind: 'function', lines: [6, 7] },
    'import math\ndef f(a):\n    return math.pi\n',
  );
  expect(answer).toEqual({
    text: file.replace('return 1', 'return math.pi').replace('if sys.', 'import math\n\n\nif sys.'),
  });
});
