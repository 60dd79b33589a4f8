import { testPathsOf } from '../../../src/setup/repository/documents';
import { oddNames } from '../../../src/setup/repository/odd-tests';

const found = (...paths: string[]) => oddNames({ testPaths: testPathsOf(paths) }, { paths, texts: {} });

it.each([
  [['stamp.py', 'test/stamp_unittest.py', 'test/data.py'], 'stamp_unittest.py'],
  [['stamp/__init__.py', 'tests.py'], 'tests.py'],
  [['stamp.py', 'tests/testFrames.py', 'tests/testInk.py'], 'testFrames.py testInk.py'],
  [['stamp.py', 'test/unit_tests.py', 'test/run_tests.py'], 'unit_tests.py'],
])('%j: pytest is told of %s', (paths, names) => {
  expect(found(...paths)).toBe(`--override-ini='python_files=test_*.py *_test.py ${names}'`);
});

it.each([
  [['stamp.py', 'tests/test_stamp.py', 'tests/tests.py']],
  [['stamp.py', 'tests/ink_test.py']],
  [['stamp.py', 'tests/helpers.py', 'tests/testing_tools.py']],
  [['stamp.py', 'tests/run_tests.py', 'tests/test_all.py']],
  [['stamp.py']],
])('%j: as pytest does it', (paths) => {
  expect(found(...paths)).toBeNull();
});
