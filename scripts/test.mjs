import { spawn } from 'node:child_process';
import { once } from 'node:events';

// All tests: `npx pnpm@12.21.0 test`. Those of the whole bridge take the longest and mostly wait for blocks. So they
// start first, beside the packages' own tests.
const STEPS = [['run build'], ['run test --filter=@causeway/e2e', 'run test --filter=!@causeway/e2e --concurrency=2']];

let failed = false;
for (const step of STEPS) {
  if (failed) break;
  const runs = step.map((command) =>
    once(spawn('turbo', [...command.split(' '), '--output-logs=new-only'], { stdio: 'inherit' }), 'exit'),
  );
  failed = (await Promise.all(runs)).some(([code]) => code !== 0);
}
process.exitCode = failed ? 1 : 0;
