import { writeFileSync } from 'node:fs';

/** A reporter of Jest that writes the paths of the test files that failed, a line each, to the file FAILED_FILES. */
export default class FailedFiles {
  onRunComplete(_contexts, { testResults }) {
    const failed = testResults.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError);
    writeFileSync(process.env.FAILED_FILES, failed.map(({ testFilePath }) => `${testFilePath}\n`).join(''));
  }
}
