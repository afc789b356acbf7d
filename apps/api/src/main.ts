import { nodeVersionProblem } from '@causeway/protocol/node-version';

// Everything else is imported after the check: an old Node.js cannot load it.
const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  const { run } = await import('./run.js');
  await run(process.argv.slice(2), process.env);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
