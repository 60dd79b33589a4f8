import { MISSING_PROGRAM, missingProgram } from '../../src/setup/missing-program';

it.each([
  ["The 'make' utility is missing from PATH", 'make'],
  ['FileNotFoundError: [Errno 2] "dot" not found in path.', 'dot'],
  ['Error: executable "protoc" was not found', 'protoc'],
  ['OSError: No pandoc was found: either install pandoc and add it\nto your PATH', 'pandoc'],
  ["tesseract is not installed or it's not in your PATH. See README", 'tesseract'],
  ['OSError: Unable to run gpg (gpg) - it may not be available.', 'gpg'],
  ['RuntimeError: Could not find the program `wkhtmltopdf`', 'wkhtmltopdf'],
  ['output:\n      proj executable not found. Please set the PROJ_DIR variable.', 'proj'],
])('%s', (text, program) => {
  expect(missingProgram(MISSING_PROGRAM.exec(text)!)).toBe(program);
});

it.each([
  'AssertionError: No match was found',
  'No match was found, so install something else',
  'KeyError: "width" not found in mapping',
  'Unable to run the tests twice',
  'the executable not found in the list',
  ">       assert 'secret' not in path",
  "    if 'site-packages' not in path:",
  "ValueError: 'id' missing path parameter",
  'LookupError: Could not find program with id 5',
  'could not find binary operator',
  'NotFound: Student program not found',
])('%s: no program', (text) => {
  expect(MISSING_PROGRAM.exec(text)).toBeNull();
});
