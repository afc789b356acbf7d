#!/usr/bin/env node
// `attester <command>`, and without a command the service. Everything but this check is imported dynamically: under a
// Node.js that is too old the rest would fail to load with a stack trace.
import { nodeVersionProblem } from '@causeway/protocol/node-version';

const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  const { runProgram } = await import('./commands/program.js');
  await runProgram(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
