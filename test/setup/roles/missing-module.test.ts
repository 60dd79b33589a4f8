import { missingModules } from '../../../src/setup/roles/rules/missing-module';

test.each([
  ["E   ModuleNotFoundError: No module named 'yaml.nodes'", ['yaml.nodes']],
  ['ImportError: No module named yaml.nodes', ['yaml.nodes']],
  ['/usr/bin/python3: No module named pytest', ['pytest']],
  ['No module named yaml.', ['yaml']],
  [
    'Error: Cannot find module \'@scope/part/sub\'\nFailed to resolve import "./lost" from "a.js"',
    ['@scope/part/sub', './lost'],
  ],
  // Short summaries of pytest cut their lines, in the middle of a name too.
  ["No module named 'yaml'\nFAILED t.py::test_a - ModuleNotFoundError: No module named ...", ['yaml']],
  ["No module named 'yaml'\nFAILED t.py::test_a - ModuleNotFoundError: No module named 'ya...", ['yaml']],
  ['FAILED t.py::test_a - ImportError: No module named ya...', []],
])('%s', (report, names) => expect(missingModules(report)).toEqual(names));
