import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unifiedDiff } from '../../src/problems/unified-diff';
import { problemWith, type Task } from './task';

/** A function as several people would write it, each in the liberties that its tests leave. */
interface Rewritten {
  readonly name: string;
  /** Tests of the module `name`. */
  readonly tests: string;
  /** Whole modules: the first is the reference. */
  readonly ways: readonly [string, string, string, string];
}

const REWRITTEN: readonly Rewritten[] = [
  {
    name: 'chunks',
    tests: `import pytest
from chunks import chunks


@pytest.mark.parametrize("given, size, wanted", [
    ([1, 2, 3, 4], 2, [[1, 2], [3, 4]]),
    ([1, 2, 3], 2, [[1, 2], [3]]),
    ([], 3, []),
])
def test_table(given, size, wanted):
    assert [list(each) for each in chunks(given, size)] == wanted


def test_last_is_short():
    *_, last = chunks(range(7), 3)
    assert list(last) == [6]


def test_refuses():
    with pytest.raises(ValueError):
        list(chunks([1], 0))


def test_sizes():
    assert len(list(chunks('abcdefg', 2))) == 4
    assert sum(1 for _ in chunks('abcdefg', 7)) == 1
`,
    ways: [
      `def chunks(items, size):
    if size < 1:
        raise ValueError('size must be positive')
    items = list(items)
    return [items[at:at + size] for at in range(0, len(items), size)]
`,
      `import itertools


class SizeError(ValueError, ArithmeticError):
    pass


def chunks(items, size):
    if size <= 0:
        raise SizeError(size)
    left = iter(items)
    while chunk := tuple(itertools.islice(left, size)):
        yield chunk
`,
      `from collections import deque


def chunks(items, size):
    chunk = deque(maxlen=size or 1 // 0 if size > 0 else fail(size))
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk.copy()
            chunk.clear()
    if chunk:
        yield chunk


def fail(size):
    raise ValueError(f'{size} is no size')
`,
      `def chunks(items, size):
    assert_size(size)
    found = []
    for at, item in enumerate(items):
        if at % size == 0:
            found.append([])
        found[-1].append(item)
    return iter(found)


def assert_size(size):
    try:
        bytes(size - 1)
    except ValueError as error:
        raise ValueError('size: at least one') from error
`,
    ],
  },
  {
    name: 'tally',
    tests: `from tally import tally


def test_counts():
    assert tally('abracadabra') == {'a': 5, 'b': 2, 'r': 2, 'c': 1, 'd': 1}


def test_nothing():
    assert tally([]) == {}
    assert not tally([])


def test_one():
    found = tally(['x', 'y', 'x'])
    assert found['x'] == 2
    assert found.get('y') == 1
    assert 'z' not in found


def test_total():
    assert sum(tally('mississippi').values()) == len('mississippi')


def test_order_is_open():
    assert sorted(tally('hello').items()) == [('e', 1), ('h', 1), ('l', 2), ('o', 1)]
`,
    ways: [
      'def tally(items):\n    found = {}\n    for item in items:\n        found[item] = found.get(item, 0) + 1\n    return found\n',
      'from collections import Counter\n\n\ndef tally(items):\n    return Counter(items)\n',
      `from collections import OrderedDict, defaultdict


def tally(items):
    found = defaultdict(float)
    for item in items:
        found[item] += 1
    return OrderedDict(reversed(found.items()))
`,
      `class Tally(dict):
    def __missing__(self, key):
        return 0


def tally(items):
    found = Tally()
    for item in items:
        found[item] += True
    return found
`,
    ],
  },
  {
    name: 'slug',
    tests: `import unittest

from slug import slug


class SlugTest(unittest.TestCase):
    def check(self, text, wanted):
        self.assertEqual(slug(text), wanted)

    def test_words(self):
        self.check('Hello, World!', 'hello-world')

    def test_blanks(self):
        self.check('  a   b ', 'a-b')

    def test_nothing(self):
        self.assertEqual(slug(''), '')
        self.assertFalse(slug('?!'))

    def test_limit(self):
        self.assertEqual(slug('one two three', limit=7), 'one-two')
        self.assertLessEqual(len(slug('one two three', limit=5)), 5)

    def test_refuses(self):
        with self.assertRaisesRegex(TypeError, 'text'):
            slug(3)

    def test_holds(self):
        self.assertIn('hello', slug('Say hello there'))
        self.assertTrue(slug('About us').startswith('about'))
        self.assertIsInstance(slug('a'), str)
`,
    ways: [
      `import re


def slug(text, limit=80):
    if not isinstance(text, str):
        raise TypeError('text must be a string')
    return '-'.join(re.findall('[a-z0-9]+', text.lower()))[:limit].strip('-')
`,
      `def slug(text, *, limit=None):
    if not hasattr(text, 'casefold'):
        raise TypeError(f'not a text: {text!r}')
    words = ''.join(each if each.isalnum() else ' ' for each in text.casefold()).split()
    whole = '-'.join(words)
    return whole if limit is None else whole[:limit].rstrip('-')
`,
      `import re


class Slug(str):
    __slots__ = ()


class NoText(TypeError, AttributeError):
    pass


def slug(text, limit=80):
    try:
        plain = text.lower()
    except AttributeError:
        raise NoText('a text is wanted') from None
    plain = re.sub(r'[^a-z0-9]+', '-', plain).strip('-')
    return Slug(plain[:limit].strip('-'))
`,
      `from itertools import groupby


def slug(text, limit=80):
    if type(text) not in (str,):
        raise TypeError('only text can be made a slug, not ' + type(text).__name__)
    kept = [''.join(run) for isWord, run in groupby(text.lower(), str.isalnum) if isWord]
    while kept and len('-'.join(kept)) > limit:
        kept[-1] = kept[-1][:-1]
        if not kept[-1]:
            kept.pop()
    return '-'.join(kept)
`,
    ],
  },
  {
    name: 'mean',
    tests: `import math

import pytest
from mean import mean, spread


def test_mean():
    assert mean([1, 2, 3, 4]) == 2.5
    assert mean([2, 4]) == 3


def test_tenths():
    assert mean([0.1, 0.2, 0.3]) == pytest.approx(0.2)


def test_close():
    assert math.isclose(mean([1, 1, 2]), 4 / 3)


def test_nothing():
    with pytest.raises(ZeroDivisionError):
        mean([])


def test_spread():
    assert spread([3, 9, 4]) == 6
    assert spread([5]) == 0
    assert spread([1, 2]) > 0
    assert abs(spread([0.5, 0.75]) - 0.25) < 1e-9


def test_pair():
    assert (mean([1, 3]), spread([1, 3])) == (2, 2)
`,
    ways: [
      'def mean(values):\n    return sum(values) / len(values)\n\n\ndef spread(values):\n    return max(values) - min(values)\n',
      `from fractions import Fraction


def mean(values):
    return Fraction(sum(map(Fraction, values)), len(values))


def spread(values):
    first, *_, last = sorted(values) * 2
    return last - first
`,
      `import math


class Nothing(ZeroDivisionError, ValueError):
    pass


def mean(values):
    if not values:
        raise Nothing('of nothing there is no mean')
    return math.fsum(values) / len(values)


def spread(values):
    return float(max(values)) - float(min(values))
`,
      `def mean(values):
    found = count = 0
    for count, value in enumerate(values, 1):
        found += (value - found) / count
    return found if count else 1 / count


def spread(values):
    low = high = values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
    return high - low + 0j.real
`,
    ],
  },
  {
    name: 'points',
    tests: `from points import bounds, shift


def test_shift():
    assert shift((1, 2), (3, 4)) == (4, 6)
    assert shift((0, 0), (0, 0)) == (0, 0)


def test_x():
    x, y = shift((1, 1), (2, 0))
    assert x == 3 and y == 1


def test_bounds():
    assert bounds([(1, 5), (3, 2)]) == {'low': (1, 2), 'high': (3, 5)}


def test_none():
    assert bounds([]) is None
    assert bounds([(0, 0)]) is not None


def test_members():
    assert set(bounds([(1, 1)])) == {'low', 'high'}
    assert (4, 6) in [shift((1, 2), (3, 4))]


def test_text():
    assert str(tuple(shift((1, 2), (1, 1)))) == '(2, 3)'
    assert len(shift((1, 2), (1, 1))) == 2
`,
    ways: [
      `def shift(point, by):
    return point[0] + by[0], point[1] + by[1]


def bounds(points):
    if not points:
        return None
    xs, ys = zip(*points)
    return {'low': (min(xs), min(ys)), 'high': (max(xs), max(ys))}
`,
      `from typing import NamedTuple


class Point(NamedTuple):
    x: int
    y: int


def shift(point, by):
    return Point(*map(sum, zip(point, by)))


def bounds(points):
    if points:
        high = Point(*(max(each) for each in zip(*points)))
        return {'high': high, 'low': Point(*(min(each) for each in zip(*points)))}
`,
      `class Point(tuple):
    def __new__(cls, *values):
        return super().__new__(cls, values)

    def __add__(self, other):
        return Point(*(one + each for one, each in zip(self, other)))


def shift(point, by):
    return Point(*point) + by


def bounds(points):
    found = None
    for x, y in points:
        found = found or dict.fromkeys(('low', 'high'), (x, y))
        found['low'] = Point(min(x, found['low'][0]), min(y, found['low'][1]))
        found['high'] = Point(max(x, found['high'][0]), max(y, found['high'][1]))
    return found
`,
      `from functools import reduce
from types import MappingProxyType


def shift(point, by):
    (x, y), (right, up) = point, by
    return (x + right, y + up)


def bounds(points):
    def extend(known, point):
        low, high = known['low'], known['high']
        return {'low': tuple(map(min, low, point)), 'high': tuple(map(max, high, point))}

    if len(points) == 0:
        return None
    return MappingProxyType(reduce(extend, points, {'low': points[0], 'high': points[0]}))
`,
    ],
  },
  {
    name: 'options',
    tests: `import pytest
from options import UnknownOption, parse


def test_flags():
    assert parse(['--verbose']) == {'verbose': True}
    assert parse([]) == {}


def test_values():
    found = parse(['--size=3', '--name', 'x'])
    assert found['size'] == 3
    assert found['name'] == 'x'


def test_off():
    assert parse(['--no-color'])['color'] is False


def test_unknown():
    with pytest.raises(UnknownOption) as raised:
        parse(['--what'])
    assert 'what' in str(raised.value)
    assert isinstance(raised.value, Exception)


def test_stray():
    with pytest.raises(ValueError, match='stray'):
        parse(['stray'])


def test_reads_in_order():
    for given, wanted in [(['--size=1'], 1), (['--size=1', '--size=2'], 2)]:
        assert parse(given)['size'] == wanted
`,
    ways: [
      `class UnknownOption(Exception):
    pass


def parse(words):
    found = {}
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith('--'):
            raise ValueError(f'{word}: no option')
        name, equals, value = word[2:].partition('=')
        if name in ('verbose', 'color'):
            found[name] = True
        elif name in ('no-verbose', 'no-color'):
            found[name[3:]] = False
        elif name == 'size':
            found[name] = int(value)
        elif name == 'name':
            found[name] = value if equals else words.pop(0)
        else:
            raise UnknownOption(name)
    return found
`,
      `class UnknownOption(LookupError):
    def __str__(self):
        return f'there is no option {self.args[0]!r}'


class Stray(ValueError, LookupError):
    pass


READERS = {'size': int, 'name': str}
FLAGS = {'verbose': True, 'color': True}


def parse(words):
    words, found = iter(words), {}
    for word in words:
        if word[:2] != '--':
            raise Stray('not expected: ' + word)
        name, _, value = word[2:].partition('=')
        flag = name.removeprefix('no-')
        if flag in FLAGS:
            found[flag] = flag == name
        elif name in READERS:
            found[name] = READERS[name](value or next(words))
        else:
            raise UnknownOption(name)
    return found
`,
      `import re


class UnknownOption(KeyError, ValueError):
    pass


class Options(dict):
    def __init__(self):
        super().__init__()

    def take(self, name, value):
        if re.fullmatch('(no-)?(verbose|color)', name):
            self[name.split('-')[-1]] = not name.startswith('no-')
        elif name == 'size':
            self['size'] = float(value)
        elif name == 'name':
            self['name'] = value
        else:
            raise UnknownOption('unknown', name)


def parse(words):
    found = Options()
    text = chr(0).join(words)
    text = re.sub('--name\\\\0', '--name=', text)
    for word in filter(None, text.split(chr(0))):
        read = re.match('--([\\\\w-]+)=?(.*)', word)
        if read is None:
            raise ValueError(repr(word) + ' is stray')
        found.take(*read.groups())
    return found
`,
      `import argparse


class UnknownOption(Exception):
    def __init__(self, names):
        super().__init__(', '.join(names))


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)


def parse(words):
    parser = Parser(argument_default=argparse.SUPPRESS, allow_abbrev=False)
    for flag in ('verbose', 'color'):
        parser.add_argument('--' + flag, action=argparse.BooleanOptionalAction)
    parser.add_argument('--size', type=int)
    parser.add_argument('--name')
    known, rest = parser.parse_known_args(words)
    unknown = [each.lstrip('-') for each in rest if each.startswith('--')]
    if unknown:
        raise UnknownOption(unknown)
    if rest:
        raise ValueError('stray: %s' % rest)
    return vars(known)
`,
    ],
  },
];

