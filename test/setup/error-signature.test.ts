import { errorSignature, errorSignatures, keyLines } from '../../src/setup/error-signature';

/** Output of real tools, shortened where they are long, and the line that a person would point at. */
const TABLE: readonly (readonly [what: string, output: string, signature: string])[] = [
  [
    'pip, PEP 668',
    'error: externally-managed-environment\n\n× This environment is externally managed\n╰─> To install Python packages system-wide, try apt install\n    python3-xyz, where xyz is the package you are trying to\n    install.\nnote: If you believe this is a mistake, please contact your Python installation or OS distribution provider.\nhint: See PEP 668 for the detailed specification.',
    'error: externally-managed-environment',
  ],
  [
    'pip, build of an sdist',
    '  error: subprocess-exited-with-error\n  × python setup.py egg_info did not run successfully.\n  │ exit code: 1\n  ╰─> [23 lines of output]\n      running egg_info\n      Error: pg_config executable not found.\n\n      pg_config is required to build psycopg2 from source.  Please add the directory\n      [end of output]\n  note: This error originates from a subprocess, and is likely not a problem with pip.\nerror: metadata-generation-failed',
    'Error: pg_config executable not found.',
  ],
  [
    'pip, no compiler',
    "      error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory\n      [end of output]\n  note: This error originates from a subprocess\n  ERROR: Failed building wheel for psycopg2\nERROR: Could not build wheels for psycopg2",
    "error: command 'gcc' failed: No such file or directory",
  ],
  [
    'pip, a version that is not there',
    'Looking in links: /opt/wheels\nERROR: Could not find a version that satisfies the requirement six==99.1 (from versions: 0.9.0, 0.9.1)\nERROR: No matching distribution found for six==99.1',
    'ERROR: Could not find a version that satisfies the requirement six==99.1 (from versions: 0.9.0, 0.9.1)',
  ],
  [
    'pip, what it warns of is not the reason',
    "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\nValueError: invalid mode: 'U'",
    "ValueError: invalid mode: 'U'",
  ],
  [
    'setuptools-scm',
    "          raise LookupError(error_msg)\n      LookupError: setuptools-scm was unable to detect version for /repo.\n      Make sure you're either building from a fully intact git repository or PyPI tarballs.",
    'LookupError: setuptools-scm was unable to detect version for <path>.',
  ],
  [
    'pytest, collection',
    "==================================== ERRORS ====================================\n_________________________ ERROR collecting p/test_a.py _________________________\nImportError while importing test module '/tmp/h/p/test_a.py'.\nHint: make sure your test modules/packages have valid Python names.\nTraceback:\n/usr/lib/python3.11/importlib/__init__.py:126: in import_module\np/test_a.py:1: in <module>\n    import nope_mod\nE   ModuleNotFoundError: No module named 'nope_mod'\n=========================== short test summary info ============================\nERROR p/test_a.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n=============================== 1 error in 0.69s ===============================",
    "ModuleNotFoundError: No module named 'nope_mod'",
  ],
  [
    'pytest, plug-in missing',
    'ERROR: usage: python -m pytest [options] [file_or_dir] [file_or_dir] [...]\npython -m pytest: error: unrecognized arguments: --cov\n  inifile: /repo/setup.cfg\n  rootdir: /repo',
    'python -m pytest: error: unrecognized arguments: --cov',
  ],
  [
    'pytest, internal',
    "INTERNALERROR>     ^^^^^^^^^^^\nINTERNALERROR> ModuleNotFoundError: No module named 'mock'",
    "ModuleNotFoundError: No module named 'mock'",
  ],
  [
    'pytest, a service',
    '>               sock.connect(sa)\nE               ConnectionRefusedError: [Errno 111] Connection refused\n\n/usr/lib/python3.11/socket.py:836: ConnectionRefusedError\nFAILED p/test_b.py::test_a - ConnectionRefusedError: [Errno 111] Connection r...\n============================== 1 failed in 0.15s ===============================',
    'ConnectionRefusedError: [Errno 111] Connection refused',
  ],
  [
    'pytest, counted by uniq',
    '    200 E   ConnectionRefusedError: [Errno 111] Connection refused\n      1 ========== 200 failed, 6 skipped in 61.84s (0:01:01) ===========',
    'ConnectionRefusedError: [Errno 111] Connection refused',
  ],
  [
    'Python, a variable',
    'Traceback (most recent call last):\n  File "/root/w/k.py", line 2, in <module>\n    print(os.environ["DATABASE_URL"])\n          ~~~~~~~~~~^^^^^^^^^^^^^^^^\n  File "<frozen os>", line 679, in __getitem__\nKeyError: \'DATABASE_URL\'',
    "KeyError: 'DATABASE_URL'",
  ],
  [
    'a program of the system',
    "E               graphviz.backend.execute.ExecutableNotFound: failed to execute PosixPath('dot'), make sure the Graphviz executables are on your systems' PATH\n\n/repo/graphviz/backend/execute.py:84: ExecutableNotFound",
    "graphviz.backend.execute.ExecutableNotFound: failed to execute PosixPath('dot'), make sure the Graphviz executables are on your systems' PATH",
  ],
  [
    'Postgres',
    'Failed connection to test db: OperationalError connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: No such file or directory',
    'Failed connection to test db: OperationalError connection to server on socket ".s.PGSQL.5432" failed: No such file or directory',
  ],
  [
    'apt',
    'Reading package lists...\nBuilding dependency tree...\nE: Unable to locate package no-such-package-xyz',
    'E: Unable to locate package no-such-package-xyz',
  ],
  [
    'gcc, header',
    'In file included from a.c:1:\na.c:1:10: fatal error: openssl/ssl.h: No such file or directory\n    1 | #include <openssl/ssl.h>\n      |          ^~~~~~~~~~~~~~~\ncompilation terminated.\nmake: *** [Makefile:2: all] Error 1',
    'a.c: fatal error: openssl/ssl.h: No such file or directory',
  ],
  [
    'ld, symbol',
    "/usr/bin/ld: /tmp/ccJ6PkAh.o: in function `main':\nb.c:(.text+0x5): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status",
    "b.c:(.text+<addr>): undefined reference to 'foo'",
  ],
  [
    'ld, library',
    '/usr/bin/ld: cannot find -lpq: No such file or directory\ncollect2: error: ld returned 1 exit status',
    'ld: cannot find -lpq: No such file or directory',
  ],
  ['make', "make: *** No rule to make target 'test'.  Stop.", "make: *** No rule to make target 'test'. Stop."],
  [
    'pkg-config',
    "Package libxml-2.0 was not found in the pkg-config search path.\nPerhaps you should add the directory containing `libxml-2.0.pc'\nPackage 'libxml-2.0', required by 'virtual:world', not found",
    'Package libxml-2.0 was not found in the pkg-config search path.',
  ],
  ['a shell', 'bash: line 1: npm: command not found', 'npm: command not found'],
  ['another shell', '/bin/sh: 1: npm: not found', 'npm: command not found'],
  [
    'node',
    "node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module 'left-pad'\nRequire stack:\n- /root/w/n/i.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)\n  code: 'MODULE_NOT_FOUND',\nNode.js v18.20.4",
    "Error: Cannot find module 'left-pad'",
  ],
  [
    'npm, script',
    'npm ERR! Missing script: "build"\nnpm ERR! \nnpm ERR! To see a list of scripts, run:\nnpm ERR!   npm run\n\nnpm ERR! A complete log of this run can be found in:\nnpm ERR!     /root/.npm/_logs/2026-11-22T02_58_30_211Z-debug-0.log',
    'Missing script: "build"',
  ],
  [
    'npm, peers',
    'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! \nnpm ERR! While resolving: x@1.0.0\nnpm ERR! Fix the upstream dependency conflict, or retry',
    'ERESOLVE unable to resolve dependency tree',
  ],
  [
    'go, no compiler',
    '# runtime/cgo\ncgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH\nFAIL\tgithub.com/spf13/pflag [build failed]\nFAIL',
    'cgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH',
  ],
  [
    'go, module',
    'm.go:2:8: no required module provides package github.com/spf13/pflag; to add it:\n\tgo get github.com/spf13/pflag',
    'm.go: no required module provides package github.com/spf13/pflag; to add it:',
  ],
  [
    'go, vet',
    '# github.com/spf13/pflag\n./flag_test.go:1221:3: fmt.Println arg list ends with redundant newline\nFAIL\tgithub.com/spf13/pflag [build failed]\nFAIL',
    'flag_test.go: fmt.Println arg list ends with redundant newline',
  ],
  [
    'cargo',
    '   Compiling x v0.1.0 (/root/w/r)\nerror[E0425]: cannot find function `foo` in this scope\n --> src/main.rs:1:30\n\nSome errors have detailed explanations: E0308, E0425.\nFor more information about an error, try `rustc --explain E0308`.\nerror: could not compile `x` due to 2 previous errors',
    "error[E0425]: cannot find function 'foo' in this scope",
  ],
  [
    'cargo, edition',
    'error: failed to parse manifest at `/root/w/r/Cargo.toml`\n\nCaused by:\n  failed to parse the `edition` key\n\nCaused by:\n  this version of Cargo is older than the `2024` edition, and only supports `2015`, `2018`, and `2021` editions.',
    "this version of Cargo is older than the '2024' edition, and only supports '2015', '2018', and '2021' editions.",
  ],
  [
    'maven',
    '[INFO] BUILD FAILURE\n[INFO] Total time:  1.234 s\n[ERROR] COMPILATION ERROR : \n[ERROR] /repo/src/main/java/A.java:[3,17] package org.junit does not exist\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile (default-compile) on project x: Compilation failure\n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.',
    'A.java package org.junit does not exist',
  ],
  [
    'cmake',
    'CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find ZLIB (missing: ZLIB_LIBRARY ZLIB_INCLUDE_DIR)\n-- Configuring incomplete, errors occurred!',
    'CMake Error at FindPackageHandleStandardArgs.cmake (message): Could NOT find ZLIB (missing: ZLIB_LIBRARY ZLIB_INCLUDE_DIR)',
  ],
  [
    'cmake, a configuration file',
    'CMake Error at CMakeLists.txt:5 (find_package):\n  By not providing "FindGTest.cmake" in CMAKE_MODULE_PATH this project has\n  asked CMake to find a package configuration file provided by "GTest", but\n  CMake did not find one.\n',
    'CMake Error at CMakeLists.txt (find_package): By not providing "FindGTest.cmake" in CMAKE_MODULE_PATH this project has',
  ],
  [
    'apt, versions',
    'The following packages have unmet dependencies:\n libssl-dev : Depends: libssl3 (= 3.0.11) but 3.0.15 is to be installed\nE: Unable to correct problems, you have held broken packages.',
    'The following packages have unmet dependencies: libssl-dev : Depends: libssl3 (= 3.0.11) but 3.0.15 is to be installed',
  ],
  [
    'nltk, which draws a frame',
    'E   LookupError: \nE   **********************************************************************\nE     Resource punkt not found.\nE     Please use the NLTK Downloader to obtain the resource:',
    'LookupError: Resource punkt not found.',
  ],
  [
    'pip behind a proxy',
    "WARNING: Retrying (Retry(total=4)) after connection broken by 'SSLError'\nCould not fetch URL https://example.invalid/simple/six/: There was a problem confirming the ssl certificate: [SSL: CERTIFICATE_VERIFY_FAILED] - skipping\nERROR: No matching distribution found for six",
    'Could not fetch URL <url> There was a problem confirming the ssl certificate: [SSL: CERTIFICATE_VERIFY_FAILED] - skipping',
  ],
  ['nothing that looks like an error', 'one\ntwo\nthree\n', 'three'],
  ['nothing', '', ''],
];

