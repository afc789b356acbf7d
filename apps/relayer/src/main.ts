#!/usr/bin/env node
// `relayer <command>`; without a command, the service. The rest is imported dynamically, since a Node.js that is too
// old would fail to load it with a stack trace.
import { nodeVersionProblem } from '@causeway/protocol/node-version';

const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  const { runProgram } = await import('./commands/program.js');
  await runProgram(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
