import { allowsPython } from '../../../src/setup/playbook/ecosystems/python-interpreter';

test.each([
  ['>=3.12', '3.13.5', true],
  ['>=3.12', '3.11.2', false],
  ['<4.0,>=3.12', '3.13.5', true],
  ['>=3.14,<3.15', '3.13.5', false],
  ['>=3.14,<3.15', '3.14.1', true],
  ['<3.11,>=3.7', '3.9.2', true],
  ['<3.11', '3.11.0', false],
  ['<=3.11', '3.11.2', false],
  ['>3.11', '3.11.2', true],
  ['~=3.9', '3.13.5', true],
  ['~=3.9', '4.0.0', false],
  ['~=3.9.2', '3.13.5', false],
  ['==3.12.*', '3.13.5', false],
  ['==3.13.*', '3.13.5', true],
  ['==3.13', '3.13.0', true],
  ['>=3.8, !=3.9.*', '3.9.2', false],
  ['!=3.9.2', '3.9.2', false],
  ['!=3.9.2', '3.9.3', true],
  ['===3.9.2', '3.9.2', true],
  ['', '3.9.2', true],
  ['about 3.9', '3.13.5', true],
])('%s and %s: %s', (range, version, allowed) => {
  expect(allowsPython(range, version)).toBe(allowed);
});