test.each(TABLE)('%s', (_, output, signature) => {
  expect(errorSignature(output)).toBe(signature);
});

test('the same failure in another folder, process, second and colour has the same signature', () => {
  const one =
    '2026-11-22T01:02:03Z \u001b[31mE   OSError: cannot open /tmp/pytest-of-root/pytest-0/x.db at 0x7f12ab (pid 12) line 7\u001b[0m';
  const two = '2025-01-02T03:04:05Z E   OSError: cannot open /var/lib/y/x.db at 0x5500ff (pid 99) line 12';
  expect(errorSignature(one)).toBe(errorSignature(two));
  expect(errorSignature(one)).toBe('OSError: cannot open x.db at <addr> (pid <n>) line <n>');
});

test('different failures have different signatures, and versions count unless they are dropped', () => {
  const missing = (name: string) => errorSignature(`ModuleNotFoundError: No module named '${name}'`);
  expect(missing('a')).not.toBe(missing('b'));
  const needs = (version: string, options = {}) =>
    errorSignature(`ERROR: Package 'x' requires a different Python: ${version}`, options);
  expect(needs('3.11.2')).not.toBe(needs('3.12.1'));
  expect(needs('3.11.2', { versions: 'drop' })).toBe(needs('3.12.1', { versions: 'drop' }));
});

