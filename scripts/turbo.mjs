import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import './check-node.mjs';

// Usage: node scripts/turbo.mjs <arguments of turbo>. The one way in which scripts start turbo: without its telemetry
// and that of the tools it runs. turbo.json passes these variables on to the tasks.

/** The environment of turbo. */
export const environment = {
  ...process.env,
  DO_NOT_TRACK: '1',
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  HARDHAT_DISABLE_TELEMETRY: 'true',
  CHECKPOINT_DISABLE: '1',
};

/** The program of turbo, for Node. */
export const program = createRequire(import.meta.url).resolve('turbo/bin/turbo');

if (import.meta.main) {
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: environment,
  });
  process.exitCode = status ?? 1;
}