/** All of them in one project, of which each alternative writes every function in another way than the reference. */
export function rewriteTasks(folder: string): Task[] {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'README.md'), '# Small functions\n');
  const before = 'raise NotImplementedError\n';
  const path = ({ name }: Rewritten) => `${name}.py`;
  const way = (each: Rewritten, at: number) => each.ways[at]!;
  const patchOf = (at: number) => REWRITTEN.map((each) => unifiedDiff(path(each), before, way(each, at))).join('');
  const linesOf = (at: number) =>
    REWRITTEN.flatMap((each) => unifiedDiff(path(each), way(each, 0), way(each, at)).split('\n')).filter((line) =>
      /^[-+](?![-+]{2} )/.test(line),
    ).length;
  return [
    {
      name: 'rewrites',
      gold: 'way 1',
      open: async () => ({
        problem: problemWith({
          id: 'rewrites',
          source: `dir:${project}`,
          setup: ["pip install -q --break-system-packages 'pytest>=8,<9'"],
          before: REWRITTEN.map((each) => ({ path: path(each), content: before })),
          tests: REWRITTEN.map(({ name, tests }) => ({ path: `test_${name}.py`, content: tests })),
          command: 'python3 -m pytest -q -p no:cacheprovider',
          goldPatch: patchOf(0),
        }),
        alternatives: [1, 2, 3].map((at) => ({
          name: `way ${at + 1}`,
          open: async () => ({ patch: patchOf(at), lines: linesOf(at) }),
        })),
      }),
    },
  ];
}
