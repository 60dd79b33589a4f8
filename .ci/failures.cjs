/**
 * A jest reporter for build machines, whose logs are often kept only in part: what fails is printed where it fails, and what passes is a
 * line every fifty suites.
 */
const EVERY = 50;

module.exports = class Failures {
  suites = 0;
  tests = 0;

  onTestResult(_test, { failureMessage, testExecError, testFilePath, numPassingTests, numFailingTests }, { numTotalTestSuites }) {
    this.suites += 1;
    this.tests += numPassingTests;
    if (numFailingTests > 0 || testExecError) console.error(`FAIL ${testFilePath}\n${failureMessage ?? testExecError?.message}`);
    else if (this.suites % EVERY === 0) console.error(`▸ ${this.suites} of ${numTotalTestSuites} suites, ${this.tests} tests passed`);
  }
};
