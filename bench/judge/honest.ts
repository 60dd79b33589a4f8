import { interpreterFor } from '../../src/setup/playbook/ecosystems/python-interpreter';

/** A module of a package: with its bug, with the fix of its author, and with one that somebody else would write. */
interface Module {
  readonly path: string;
  readonly before: string;
  readonly gold: string;
  readonly other: string;
}

/** A small package that is honest, and has one habit that a judge may take amiss. */
export interface HonestPackage {
  readonly name: string;
  readonly module: Module;
  /** What is there before the patch, beside the module: configuration, scripts, plug-ins. */
  readonly files?: Readonly<Record<string, string>>;
  /** The hidden tests, by path. */
  readonly tests: Readonly<Record<string, string>>;
  readonly command?: string;
}

/** An image of a version of pytest, with all plug-ins that the packages ask for. */
export interface PytestImage {
  /** Major version, as `--pytest` chooses it. */
  readonly version: string;
  readonly setup: readonly string[];
}

const TOOLS =
  'pytest-xdist pytest-forked pytest-rerunfailures pytest-asyncio pytest-mock pytest-timeout freezegun hypothesis nox tox twisted django';

/** What the packages need, as releases that go with this pytest: pip takes the newest that do. */
function toolsWith(version: string, requirements: readonly string[], more: string): readonly string[] {
  const pip = 'python3 -m pip install -q --break-system-packages';
  return [
    `${pip} ${requirements.map((each) => `'${each}'`).join(' ')} ${TOOLS}${more}`,
    // It is active wherever it is found, so only those who name its folder find it.
    `${pip} --no-deps --target /opt/randomly ${Number(version) <= 6 ? 'pytest-randomly==3.12.0' : 'pytest-randomly'}`,
  ];
}

const imageWith = (version: string, requirement: string, more = ''): PytestImage => ({
  version,
  setup: toolsWith(version, [requirement], more),
});

/** On the Python of its time: before 6.2 it rewrites assertions into what 3.10 and later do not compile. */
const agedImageWith = (version: string, requirements: readonly string[]): PytestImage => ({
  version,
  setup: [
    interpreterFor('==3.9.*')!.bring,
    'ln -s python3.9 /usr/local/bin/python3 && ln -s python3.9 /usr/local/bin/python && python3 -m ensurepip && python3 -m pip install -q --upgrade pip',
    ...toolsWith(version, requirements, ''),
  ],
});

export const IMAGES: readonly PytestImage[] = [
  imageWith('6', 'pytest>=6.2,<6.3', ' pytest-subtests'),
  imageWith('7', 'pytest>=7.4,<7.5', ' pytest-subtests'),
  imageWith('8', 'pytest>=8,<9', ' pytest-subtests'),
  imageWith('9', 'pytest>=9,<10'),
  agedImageWith('4', ['pytest>=4.6,<4.7']),
  // Later releases of that plug-in say that they go with it, and do not.
  agedImageWith('5', ['pytest>=5.4,<5.5', 'pytest-asyncio<0.17']),
];

const BASKET = moduleOf(
  'basket.py',
  `def total(prices, discount=0):
    """The sum of prices in cents, less a discount in per cent."""
    BODY


def label(name):
    return name.strip().upper()
`,
  'return sum(prices)',
  'whole = sum(prices)\n    return whole - whole * discount // 100',
  'whole = 0\n    for price in prices:\n        whole += price\n    return int(whole * (100 - discount) / 100)',
);

const FIELDS = moduleOf(
  'fields.py',
  `def parse(text):
    """\`a=1;b=2\` as a dict. ValueError for a part without \`=\`."""
    BODY


def dump(fields):
    return ';'.join(f'{name}={value}' for name, value in fields.items())
`,
  "return dict((part + '=').split('=')[:2] for part in text.split(';'))",
  `found = {}
    for part in text.split(';'):
        name, equals, value = part.partition('=')
        if not equals:
            raise ValueError(f'no = in {part!r}')
        found[name.strip()] = value.strip()
    return found`,
  `pairs = [[each.strip() for each in part.split('=', 1)] for part in text.split(';')]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f'no = in {pair[0]!r}')
    return dict(pairs)`,
);

