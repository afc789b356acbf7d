import { writeFileSync } from 'node:fs';

/** A Jest reporter that writes the paths of failed test files, one per line, to the file FAILED_FILES. */
export default class FailedFiles {
  onRunComplete(_contexts, { testResults }) {
    const failed = testResults.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError);
    writeFileSync(process.env.FAILED_FILES, failed.map(({ testFilePath }) => `${testFilePath}\n`).join(''));
  }
}
