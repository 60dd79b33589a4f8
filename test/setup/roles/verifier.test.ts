import { verifier } from '../../../src/setup/roles/verifier';
import { observed, sampleCase, seen } from './sample';

const dossier = { ...sampleCase(), hint: '' };

const KILLED = 'out of memory: the kernel killed a process at the limit of 4096 MiB (memoryMiB of the sandbox)';

/** The verifier's moves over a sample project whose first run of tests ends like this, until it concludes. */
function examined(end: ReturnType<typeof observed>) {
  const looked = seen({ move: 'look' as const, thought: '', command: '' }, 'python\t/venv/bin/python\tpytest\n');
  const first = verifier(dossier, [looked]);
  return { first, next: verifier(dossier, [looked, { move: first, observed: end }]) };
}

test.each([
  ['by the kernel, for its memory', { ...observed(`collected 12 items\n${KILLED}\n`, 137) }, KILLED],
  ['by a signal', observed('', 137), 'killed'],
  ['by its deadline', { ...observed('', null), timedOut: true }, 'deadline'],
])('a run of tests that is ended %s is the reason, not an occasion to find fewer of them', (_, end, why) => {
  const { first, next } = examined(end);
  expect(first).toMatchObject({ move: 'run_tests', command: expect.stringContaining('pytest') });
  expect(next).toMatchObject({ move: 'conclude', success: false, hint: expect.stringContaining(why) });
});

test('pytest that could not begin, where the repository names it, is the reason too', () => {
  const broken = `Error while loading plugin "pytest11".\npluggy._manager.PluginValidationError: Plugin 'mark'\n`;
  const { next } = examined(observed(broken, 3));
  expect(next).toMatchObject({ move: 'conclude', success: false, hint: expect.stringContaining("Plugin 'mark'") });
});

test('a way of running tests that finds none gives room to the next', () => {
  const { next } = examined(observed('no tests ran in 0.01s', 5));
  expect(next).toMatchObject({ move: 'run_tests', command: expect.stringContaining('unittest') });
});

test('tests of a crate that read what its archive lacks are left out, and that is said', () => {
  const crate = {
    ...sampleCase({ 'Cargo.toml': '[package]\nname = "acorn"\n', 'src/lib.rs': '', 'tests/lib.rs': '' }),
    hint: '',
  };
  const looked = seen({ move: 'look' as const, thought: '', command: '' });
  const all = verifier(crate, [looked]);
  const unbuilt = (why: string) =>
    seen(all, `${why}\nerror: could not compile \`acorn\` (test "lib") due to 2 previous errors\n`, 101);
  const missing = "error: couldn't read `tests/../../data/a.toml`: No such file or directory (os error 2)";
  const inside = verifier(crate, [looked, unbuilt(missing)]);
  expect(inside).toMatchObject({ move: 'run_tests', command: expect.stringContaining('--lib --bins') });
  const passed = seen(
    inside,
    'running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
  );
  const told = verifier(crate, [looked, unbuilt(missing), passed]);
  expect(told).toMatchObject({
    move: 'classify',
    failures: [{ class: 'missing_data', why: expect.stringContaining('data/a.toml') }],
  });
  expect(verifier(crate, [looked, unbuilt(missing), passed, seen(told)])).toMatchObject({ success: true });
  expect(verifier(crate, [looked, unbuilt('error: linking with `cc` failed: exit status: 1')])).toMatchObject({
    ...{ move: 'conclude', success: false },
  });
});
