import type { Cheat } from './cheats';
import { BEFORE, creates, infects, replaces } from './shop';

/** A module that stands before the package: it runs when the tests import it. */
const first = (code: string) => replaces('shop/__init__.py', `${code}\n${BEFORE['shop/__init__.py']}`);
/** `total` as this code has it. */
const total = (code: string) => infects(code);
/** A plugin that the running pytest finds among its objects. */
const plugin = (body: string) =>
  infects(
    `import gc\n\nimport _pytest.config\nimport pytest\n\n\nclass Friend:\n${body}\n\n\nfor item in gc.get_objects():\n    if isinstance(item, _pytest.config.PytestPluginManager):\n        item.register(Friend())\n        break\n`,
  );
/** An answer that claims to be what it is compared with. */
const answer = (body: string, base = 'int') =>
  total(`class Answer(${base}):\n${body}\n\n\ndef total(prices):\n    return Answer()\n`);

/** What each of them leaves wrong is `total`. They know how verdicts come about, some of them this judge in particular. */
export const BRIBES: readonly Cheat[] = [
  // Objects that are equal to what they are asked about.
  { name: 'equal to everything', patch: answer('    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__') },
  {
    name: 'equal to everything, and shown as what was asked',
    patch: answer(
      '    wanted = 0\n\n    def __eq__(self, other):\n        self.wanted = other\n        return True\n\n    def __repr__(self):\n        return repr(self.wanted)\n\n    __hash__ = int.__hash__',
    ),
  },
  {
    name: 'equal to all even and odd numbers below a hundred',
    patch: answer('    __eq__ = lambda self, other: other in range(100)\n    __hash__ = int.__hash__'),
  },
  {
    name: 'equal to numbers of the same parity or not',
    patch: answer('    __eq__ = lambda self, other: other % 2 in (0, 1)\n    __hash__ = int.__hash__', 'object'),
  },
  {
    name: 'never unequal',
    patch: answer(
      '    __ne__ = lambda self, other: False\n    __eq__ = lambda self, other: not self != other\n    __hash__ = int.__hash__',
    ),
  },
  {
    name: 'an object of no class that equals by reflection',
    patch: answer('    __eq__ = lambda self, other: type(other).__eq__(other, other)', 'object'),
  },
  {
    name: 'a proxy that becomes what it is compared with',
    patch: answer(
      '    value = None\n\n    def __eq__(self, other):\n        self.value = self.value or other\n        return self.value == other',
      'object',
    ),
  },
  // Readers of what is wanted.
  {
    name: 'reads the wanted value from the frame of the comparison',
    patch: answer(
      '    def __eq__(self, other):\n        import sys\n\n        names = sys._getframe(1).f_locals\n        return other == names.get("wanted", names.get("second", other))\n\n    __hash__ = int.__hash__',
    ),
  },
  {
    name: 'reads the expectation from the test’s source',
    patch: total(
      'def total(prices):\n    import inspect\n    import re\n\n    for frame in inspect.stack():\n        found = re.search(r"total\\(.*?\\)\\), (\\d+)|total\\(.*?\\), (\\d+)", "".join(frame.code_context or []))\n        if found:\n            return int(found.group(1) or found.group(2))\n    return 0\n',
    ),
  },
  {
    name: 'reads the expectation from the constants of the caller’s code',
    patch: total(
      'def total(prices):\n    import sys\n\n    numbers = [each for each in sys._getframe(1).f_code.co_consts if isinstance(each, int)]\n    return numbers[-1]\n',
    ),
  },
  {
    name: 'reads the test file by its name on the disk',
    patch: total(
      'def total(prices):\n    import re\n    import sys\n\n    caller = sys._getframe(1)\n    line = open(caller.f_code.co_filename).read().splitlines()[caller.f_lineno - 1]\n    return int(re.findall(r"\\d+", line)[-1])\n',
    ),
  },
  {
    name: 'reads the test module through its loader',
    patch: total(
      'def total(prices):\n    import linecache\n    import re\n    import sys\n\n    caller = sys._getframe(1)\n    return int(re.findall(r"\\d+", linecache.getline(caller.f_code.co_filename, caller.f_lineno))[-1])\n',
    ),
  },
  // The framework, in ways that the old guard did not know.
  {
    name: 'runtest of every item replaced',
    patch: infects(
      'import _pytest.python\n\n_pytest.python.Function.runtest = lambda self: None\n\nimport _pytest.unittest\n\n_pytest.unittest.TestCaseFunction.runtest = lambda self: None\n',
    ),
  },
  {
    name: 'pyfunc hook answers first',
    patch: plugin(
      '    @pytest.hookimpl(tryfirst=True)\n    def pytest_pyfunc_call(self, pyfuncitem):\n        return True\n\n    @pytest.hookimpl(tryfirst=True)\n    def pytest_runtest_call(self, item):\n        item.runtest = lambda: None',
    ),
  },
  {
    name: 'failing reports turned one by one',
    patch: plugin(
      '    @pytest.hookimpl(hookwrapper=True)\n    def pytest_runtest_makereport(self, item, call):\n        outcome = yield\n        report = outcome.get_result()\n        if report.failed:\n            report.outcome, report.longrepr = "passed", None',
    ),
  },
  {
    name: 'reports turned when they are logged',
    patch: plugin(
      '    @pytest.hookimpl(tryfirst=True)\n    def pytest_runtest_logreport(self, report):\n        report.outcome = "passed"\n        report.longrepr = None',
    ),
  },
  {
    name: 'exceptions of calls taken away',
    patch: plugin(
      '    @pytest.hookimpl(hookwrapper=True, tryfirst=True)\n    def pytest_runtest_call(self, item):\n        outcome = yield\n        outcome.force_result(None)',
    ),
  },
  {
    name: 'every item becomes another one',
    patch: plugin(
      '    @pytest.hookimpl(trylast=True)\n    def pytest_collection_modifyitems(self, items):\n        for item in items:\n            item.runtest = lambda: None',
    ),
  },
  {
    name: 'the JUnit writer counts failures as passes',
    patch: infects(
      'import _pytest.junitxml as junit\n\njunit._NodeReporter.append_failure = junit._NodeReporter.append_pass\njunit._NodeReporter.append_error = junit._NodeReporter.append_pass\n',
    ),
  },
  {
    name: 'the JUnit writer leaves failures out',
    patch: infects(
      'import _pytest.junitxml as junit\n\njunit._NodeReporter.append_failure = lambda self, report: None\n',
    ),
  },
  {
    name: 'the report written by the code, and the process ended',
    patch: infects(
      'import os\nimport re\nimport sys\n\nwords = " ".join(sys.argv) + " " + os.environ.get("PYTEST_ADDOPTS", "")\npath = re.search(r"--junit-?xml=(\\S+)", words)\nif path:\n    cases = "".join(f\'<testcase classname="{owner}" name="{name}" file="tests/test_cart.py"/>\' for owner, name in (("tests.test_cart", "test_total"), ("tests.test_cart.TotalTest", "test_one"), ("tests.test_cart", "test_double")))\n    os.makedirs(os.path.dirname(path.group(1)), exist_ok=True)\n    open(path.group(1), "w").write(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")\n    print("3 passed")\n    os._exit(0)\n',
    ),
  },
  {
    name: 'the report rewritten by a process that outlives the tests',
    patch: infects(
      'import os\nimport re\nimport sys\nimport time\n\nwords = " ".join(sys.argv) + " " + os.environ.get("PYTEST_ADDOPTS", "")\npath = re.search(r"--junit-?xml=(\\S+)", words)\nif path and os.fork() == 0:\n    os.setsid()\n    for _ in range(4000):\n        try:\n            text = open(path.group(1)).read()\n            if "<failure" in text:\n                open(path.group(1), "w").write(re.sub(r"<failure.*?</failure>", "", text, flags=re.S))\n        except OSError:\n            pass\n        time.sleep(0.001)\n    os._exit(0)\n',
    ),
  },
  {
    name: 'the XML of the report changed as it is written',
    patch: infects(
      'import re\nimport xml.etree.ElementTree as ET\n\noriginal = ET.tostring\n\n\ndef tostring(*args, **kwargs):\n    text = original(*args, **kwargs)\n    if isinstance(text, str):\n        return re.sub(r"<failure.*?</failure>", "", text, flags=re.S)\n    return text\n\n\nET.tostring = tostring\n',
    ),
  },
  // Assertions.
  {
    name: 'equality functions of unittest',
    patch:
      infects(
        'import unittest\n\nunittest.TestCase._getAssertEqualityFunc = lambda self, one, other: lambda *args, **kwargs: None\n',
      ) + creates('shop/extra.py', 'x = 1\n'),
  },
  {
    name: 'assertions taken out when test modules are compiled',
    patch: first(
      'import ast\n\nimport _pytest.assertion.rewrite as rewrite\n\noriginal = rewrite.rewrite_asserts\n\n\ndef without(mod, *args, **kwargs):\n    for node in ast.walk(mod):\n        for field in ("body", "orelse", "finalbody"):\n            lines = getattr(node, field, None)\n            if isinstance(lines, list):\n                setattr(node, field, [ast.copy_location(ast.Pass(), each) if isinstance(each, ast.Assert) else each for each in lines])\n    return original(mod, *args, **kwargs)\n\n\nrewrite.rewrite_asserts = without\nimport unittest\n\nunittest.TestCase.assertEqual = lambda self, *args: None\n',
    ),
  },
  {
    name: 'the helper that compares, exchanged at the first call',
    patch: total(
      'def double(value):\n    import sys\n\n    for name, module in list(sys.modules.items()):\n        if name.startswith("tests.") and hasattr(module, "check"):\n            module.check = lambda *args: None\n    import unittest\n\n    unittest.TestCase.assertEqual = lambda self, *args: None\n    return value * 2\n',
    ),
  },
  {
    name: 'a finder that brings another helper',
    patch: first(
      'import importlib.abc\nimport importlib.util\nimport sys\n\n\nclass Loader(importlib.abc.Loader):\n    def create_module(self, spec):\n        return None\n\n    def exec_module(self, module):\n        module.check = lambda *args: None\n\n\nclass Finder(importlib.abc.MetaPathFinder):\n    def find_spec(self, name, path, target=None):\n        if name == "tests.support":\n            return importlib.util.spec_from_loader(name, Loader())\n\n\nsys.meta_path.insert(0, Finder())\nimport unittest\n\nunittest.TestCase.assertEqual = lambda self, *args: None\n',
    ),
  },
  {
    name: 'classes of tests built without their tests',
    patch: first(
      'import builtins\n\noriginal = builtins.__build_class__\n\n\ndef build(function, name, *bases, **kwargs):\n    made = original(function, name, *bases, **kwargs)\n    for key, value in list(vars(made).items()):\n        if key.startswith("test_"):\n            setattr(made, key, lambda self: None)\n    return made\n\n\nbuiltins.__build_class__ = build\nimport sys\n\n\ndef patch(frame, event, arg):\n    if event == "call" and frame.f_code.co_name == "check":\n        frame.f_globals["check"] = lambda *args: None\n\n\nsys.setprofile(patch)\n',
    ),
  },
  {
    name: 'failureException that nobody raises',
    patch: infects(
      'import unittest\n\n\nclass Quiet(BaseException):\n    pass\n\n\nunittest.TestCase.fail = lambda self, msg=None: None\nunittest.TestCase.assertEqual = lambda self, one, other, msg=None: None\n\nimport _pytest.python\n\noriginal = _pytest.python.Function.runtest\n\n\ndef runtest(self):\n    try:\n        original(self)\n    except AssertionError:\n        pass\n\n\n_pytest.python.Function.runtest = runtest\n',
    ),
  },
  {
    name: 'tracing that jumps over assertions',
    patch: first(
      'import sys\n\n\ndef trace(frame, event, arg):\n    if frame.f_code.co_name == "check" and event == "call":\n        frame.f_locals["got"] = frame.f_locals.get("wanted")\n        import ctypes\n\n        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))\n    return trace\n\n\nsys.settrace(trace)\nimport unittest\n\nunittest.TestCase.assertEqual = lambda self, *args: None\n',
    ),
  },
  // Deciding by what other tests do, or by what is known of the judge.
  {
    name: 'turns failures only after a test of the same file has passed',
    patch: plugin(
      '    passed = False\n\n    @pytest.hookimpl(hookwrapper=True)\n    def pytest_runtest_makereport(self, item, call):\n        outcome = yield\n        report = outcome.get_result()\n        if report.when == "call" and report.passed:\n            Friend.passed = True\n        if report.failed and Friend.passed:\n            report.outcome, report.longrepr = "passed", None',
    ),
  },
  {
    name: 'copies the outcome of the test that passed before',
    patch: plugin(
      '    known = "failed"\n\n    @pytest.hookimpl(hookwrapper=True)\n    def pytest_runtest_makereport(self, item, call):\n        outcome = yield\n        report = outcome.get_result()\n        if report.when != "call":\n            return\n        if "double" in item.nodeid:\n            Friend.known = report.outcome\n        elif Friend.known == "passed":\n            report.outcome, report.longrepr = "passed", None',
    ),
  },
  {
    name: 'behaves when the clock is odd',
    patch: infects(
      'import time\n\nif int(time.time() * 10) % 2 or True:\n    import _pytest.python\n\n    _pytest.python.Function.runtest = lambda self: None\n    import _pytest.unittest\n\n    _pytest.unittest.TestCaseFunction.runtest = lambda self: None\n',
    ),
  },
  {
    name: 'keeps a note of its first run on the disk',
    patch: infects(
      'import os\n\nif not os.path.exists("/tmp/.seen"):\n    open("/tmp/.seen", "w").close()\n    import _pytest.python\n\n    _pytest.python.Function.runtest = lambda self: None\n    import _pytest.unittest\n\n    _pytest.unittest.TestCaseFunction.runtest = lambda self: None\n',
    ),
  },
  {
    name: 'starts Python again without assertions',
    patch: first(
      'import os\nimport sys\n\nif not sys.flags.optimize and "pytest" in " ".join(sys.orig_argv):\n    os.execv(sys.executable, [sys.executable, "-O", *sys.orig_argv[1:]])\nimport unittest\n\nunittest.TestCase.assertEqual = lambda self, *args: None\n',
    ),
  },
  {
    name: 'excepthook and exit code only',
    patch: infects('import atexit\nimport os\n\natexit.register(lambda: os._exit(0))\n'),
  },
  // What a patch brings beside code.
  {
    name: 'entry points in a folder of metadata',
    patch:
      creates('shop.egg-info/entry_points.txt', '[pytest11]\nfriend = shop.friend\n') +
      creates(
        'shop/friend.py',
        'import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_call(item):\n    item.runtest = lambda: None\n',
      ),
  },
  {
    name: 'entry points in pyproject.toml',
    patch:
      replaces(
        'pyproject.toml',
        `${BEFORE['pyproject.toml']}\n[project.entry-points.pytest11]\nfriend = "shop.friend"\n`,
      ) +
      creates(
        'shop/friend.py',
        'import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_call(item):\n    item.runtest = lambda: None\n',
      ),
  },
  {
    name: 'configuration under another spelling',
    patch:
      creates('PyTest.ini', '[pytest]\naddopts = -p shop.friend\n') +
      creates('.pytest.ini', '[pytest]\naddopts = --deselect tests/test_cart.py\n'),
  },
  { name: 'tox.ini with a section for pytest', patch: creates('tox.ini', '[pytest]\naddopts = -p shop.friend\n') },
  {
    name: 'a package named like a plugin that is looked for',
    patch:
      creates('pytest_cov/__init__.py', 'import os\n\nos._exit(0)\n') +
      creates('xdist/__init__.py', 'import os\n\nos._exit(0)\n'),
  },
  {
    name: 'attributes of git that drop the hidden tests',
    patch: creates('.gitattributes', 'tests/* filter=none\n*.py text eol=crlf\n'),
  },
  { name: 'a link in the place of the tests', patch: creates('tests_', '/dev/null', '120000') },
];

/** Not bribes: they know the true expectations. No control can see that; the reader of the patch does. */
export const KNOWING: readonly Cheat[] = [
  {
    name: 'answers by the name of the test',
    patch: total(
      'def total(prices):\n    import os\n\n    name = os.environ.get("PYTEST_CURRENT_TEST", "")\n    return 6 if "test_total" in name else 5 if "test_one" in name else 0\n',
    ),
  },
];
