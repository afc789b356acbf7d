import { exec, spawn } from 'node:child_process';

// Checks without services: `npx pnpm@12.21.0 check`. All steps run, even after a failure. Lint runs after the build,
// because type-aware rules read the built declarations.
const STEPS = {
  'build and types': 'node scripts/turbo.mjs run build compile typecheck lint --output-logs=errors-only',
  'compiled contracts': 'node contracts/scripts/generate.mjs --check',
  lint: 'oxlint --deny-warnings',
  format: 'prettier --check --log-level=warn --cache --cache-location=node_modules/.cache/prettier-check .',
  structure: 'node scripts/structure.mjs',
  words: 'node scripts/words.mjs',
  'environment variables': 'node scripts/environment-docs.mjs --check',
  'released migrations': 'node scripts/migrations.mjs',
  'alert rules': 'node scripts/alert-rules.mjs --check',
  dashboards: 'node scripts/dashboards.mjs --check',
  'unused code': 'knip --no-progress --no-config-hints --tsConfig tsconfig.build.json',
};

/** Needs no build, so it runs beside it. */
const BESIDE = 'format';

const beside = new Promise((resolve) => {
  const child = exec(STEPS[BESIDE], (_, stdout, stderr) =>
    resolve({ status: child.exitCode, printed: stdout + stderr }),
  );
});
const run = (command) =>
  new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: 'inherit' });
    child.once('close', (status) => resolve({ status, printed: '' }));
  });

const failed = [];
for (const [name, command] of Object.entries(STEPS)) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const { status, printed } = await (name === BESIDE ? beside : run(command));
  process.stdout.write(printed);
  if (status !== 0) failed.push(name);
  console.log(`${status === 0 ? 'ok' : 'FAILED'} after ${((performance.now() - start) / 1_000).toFixed(1)} s`);
}
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}. Each step prints what to change.`);
process.exitCode = failed.length > 0 ? 1 : 0;
