import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command notes its first run there, by default in HOME. */
const NOTES = fileURLToPath(new URL('../node_modules/.cache/prisma', import.meta.url));

// `prisma generate` without a download: it checks that a schema engine exists, but generating does not run it.
execFileSync(
  process.execPath,
  [fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url)), 'generate'],
  {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...process.env,
      HOME: NOTES,
      XDG_CONFIG_HOME: NOTES,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  },
);
