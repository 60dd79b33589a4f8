/**
 * A jest reporter for build machines, whose logs are often kept only in part: what fails is printed where it fails and named again at the
 * end, and what passes is a line every fifty suites, and one for each that takes long.
 */
const EVERY = 50;
/** Suites that take longer are named, so that somebody sees where the time goes. */
const LONG_MS = 60_000;

const firstLine = (message = '') => message.trim().split('\n', 1)[0];

module.exports = class Failures {
  suites = 0;
  tests = 0;

  onTestResult(_test, { failureMessage, testExecError, testFilePath, numPassingTests, numFailingTests, perfStats, snapshot }, { numTotalTestSuites }) {
    this.suites += 1;
    this.tests += numPassingTests;
    const took = perfStats.end - perfStats.start;
    if (took > LONG_MS) console.error(`▸ ${Math.round(took / 1000)} s: ${testFilePath}`);
    if (numFailingTests > 0 || testExecError) console.error(`FAIL ${testFilePath}\n${failureMessage ?? testExecError?.message}`);
    else if (snapshot.unchecked > 0) console.error(`FAIL ${testFilePath}\nobsolete snapshots: ${snapshot.uncheckedKeys.join(', ')}`);
    else if (this.suites % EVERY === 0) console.error(`▸ ${this.suites} of ${numTotalTestSuites} suites, ${this.tests} tests passed`);
  }

  onRunComplete(_contexts, { testResults }) {
    for (const { testFilePath, testExecError, testResults: tests } of testResults) {
      if (testExecError) console.error(`✖ ${testFilePath}: ${firstLine(testExecError.message)}`);
      for (const { status, fullName, failureMessages } of tests) {
        if (status === 'failed') console.error(`✖ ${testFilePath}: ${fullName}: ${firstLine(failureMessages[0])}`);
      }
    }
  }
};
