import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Runs both benchmarks of this package in turn, with the options of the command.

for (const file of ['api.bench.ts', 'admin.bench.ts']) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { status } = spawnSync(process.execPath, [path, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
