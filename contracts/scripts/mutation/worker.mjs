import hre from 'hardhat';
import { toCoinbase } from './schemata.mjs';

// Runs the Solidity tests of the project in the current folder with one mutant after the other, in one process, so that
// Hardhat starts once. The parent sends { number, testFiles }, and receives { failures }, the tests that failed.

const task = hre.tasks.getTask(['test', 'solidity']);
const profile = hre.config.test.solidity.profiles.default;

process.on('message', (message) => void run(message));

async function run({ number, testFiles }) {
  profile.coinbase = toCoinbase(number);
  const { success, value, error } = await task.run({ testFiles, noCompile: true });
  const { suiteResults } = success ? value : error;
  if (suiteResults.length === 0) throw new Error(`No tests in ${testFiles.join(', ')}`);
  const failures = suiteResults.flatMap(({ id, testResults }) =>
    testResults.filter(({ status }) => status === 'Failure').map(({ name }) => `${id.name}.${name}`),
  );
  if (!success && failures.length === 0) throw new Error('The test runner failed without a failed test');
  process.send({ failures });
}
process.send({ ready: true });