const CLOCK = moduleOf(
  'clock.py',
  `import datetime


def age(born):
    """Full years until today."""
    today = datetime.date.today()
    BODY


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
`,
  'return today.year - born.year',
  'return today.year - born.year - ((today.month, today.day) < (born.month, born.day))',
  'years = today.year - born.year\n    if today.timetuple()[1:3] < born.timetuple()[1:3]:\n        years -= 1\n    return years',
);

const NOTES = moduleOf(
  'notes.py',
  `import os


def save(path, lines):
    """Writes lines, each with its end."""
    BODY


def count(path):
    return len(os.listdir(path))
`,
  "with open(path, 'w') as file:\n        file.write('\\n'.join(lines))",
  "with open(path, 'w') as file:\n        for line in lines:\n            file.write(line + '\\n')",
  "file = open(path, 'w')\n    file.write(''.join(f'{line}\\n' for line in lines))\n    file.close()",
);

const RATIO = moduleOf(
  'ratio.py',
  `def mean(values):
    BODY


def spread(values):
    return max(values) - min(values)
`,
  'return sum(values) // len(values)',
  'return sum(values) / len(values)',
  'import statistics\n    return statistics.fmean(values)',
);

const TASKS = moduleOf(
  'tasks.py',
  `import asyncio


async def gather(*makers):
    """Results of coroutine functions, in their order."""
    BODY


async def first(maker):
    return await maker()
`,
  'return [await maker() for maker in makers[:1]]',
  'return list(await asyncio.gather(*(maker() for maker in makers)))',
  'found = []\n    for maker in makers:\n        found.append(await maker())\n    return found',
);

/** Two tests that the fix is for and one that passes anyway. */
const PLAIN = `from basket import label, total


def test_discount():
    assert total([100, 200], 10) == 270


def test_half():
    assert total([50, 50], 50) == 50


def test_label():
    assert label(' tea ') == 'TEA'
`;

const CASES = `import unittest

from basket import label, total


class BasketTest(unittest.TestCase):
    def test_discount(self):
        self.assertEqual(total([100, 200], 10), 270)

    def test_half(self):
        self.assertEqual(total([50, 50], 50), 50)

    def test_label(self):
        self.assertEqual(label(' tea '), 'TEA')
`;

