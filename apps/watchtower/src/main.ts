#!/usr/bin/env node
// `watchtower <command>`; without a command, the service. All else is imported dynamically, because on an outdated
// Node.js it would fail to load with a stack trace.
import { nodeVersionProblem } from '@causeway/protocol/node-version';

const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  const { runProgram } = await import('./commands/program.js');
  await runProgram(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
