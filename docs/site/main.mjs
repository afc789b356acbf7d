import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.mjs';
import { installTools } from '../../scripts/tools.mjs';
import { checkSite } from './check.mjs';
import { readContracts, readSdk } from './pages/code.mjs';
import { readGuides } from './pages/guides.mjs';
import { readJsonRpc } from './pages/json-rpc.mjs';
import { readMetrics } from './pages/metrics.mjs';
import { readRest } from './pages/rest.mjs';
import { BASE } from './pages/routes.mjs';
import { writePages } from './pages/write.mjs';

// Usage: node docs/site/main.mjs [--build]. Builds the site of docs/ into docs/site/dist and checks its links. Without
// --build it then serves the site on a free port and opens it.

const { values: flags } = parseArgs({ options: { build: { type: 'boolean' }, help: { type: 'boolean' } } });
if (flags.help === true) {
  console.log(
    'Usage: npx pnpm@12.21.0 run docs [--build]\n\nBuilds the documentation as a site, serves and opens it.\n--build only builds.',
  );
  process.exit(0);
}
const startedAtMs = Date.now();
const require = installTools('docs', import.meta.dirname);
if (!(await build('build', ['@causeway/api', '@causeway/gateway', '@causeway/sdk']))) process.exit(1);
const references = [await readRest(), await readJsonRpc(), readContracts(), readSdk(), readMetrics()];
const texts = new Map([readGuides(), ...references].flatMap((pages) => [...pages]));
const count = writePages(texts);
console.log(`Rendering ${count} pages`);
const astro = join(require.resolve('astro/package.json'), '../bin/astro.mjs');
execFileSync(process.execPath, [astro, 'build', '--silent'], {
  cwd: import.meta.dirname,
  env: { ...process.env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const dist = join(import.meta.dirname, 'dist');
const problems = checkSite(dist, BASE);
for (const problem of problems) console.error(problem);
console.log(`${count} pages in docs/site/dist after ${((Date.now() - startedAtMs) / 1_000).toFixed(0)} s`);
if (problems.length > 0) process.exitCode = 1;
else if (flags.build !== true) {
  // Needs the build of the API.
  const { openBrowser, serveSite } = await import('./serve.mjs');
  const { url } = await serveSite(dist, BASE);
  console.log(`${url} (Ctrl-C ends it)`);
  if (process.stdout.isTTY) openBrowser(url);
}
