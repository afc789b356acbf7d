#!/usr/bin/env node
import { nodeVersionProblem } from '@causeway/protocol/node-version';

// Checked first: newer syntax or packages would otherwise fail with a stack trace.
const problem = nodeVersionProblem(process.versions.node);
if (problem === null) await import('./cli/program.js');
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