test('several reasons are told apart, each once, the decisive ones first', () => {
  const output =
    "E   AssertionError: 1 != 2\nE   ModuleNotFoundError: No module named 'a'\nE   ModuleNotFoundError: No module named 'b'\nE   ModuleNotFoundError: No module named 'a'";
  expect(errorSignatures(output)).toEqual([
    "ModuleNotFoundError: No module named 'a'",
    "ModuleNotFoundError: No module named 'b'",
    'AssertionError: 1 != 2',
  ]);
  expect(keyLines('bash: line 1: pip: command not found')).toEqual(['bash: line 1: pip: command not found']);
});

test('progress that was overwritten is not there, and a long log takes no time to speak of', () => {
  expect(errorSignature('downloading 10%\rdownloading 100%\rerror: checksum differs\n')).toBe(
    'error: checksum differs',
  );
  const log = `${'a/'.repeat(50_000)}\n${'word '.repeat(40_000)}\n${'x'.repeat(200_000)}: error: here\nfatal: at the end`;
  expect(errorSignatures(log)).toContain('fatal: at the end');
});

test.each([
  [
    'error: No solution found when resolving dependencies\n  cause: Because left-pad was not found in the registry',
    'left-pad',
  ],
  [
    '  × No solution found when resolving dependencies:\n  ╰─▶ Because left-pad was not found in the registry',
    'left-pad',
  ],
  ['error: failed to run custom build command for `left-pad v1.0.0`\n\nCaused by:\n  process exited', 'left-pad'],
  ['error: failed to load manifest\nCaused by:\n  no targets in left-pad', 'left-pad'],
])('what a tool gives as the cause is a part of it: %j', (text, word) => {
  expect(errorSignature(text)).toContain(word);
});
