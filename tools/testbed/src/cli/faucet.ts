#!/usr/bin/env node
import { nodeVersionProblem } from '@causeway/protocol/node-version';

// Import everything else dynamically, below: it would not load under an old Node.
const problem = nodeVersionProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
const { runFaucet } = await import('../faucet/run-faucet.js');
await runFaucet(process.argv.slice(2), process.env);
