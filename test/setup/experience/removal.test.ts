import type { AtomName } from '../../../src/contract';
import { renderAtoms } from '../../../src/setup/experience';

const render = (name: AtomName, args: Record<string, unknown>) =>
  renderAtoms([{ name, args }], {
    ...{ python: null, venv: null, packageManager: 'apt', node: null, conda: false, workdir: '/repo' },
  });

test.each([
  'rm -rf /',
  'rm -rf /*',
  "rm -rf '/'",
  'rm -rf "/"',
  'rm -fr -- "/"*',
  'rm --recursive --force //',
  'rm -r -f --no-preserve-root /',
  'sudo rm -rf /.',
  '/bin/rm -rf /tmp/../',
  'cd / && rm -rf *',
  'cd /tmp/.. ; rm -rf ./*',
  '(cd / && rm -rf .)',
  'true || rm -rf /',
  'echo x | rm -rf / ',
  'if true; then rm -rf /; fi',
  "bash -c 'rm -rf /'",
  'echo $(rm -rf /)',
  'find / -delete',
  'find / -type f -delete',
  'cd / && find . -delete',
  'find / -exec rm -rf {} +',
  'find / -xdev | xargs rm -rf',
])('%j removes everything', (cmd) => {
  expect(render('shell', { cmd }).refused).toEqual(['shell: removes everything']);
  expect(render('adjust_command', { cmd }).commands).toEqual([]);
});
test.each([
  'rm -rf /tmp/x',
  'rm -rf /var/lib/apt/lists/*',
  'cd /tmp && rm -rf *',
  'cd / && ls && cd /repo && rm -rf build',
  'rm -rf *',
  'rm -f /x',
  "find / -name '*.pyc' -delete",
  'find . -name __pycache__ -exec rm -rf {} +',
  "echo 'rm -rf /'",
  'rm -rf build; ls /',
])('%j does not', (cmd) => {
  expect(render('shell', { cmd })).toEqual({ commands: [cmd], refused: [] });
});
