import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Prisma command writes state files there instead of in HOME. */
const NOTES = fileURLToPath(new URL('../node_modules/.cache/prisma', import.meta.url));

/** The command imports packages that generating never uses; pnpm-workspace.yaml leaves them out. */
const WITHOUT_ABSENT_PARTS = `import { registerHooks } from 'node:module';
const isAbsent = (name) => /^(@prisma\\/(studio-core|dev)|mysql2|postgres)(\\/|$)/.test(name);
const resolve = (name, context, next) =>
  isAbsent(name) ? { url: 'node:process', format: 'builtin', shortCircuit: true } : next(name, context);
registerHooks({ resolve });`;

// Runs `prisma generate` without a download: it requires a schema engine binary, but never runs it.
execFileSync(
  process.execPath,
  [
    `--import=data:text/javascript,${encodeURIComponent(WITHOUT_ABSENT_PARTS)}`,
    fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url)),
    'generate',
  ],
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

// Writes the migrations as a module, because a bundle has no other files. They are ordered by name.
const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));
const scripts = readdirSync(MIGRATIONS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, script: readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8') }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));
writeFileSync(
  fileURLToPath(new URL('../src/generated/migrations.ts', import.meta.url)),
  `/** The scripts of prisma/migrations, in the order in which they are applied. */
export const SCRIPTS: readonly { readonly name: string; readonly script: string }[] = ${JSON.stringify(scripts, null, 2)};\n`,
);
