#!/usr/bin/env node
import { nodeVersionProblem } from './node-version.js';

// Import everything else dynamically, below: it would not load under an old Node.
const problem = nodeVersionProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
const { runCommand } = await import('./control/command.js');
await runCommand();
