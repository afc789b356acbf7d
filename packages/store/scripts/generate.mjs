import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// `prisma generate` without a download: it checks that a schema engine exists, but generating does not run it.
execFileSync(
  process.execPath,
  [fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url)), 'generate'],
  {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  },
);