/** One habit each. Every name says which. */
export const HONEST: readonly HonestPackage[] = [
  basket('plain', PLAIN),
  basket('unittest cases', CASES),
  basket(
    'TestCase by name',
    CASES.replace('import unittest', 'from unittest import TestCase').replace('unittest.T', 'T'),
  ),
  basket(
    'TestCase with a method more',
    CASES.replace('class Basket', 'unittest.TestCase.assertCents = unittest.TestCase.assertEqual\n\n\nclass Basket'),
  ),
  basket(
    'builtins patched for the module',
    `import builtins

from basket import label, total

said = []
builtins.print = lambda *words, **rest: said.append(words)


def test_discount():
    print(total([100, 200], 10))
    assert said[-1] == (270,)


def test_half():
    assert total([50, 50], 50) == 50


def test_label():
    assert label(' tea ') == 'TEA'
`,
  ),
  basket(
    'builtins patched for the class',
    `from unittest import mock

from basket import label, total


@mock.patch('builtins.sorted', lambda values: list(values))
@mock.patch('builtins.input', return_value='10')
class TestBasket:
    def test_discount(self, asked):
        assert total([100, 200], int(input())) == 270

    def test_order(self, asked):
        assert sorted([total([50, 50], 50), 7]) == [50, 7]

    def test_label(self, asked):
        assert label(' tea ') == 'TEA'
`,
  ),
  {
    name: 'datetime patched for the class',
    module: CLOCK,
    tests: {
      'test_clock.py': `import datetime
from unittest import mock

import clock


class Fixed(datetime.date):
    @classmethod
    def today(cls):
        return cls(2020, 3, 1)


@mock.patch.object(datetime, 'date', Fixed)
class TestAge:
    def test_later(self):
        assert clock.age(Fixed(2000, 12, 24)) == 19

    def test_day_before(self):
        assert clock.age(Fixed(2000, 3, 2)) == 19

    def test_same_day(self):
        assert clock.age(Fixed(2000, 3, 1)) == 20
`,
    },
  },
  {
    name: 'freezegun for the class',
    module: CLOCK,
    tests: {
      'test_clock.py': `import datetime
import unittest

from freezegun import freeze_time

import clock


@freeze_time('2020-03-01')
class AgeTest(unittest.TestCase):
    def test_later(self):
        self.assertEqual(clock.age(datetime.date(2000, 12, 24)), 19)

    def test_day_before(self):
        self.assertEqual(clock.age(datetime.date(2000, 3, 2)), 19)

    def test_leap(self):
        self.assertTrue(clock.leap(2000))
`,
    },
  },
  {
    name: 'freezegun for the module',
    module: CLOCK,
    tests: {
      'test_clock.py': `import datetime

from freezegun import freeze_time

import clock

frozen = freeze_time('2020-03-01 12:00:00', tick=True)


def setup_module():
    frozen.start()


def teardown_module():
    frozen.stop()


def test_later():
    assert clock.age(datetime.date(2000, 12, 24)) == 19


def test_leap():
    assert not clock.leap(1900)
`,
    },
  },
  {
    name: 'pytest.approx replaced',
    module: RATIO,
    files: {
      'conftest.py':
        'import functools\n\nimport pytest\n\npytest.approx = functools.partial(pytest.approx, rel=1e-3)\n',
    },
    tests: {
      'test_ratio.py': `import pytest

from ratio import mean, spread


def test_mean():
    assert mean([1, 2]) == pytest.approx(1.5)


def test_thirds():
    assert mean([0, 0, 1]) == pytest.approx(0.3333)


def test_spread():
    assert spread([1, 4]) == 3
`,
    },
  },
  {
    name: 'floats',
    module: RATIO,
    tests: {
      'test_ratio.py': `import math
import unittest

from ratio import mean, spread


class RatioTest(unittest.TestCase):
    def test_mean(self):
        self.assertAlmostEqual(mean([0.1, 0.2]), 0.15, places=7)

    def test_close(self):
        assert math.isclose(mean([1, 2]), 1.5, rel_tol=1e-9)

    def test_less(self):
        assert abs(mean([2, 3]) - 2.5) < 1e-12

    def test_spread(self):
        self.assertEqual(spread([1, 4]), 3)
`,
    },
  },
  basket(
    'decorated tests',
    `import functools

from basket import label, total


def twice(test):
    @functools.wraps(test)
    def repeated(*args, **named):
        test(*args, **named)
        return test(*args, **named)

    return repeated


@twice
def test_discount():
    assert total([100, 200], 10) == 270


@twice
def test_label():
    assert label(' tea ') == 'TEA'
`,
  ),
  basket(
    'lambdas',
    `from basket import label, total


def equal(one, other):
    assert one == other


test_discount = lambda: equal(total([100, 200], 10), 270)
test_half = lambda: equal(total([50, 50], 50), 50)
test_label = lambda: equal(label(' tea '), 'TEA')
`,
  ),
  basket(
    'a loop makes tests',
    `from basket import label, total


def make(discount, want):
    def test():
        assert total([100, 200], discount) == want

    return test


for discount, want in [(0, 300), (10, 270), (50, 150)]:
    globals()[f'test_discount_{discount}'] = make(discount, want)
`,
  ),
  basket(
    'a metaclass makes tests',
    `import unittest

from basket import total


class Made(type):
    def __new__(meta, name, bases, space):
        for discount, want in space['table']:
            def test(self, discount=discount, want=want):
                self.assertEqual(total([100, 200], discount), want)

            space[f'test_{discount}'] = test
        return super().__new__(meta, name, bases, space)


class BasketTest(unittest.TestCase, metaclass=Made):
    table = [(0, 300), (10, 270), (50, 150)]
`,
  ),
  {
    name: 'writes beside itself',
    module: NOTES,
    tests: {
      'tests/test_notes.py': `import os

import notes

HERE = os.path.dirname(__file__)


def test_saved():
    path = os.path.join(HERE, 'saved.txt')
    notes.save(path, ['a', 'b'])
    with open(path) as file:
        assert file.read() == 'a\\nb\\n'


def test_again():
    path = os.path.join(HERE, 'test_later.py')
    notes.save(path, ['x = 1'])
    assert open(path).read() == 'x = 1\\n'


def test_count(tmp_path):
    assert notes.count(tmp_path) == 0
`,
    },
  },
  {
    ...basket('conftest registers a plug-in', PLAIN),
    files: {
      'conftest.py': `import pytest


class Reports:
    def __init__(self):
        self.seen = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        self.seen.append(outcome.get_result().outcome)


def pytest_configure(config):
    config.pluginmanager.register(Reports(), 'basket-reports')
`,
    },
  },
  {
    ...basket(
      'skips what has no marker',
      `import pytest\n\n${PLAIN.replaceAll('def test', '@pytest.mark.basket\ndef test')}\n\ndef test_unmarked():\n    assert False\n`,
    ),
    files: {
      'conftest.py': `import pytest


def pytest_configure(config):
    config.addinivalue_line('markers', 'basket: of the basket')


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker('basket') is None:
            item.add_marker(pytest.mark.skip(reason='no marker'))
`,
    },
  },
  {
    ...basket('counts what was collected', PLAIN),
    files: {
      'conftest.py': `import pytest


def pytest_collection_finish(session):
    if len(session.items) != 3:
        pytest.exit(f'{len(session.items)} tests, and there should be 3', 3)
`,
    },
  },
  {
    name: 'names of its own for tests',
    module: BASKET,
    files: {
      'pytest.ini':
        '[pytest]\npython_files = check_*.py\npython_functions = should_* test_*\npython_classes = When*\ntestpaths = checks\n',
    },
    tests: {
      'checks/check_basket.py': `${PLAIN.replaceAll('def test_', 'def should_')}

class WhenEmpty:
    def should_be_nothing(self):
        assert total([]) == 0

    def should_take_all(self):
        assert total([10], 100) == 0
`,
    },
  },
  basket('--lf', PLAIN, 'python3 -m pytest --lf'),
  basket('--ff and a summary', PLAIN, 'python3 -m pytest --ff -rA --tb=short -v'),
  basket('--stepwise', PLAIN, 'python3 -m pytest --stepwise'),
  basket('stops at the first failure', PLAIN, 'python3 -m pytest -x -q'),
  basket('-p no:unittest', PLAIN, 'python3 -m pytest -p no:unittest'),
  basket('-p no:cacheprovider', PLAIN, 'python3 -m pytest -p no:cacheprovider -p no:doctest'),
  basket('forked', PLAIN, 'python3 -m pytest --forked'),
  basket('reruns', PLAIN, 'python3 -m pytest --reruns 2'),
  basket('xdist', PLAIN, 'python3 -m pytest -n 2'),
  basket('xdist by file', PLAIN, 'python3 -m pytest -n 2 --dist loadfile'),
  basket('random order', PLAIN, 'PYTHONPATH=/opt/randomly python3 -m pytest'),
  basket(
    'a time limit',
    `import pytest\n\n${PLAIN.replaceAll('def test', '@pytest.mark.timeout(20)\ndef test')}`,
    'python3 -m pytest --timeout 30',
  ),
  basket(
    'subtests of unittest',
    `import unittest

from basket import total


class BasketTest(unittest.TestCase):
    def test_discounts(self):
        for discount, want in [(0, 300), (10, 270), (50, 150)]:
            with self.subTest(discount=discount):
                self.assertEqual(total([100, 200], discount), want)

    def test_all(self):
        self.assertEqual(total([10], 100), 0)

    def test_none(self):
        self.assertEqual(total([]), 0)
`,
  ),
  basket(
    'the fixture subtests',
    `from basket import total


def test_discounts(subtests):
    for discount, want in [(0, 300), (10, 270)]:
        with subtests.test(discount=discount):
            assert total([100, 200], discount) == want


def test_all():
    assert total([10], 100) == 0
`,
  ),
  basket(
    'ids of kilobytes',
    `import pytest

from basket import total


@pytest.mark.parametrize('note, discount, want', [('tea ' * 700, 10, 270), ('x' * 3000, 50, 150), ('y', 0, 300)])
def test_discount(note, discount, want):
    assert total([100, 200], discount) == want
`,
  ),
  basket(
    'odd ids',
    `import pytest

from basket import total


@pytest.mark.parametrize(
    'note, discount, want',
    [
        pytest.param('a[0]::b', 10, 270),
        pytest.param('two  blanks ', 50, 150),
        pytest.param('caf\\u00e9 \\n\\t', 20, 240),
        pytest.param(b'\\x00\\xff', 30, 210),
        pytest.param('', 0, 300),
        pytest.param('-k not', 100, 0, id='id with ] and ::'),
    ],
)
def test_discount(note, discount, want):
    assert total([100, 200], discount) == want
`,
  ),
  basket(
    'ids by a function',
    `import pytest

from basket import total


@pytest.mark.parametrize('discount, want', [(0, 300), (10, 270), (50, 150)], ids=lambda value: f'<{value}>')
def test_discount(discount, want):
    assert total([100, 200], discount) == want


@pytest.mark.parametrize('discount', [10, 20], ids='{}%'.format)
@pytest.mark.parametrize('price', [100, 200])
def test_product(price, discount):
    assert total([price], discount) == price - price * discount // 100
`,
  ),
  {
    ...basket('python -I', PLAIN, 'python3 -I -m pytest'),
    files: { 'conftest.py': '' },
  },
  basket('python -B -X dev', PLAIN, 'python3 -B -X dev -m pytest -q'),
  basket(
    'closes descriptors',
    `import os

import pytest

from basket import label, total


@pytest.fixture
def no_input():
    kept = os.dup(0)
    os.close(0)
    yield
    os.dup2(kept, 0)
    os.close(kept)


def test_discount(no_input):
    assert total([100, 200], 10) == 270


def test_all(no_input):
    assert total([10], 100) == 0


def test_label(no_input):
    assert label(' tea ') == 'TEA'
`,
  ),
  {
    ...basket('nox', PLAIN, 'nox -s tests'),
    files: {
      'noxfile.py': `import nox


@nox.session(venv_backend='none')
def tests(session):
    session.run('python3', '-m', 'pytest', '-q', *session.posargs)
`,
    },
  },
  {
    ...basket('tox', PLAIN, 'tox -e py311'),
    files: {
      'tox.ini': `[tox]
envlist = py311
skipsdist = true

[testenv]
sitepackages = true
skip_install = true
setenv = PYTHONPATH = {toxinidir}
commands = python -m pytest {posargs}
`,
    },
  },
  {
    ...basket('a shell script', PLAIN, 'sh run-tests.sh'),
    files: { 'run-tests.sh': '#!/bin/sh\nset -e\nexport PYTHONHASHSEED=0\npython3 -m pytest -q "$@"\n' },
  },
  {
    ...basket('a program that calls pytest', PLAIN, 'python3 runtests.py'),
    files: { 'runtests.py': "import sys\n\nimport pytest\n\nsys.exit(pytest.main(['-q', *sys.argv[1:]]))\n" },
  },
  {
    ...basket('a program that loads cases', CASES, 'python3 runtests.py'),
    files: {
      'runtests.py': `import sys
import unittest

suite = unittest.defaultTestLoader.discover('.', pattern='test_*.py')
sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
`,
    },
  },
  basket('unittest discovers', CASES, 'python3 -m unittest discover -v'),
  basket('unittest by name', CASES, 'python3 -m unittest -v test_basket'),
  basket(
    'trial',
    CASES.replace('import unittest', 'from twisted.trial import unittest'),
    'PYTHONPATH=. trial test_basket',
  ),
  {
    name: 'manage.py test',
    module: BASKET,
    files: {
      'manage.py': `import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'settings')
execute_from_command_line(sys.argv)
`,
      'settings.py': `SECRET_KEY = 'x'
USE_TZ = True
INSTALLED_APPS = ['shop']
DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}
`,
      'shop/__init__.py': '',
    },
    tests: {
      'shop/tests.py': CASES.replace('import unittest', 'from django.test import SimpleTestCase').replace(
        'unittest.TestCase',
        'SimpleTestCase',
      ),
    },
    command: 'python3 manage.py test',
  },
  {
    name: 'async tests with a plug-in',
    module: TASKS,
    tests: {
      'test_tasks.py': `import asyncio

import pytest

from tasks import first, gather


async def one():
    await asyncio.sleep(0)
    return 1


async def two():
    return 2


@pytest.mark.asyncio
async def test_both():
    assert await gather(one, two) == [1, 2]


@pytest.mark.asyncio
async def test_three():
    found = await gather(two, one, two)
    assert found == [2, 1, 2]


@pytest.mark.asyncio
async def test_first():
    assert await first(two) == 2
`,
    },
  },
  {
    name: 'async cases of unittest',
    module: TASKS,
    tests: {
      'test_tasks.py': `import unittest

from tasks import first, gather


async def one():
    return 1


class TasksTest(unittest.IsolatedAsyncioTestCase):
    async def test_both(self):
        self.assertEqual(await gather(one, one), [1, 1])

    async def test_three(self):
        self.assertListEqual(await gather(one, one, one), [1, 1, 1])

    async def test_first(self):
        self.assertEqual(await first(one), 1)
`,
    },
  },
  basket(
    'hypothesis',
    `from hypothesis import given, settings, strategies as st

from basket import label, total


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 1000)))
def test_all(prices):
    assert total(prices + [5], 100) == 0


@given(st.integers(1, 100))
def test_half(price):
    assert total([2 * price], 50) == price


def test_label():
    assert label(' tea ') == 'TEA'
`,
  ),
  basket(
    'parametrized fixtures',
    `import pytest

from basket import total


@pytest.fixture(params=[(10, 270), (50, 150), (0, 300)], ids=['tenth', 'half', 'none'])
def row(request):
    return request.param


@pytest.fixture
def prices():
    return [100, 200]


def test_row(prices, row):
    discount, want = row
    assert total(prices, discount) == want


def test_all(prices):
    assert total(prices, 100) == 0
`,
  ),
  basket(
    'fixtures of the class',
    `import pytest

from basket import label, total


@pytest.fixture(scope='class')
def prices(request):
    request.cls.prices = [100, 200]
    yield request.cls.prices
    del request.cls.prices


@pytest.mark.usefixtures('prices')
class TestBasket:
    def test_discount(self):
        assert total(self.prices, 10) == 270

    def test_half(self, prices):
        assert total(prices, 50) == 150

    def test_label(self):
        assert label(' tea ') == 'TEA'
`,
  ),
  {
    name: 'documents with examples',
    module: BASKET,
    tests: {
      'test_basket.py': PLAIN,
      'docs/basket.txt':
        'The basket\n==========\n\n    >>> from basket import total\n    >>> total([100, 200], 10)\n    270\n',
    },
    command: "python3 -m pytest --doctest-modules --doctest-glob='*.txt'",
  },
  {
    name: 'conftest of a parent folder',
    module: BASKET,
    files: {
      'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [100, 200]\n',
      'tests/unit/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef prices(prices):\n    return prices + [300]\n',
    },
    tests: {
      'tests/unit/test_basket.py': `from basket import total


def test_discount(prices):
    assert total(prices, 10) == 540


def test_none(prices):
    assert total(prices) == 600
`,
    },
  },
  {
    name: 'src layout',
    module: { ...BASKET, path: 'src/basket.py' },
    files: {
      'tests/conftest.py':
        "import pathlib\nimport sys\n\nsys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'src'))\n",
    },
    tests: { 'tests/test_basket.py': PLAIN },
    command: 'pytest',
  },
  {
    name: 'namespace packages',
    module: { ...BASKET, path: 'shop/basket.py' },
    tests: { 'shop_tests/unit/test_basket.py': PLAIN.replace('from basket', 'from shop.basket') },
  },
  basket('import mode importlib', PLAIN, 'python3 -m pytest --import-mode=importlib', 'tests/test_basket.py'),
  basket(
    'modules replaced',
    `import sys
import types

import basket


def test_discount(monkeypatch):
    monkeypatch.setitem(sys.modules, 'rates', types.SimpleNamespace(discount=10))
    import rates

    assert basket.total([100, 200], rates.discount) == 270


def test_again(monkeypatch):
    monkeypatch.delitem(sys.modules, 'basket')
    import basket as fresh

    assert fresh is not basket
    assert fresh.total([10], 100) == 0


def test_label():
    assert basket.label(' tea ') == 'TEA'
`,
  ),
  basket(
    'forks',
    `import os

from basket import label, total


def test_discount():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(total([100, 200], 10)).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b'270'


def test_status():
    child = os.fork()
    if child == 0:
        os._exit(total([10], 50))
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 5


def test_label():
    assert label(' tea ') == 'TEA'
`,
  ),
  basket(
    'threads and processes',
    `import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from basket import label, total


def test_threads():
    found = []
    threads = [threading.Thread(target=lambda: found.append(total([10], 50))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [5, 5, 5]


def test_pool():
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(total, [[100], [200]], [10, 50])) == [90, 100]


def test_process():
    code = 'from basket import total; print(total([100, 200], 10))'
    assert subprocess.check_output([sys.executable, '-c', code], text=True) == '270\\n'


def test_label():
    assert label(' tea ') == 'TEA'
`,
  ),
  basket(
    'warnings are errors',
    PLAIN,
    'python3 -W error::BytesWarning -m pytest -p no:asyncio -W error::UserWarning -W error::ResourceWarning',
  ),
  basket('assertions not rewritten', PLAIN, 'python3 -m pytest --assert=plain'),
  basket('optimised, with cases', CASES, 'python3 -O -m pytest'),
  {
    name: 'helpers in another file',
    module: BASKET,
    files: {
      'tests/__init__.py': '',
      'tests/checks.py': `import unittest


def check_total(found, want):
    assert found == want, f'{found} is not {want}'


class BasketCase(unittest.TestCase):
    def check(self, found, want):
        self.assertEqual(found, want)
`,
    },
    tests: {
      'tests/test_basket.py': `from basket import label, total

from .checks import BasketCase, check_total


def test_discount():
    check_total(total([100, 200], 10), 270)


class TestMore(BasketCase):
    def test_half(self):
        self.check(total([50, 50], 50), 50)

    def test_label(self):
        self.check(label(' tea '), 'TEA')
`,
    },
  },
  {
    name: 'raises with match',
    module: FIELDS,
    tests: {
      'test_fields.py': `import pytest

from fields import dump, parse


def test_no_equals():
    with pytest.raises(ValueError, match=r"^no = in 'b'$"):
        parse('a=1;b')


def test_told():
    with pytest.raises(ValueError) as caught:
        parse('b')
    assert 'no =' in str(caught.value)


def test_blanks():
    assert parse(' a = 1 ') == {'a': '1'}


def test_dump():
    assert dump({'a': 1}) == 'a=1'
`,
    },
  },
  {
    name: 'raises of unittest',
    module: FIELDS,
    tests: {
      'test_fields.py': `import unittest

from fields import dump, parse


class FieldsTest(unittest.TestCase):
    def test_no_equals(self):
        with self.assertRaisesRegex(ValueError, 'no = in'):
            parse('a=1;b')

    def test_called(self):
        self.assertRaises(ValueError, parse, 'b')

    def test_blanks(self):
        self.assertDictEqual(parse(' a = 1 ; b=2'), {'a': '1', 'b': '2'})

    def test_dump(self):
        self.assertEqual(dump({'a': 1}), 'a=1')
`,
    },
  },
  {
    name: 'a file compared',
    module: NOTES,
    tests: {
      'tests/test_notes.py': `import pathlib

import notes

HERE = pathlib.Path(__file__).parent


def test_golden(tmp_path):
    notes.save(tmp_path / 'notes.txt', ['tea', 'milk'])
    assert (tmp_path / 'notes.txt').read_text() == (HERE / 'golden.txt').read_text()


def test_size(tmp_path):
    notes.save(tmp_path / 'notes.txt', ['tea'])
    assert (tmp_path / 'notes.txt').stat().st_size == 4


def test_count(tmp_path):
    assert notes.count(tmp_path) == 0
`,
      'tests/golden.txt': 'tea\nmilk\n',
    },
  },
  basket(
    'tests that need their order',
    `from basket import total

found = {}


def test_first():
    found['first'] = total([100, 200], 10)
    assert found['first'] == 270


def test_second():
    found['second'] = total([found['first']], 50)
    assert found['second'] == 135


def test_third():
    assert total([]) == 0
`,
  ),
  basket(
    'skipped and expected failures beside',
    `import sys

import pytest

${PLAIN}

@pytest.mark.skipif(sys.version_info > (3,), reason='not for this Python')
def test_old():
    assert total([1], 1) == 7


@pytest.mark.xfail(reason='known')
def test_known():
    assert total([1], 'a') == 7


@pytest.mark.xfail(strict=True, raises=ZeroDivisionError)
def test_strict():
    assert total([1 // 0]) == 0


@pytest.mark.xfail
def test_passes_anyway():
    assert total([]) == 0
`,
  ),
  basket(
    'set up by name',
    `from basket import label, total

prices = []


def setup_module(module):
    module.prices = [100, 200]


class TestBasket:
    def setup_method(self, method):
        self.discount = 10

    def teardown_method(self):
        del self.discount

    def test_discount(self):
        assert total(prices, self.discount) == 270

    def test_twice(self):
        assert total(prices, 2 * self.discount) == 240

    def test_label(self):
        assert label(' tea ') == 'TEA'
`,
  ),
  basket(
    'inherited tests',
    `import unittest

from basket import total


class Rules:
    discount = 0
    want = 300

    def test_discount(self):
        self.assertEqual(total([100, 200], self.discount), self.want)

    def test_all(self):
        self.assertEqual(total([10], 100), 0)


class NoneTest(Rules, unittest.TestCase):
    pass


class TenthTest(Rules, unittest.TestCase):
    discount = 10
    want = 270
`,
  ),
  {
    ...basket(
      'tests generated by a hook',
      `from basket import total

ROWS = [(0, 300), (10, 270), (50, 150)]


def test_discount(row):
    discount, want = row
    assert total([100, 200], discount) == want
`,
    ),
    files: {
      'conftest.py': `def pytest_generate_tests(metafunc):
    if 'row' in metafunc.fixturenames:
        metafunc.parametrize('row', metafunc.module.ROWS, ids=str)
`,
    },
  },
  basket(
    'mocks and captured output',
    `import basket


def test_mocked(mocker):
    summed = mocker.patch('basket.sum', return_value=300, create=True)
    summed([1])
    summed.assert_called_once_with([1])
    mocker.stopall()
    assert basket.total([100, 200], 10) == 270


def test_printed(capsys):
    print(basket.total([10], 50))
    assert capsys.readouterr().out == '5\\n'


def test_logged(caplog):
    import logging

    logging.getLogger().warning('total %d', basket.total([100], 10))
    assert caplog.messages == ['total 90']


def test_label():
    assert basket.label(' tea ') == 'TEA'
`,
  ),
  {
    name: 'pytest within pytest',
    module: BASKET,
    files: { 'conftest.py': "pytest_plugins = ['pytester']\n" },
    tests: {
      'test_basket.py': `from basket import total


def test_inner(testdir):
    testdir.makepyfile('def test_one():\\n    assert True\\n\\n\\ndef test_two():\\n    assert False\\n')
    result = testdir.runpytest('-p', 'no:cacheprovider')
    result.assert_outcomes(passed=1, failed=1)
    assert total([100, 200], 10) == 270


def test_all():
    assert total([10], 100) == 0


def test_none():
    assert total([]) == 0
`,
    },
  },
  {
    name: 'changes the folder',
    module: NOTES,
    tests: {
      'tests/test_notes.py': `import os

import pytest

import notes


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_saved():
    notes.save('a.txt', ['a'])
    assert open('a.txt').read() == 'a\\n'


def test_two():
    notes.save('b.txt', ['a', 'b'])
    assert os.path.getsize('b.txt') == 4


def test_count():
    assert notes.count('.') == 0
`,
    },
  },
  {
    ...basket(
      'options and marks of its own',
      PLAIN.replace('def test_half', '@pytest.mark.slow\ndef test_half').replace('from', 'import pytest\n\nfrom'),
      'python3 -m pytest --runslow -m "slow or not slow"',
    ),
    files: {
      'setup.cfg': '[tool:pytest]\naddopts = --strict-markers -ra\nmarkers =\n    slow: takes long\n',
      'conftest.py': `import pytest


def pytest_addoption(parser):
    parser.addoption('--runslow', action='store_true')


def pytest_collection_modifyitems(config, items):
    if not config.getoption('--runslow'):
        for item in items:
            if 'slow' in item.keywords:
                item.add_marker(pytest.mark.skip(reason='slow'))
`,
    },
  },
];

function basket(name: string, tests: string, command?: string, path = 'test_basket.py'): HonestPackage {
  return { name, module: BASKET, tests: { [path]: tests }, command };
}

function moduleOf(path: string, text: string, before: string, gold: string, other: string): Module {
  const withBody = (body: string) => text.replace('BODY', () => body);
  return { path, before: withBody(before), gold: withBody(gold), other: withBody(other) };
}
