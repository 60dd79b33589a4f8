// Required by every Node.js process of a test command that starts its runner behind scripts: the process that is the runner
// is given the arguments for its report. Each has a file of its own, as a script may start several.
const { readFileSync, realpathSync } = require('node:fs');

/** Which file of a package is the runner's program, and commands of it that run no tests. */
const PROGRAMS = {
  jest: { file: /\/(jest|jest-cli)\/bin\/jest\.js$/, other: /^(init)$/ },
  vitest: { file: /\/vitest\/(vitest\.mjs|dist\/cli(-wrapper)?\.js)$/, other: /^(init|bench|list|typecheck)$/ },
  mocha: { file: /\/mocha\/bin\/_?mocha(\.c?js)?$/, other: /^(init)$/ },
};

const { program, words } = JSON.parse(readFileSync(__filename.replace(/\.cjs$/, '.json'), 'utf8'));
const [, script, first] = process.argv;
const { file, other } = PROGRAMS[program];
if (script !== undefined && file.test(real(script)) && !other.test(first ?? '')) {
  const own = words.map((word) => word.replace('PROCESS', String(process.pid)));
  const end = process.argv.indexOf('--');
  process.argv.splice(end < 0 ? process.argv.length : end, 0, ...own);
  // A program may start itself again with other options of Node.js.
  process.env.NODE_OPTIONS = (process.env.NODE_OPTIONS ?? '').replace(`--require=${__filename}`, '').trim();
}

function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
