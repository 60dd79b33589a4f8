import { runLab } from '../../../bench/playbook-lab';
import { inFull } from '../../support/counts';

/** Compiled languages: most of the time is Debian's packages being installed. */
const MINUTES = 60_000;

test(
  'go: the toolchain, a C compiler for cgo, and a module',
  async () => {
    const { success, counts } = await runLab('dir:go', {
      files: {
        'go.mod': 'module host.invalid/stamp\n\ngo 1.17\n',
        'stamp.go':
          'package stamp\n\nimport "net"\n\nfunc Local(host string) bool { return net.ParseIP(host).IsLoopback() }\n',
        'stamp_test.go':
          'package stamp\n\nimport "testing"\n\nfunc TestLocal(t *testing.T) {\n\tif !Local("127.0.0.1") {\n\t\tt.Fatal("no")\n\t}\n}\n',
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { passed: 1, failed: 0 } });
  },
  5 * MINUTES,
);

test(
  'c: a header that is looked up in the archive, and tests by CMake',
  async () => {
    const { success, counts, seen } = await runLab('dir:c', {
      files: {
        'CMakeLists.txt':
          'cmake_minimum_required(VERSION 3.13)\nproject(stamp C)\noption(STAMP_TESTS "Build the tests" OFF)\nif(STAMP_TESTS)\n  enable_testing()\n  add_executable(check check.c)\n  target_link_libraries(check argtable2)\n  add_test(NAME check COMMAND check)\nendif()\n',
        'check.c': '#include <argtable2.h>\nint main(void) { return arg_end(1) == 0; }\n',
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { passed: 1, failed: 0 } });
    expect(seen.some(({ move }) => move.thought.includes('look-the-header-up-in-the-archive:argtable2.h'))).toBe(true);
  },
  5 * MINUTES,
);

inFull(
  'rust: a current toolchain, a crate, unit and documentation tests',
  async () => {
    const { success, counts } = await runLab('dir:rust', {
      files: {
        'Cargo.toml': '[package]\nname = "stamp"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nitoa = "1"\n',
        'src/lib.rs':
          '/// ```\n/// assert_eq!(stamp::text(7), "7");\n/// ```\npub fn text(n: u32) -> String { itoa::Buffer::new().format(n).to_owned() }\n#[test]\nfn counts() { assert_eq!(text(12), "12"); }\n',
      },
    });
    expect({ success, counts }).toMatchObject({ success: true, counts: { passed: 2, failed: 0 } });
  },
  8 * MINUTES,
);
