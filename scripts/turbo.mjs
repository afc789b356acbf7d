import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import './check-node.mjs';

// Usage: node scripts/turbo.mjs <arguments of turbo>. All scripts start turbo through this file, without its telemetry
// and that of its tools. turbo.json passes these variables on to the tasks.

/** The environment of turbo. */
export const environment = {
  ...process.env,
  DO_NOT_TRACK: '1',
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  HARDHAT_DISABLE_TELEMETRY: 'true',
  CHECKPOINT_DISABLE: '1',
};

/** Path of turbo's program for Node. */
export const program = createRequire(import.meta.url).resolve('turbo/bin/turbo');

if (import.meta.main) {
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: environment,
  });
  process.exitCode = status ?? 1;
}
