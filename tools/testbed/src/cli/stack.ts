#!/usr/bin/env node
import { nodeVersionProblem } from '@causeway/protocol/node-version';

// Import everything else dynamically, below: it would not load under an old Node.
const problem = nodeVersionProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
const { startStack } = await import('./start-stack.js');
const { DEFAULT_ENVIRONMENT_OPTIONS } = await import('../bridge/options.js');
const relayers = ['relayer-1', 'relayer-2'];
const defaults = { ...DEFAULT_ENVIRONMENT_OPTIONS, firstDeposits: true, relayers, web: true };
await startStack({ name: 'stack', defaults });
