import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../../scripts/bundle-options.mjs';
import '../../../scripts/check-node.mjs';

// Bundles the library, the command and every process of a stack into dist, so that no private package is needed.

const require = createRequire(import.meta.url);
const compiled = (name) => `dist/compiled/${name}.js`;
const ofPackage = (name, path) => `node_modules/@causeway/${name}/dist/${path}.js`;

/** The oldest Node.js of a stack: src/node-version.ts. */
const TARGET = 'node22.19';
const PROGRAMS = {
  cli: compiled('cli'),
  relayer: ofPackage('relayer', 'main'),
  api: ofPackage('api', 'main'),
  attester: ofPackage('attester', 'main'),
  watchtower: ofPackage('watchtower', 'main'),
  gateway: 'scripts/gateway.mjs',
  'engine-worker': ofPackage('partner-chain', 'workers/engine-worker'),
  'call-worker': ofPackage('gateway', 'call-worker'),
  'anvil-process': ofPackage('testbed', 'processes/anvil'),
  'attester-nodes': ofPackage('testbed', 'processes/attester-nodes'),
  'postgres-process': ofPackage('test-kit', 'postgres-process'),
  faucet: ofPackage('testbed', 'cli/faucet'),
};
/** Replaces paths that the code resolves by package name with paths beside the bundle. */
const PLACES = {
  '@causeway/relayer/main': './relayer.js',
  '@causeway/api/main': './api.js',
  '@causeway/attester/main': './attester.js',
  '@causeway/watchtower/main': './watchtower.js',
  '@causeway/gateway/main': './gateway.js',
  '@causeway/gateway/package.json': '../package.json',
  '@causeway/testbed/anvil-process': './anvil-process.js',
  '@causeway/testbed/attester-nodes': './attester-nodes.js',
  '@causeway/test-kit/postgres-process': './postgres-process.js',
  '@causeway/testbed/faucet': './faucet.js',
  '@causeway/admin/index.html': './console/index.html',
  '@causeway/web/index.html': './web/index.html',
  'swagger-ui-dist/swagger-ui.css': './reference/swagger-ui.css',
  'swagger-ui-dist/swagger-ui-bundle.js': './reference/swagger-ui-bundle.js',
};
/** The modules with the public declarations, which import only each other. */
const DECLARATIONS = ['stack', 'client', 'fixture', 'index', 'start-stack'];

for (const name of readdirSync('dist')) if (name !== 'compiled') rmSync(`dist/${name}`, { recursive: true });
await packPrograms();
await packLibrary();
copyFiles();
copyDeclarations();

async function packPrograms() {
  const { outputFiles, warnings } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: PROGRAMS,
    outdir: 'dist',
    alias: { '@causeway/protocol/node-version': `./${compiled('node-version')}` },
    target: TARGET,
    write: false,
  });
  if (warnings.length > 0) process.exitCode = 1;
  for (const { path, text } of outputFiles) {
    const placed = text.replace(/(?<=\()"((?:@causeway|swagger-ui-dist)\/[^"]+)"(?=\))/g, (whole, name) =>
      PLACES[name] === undefined ? whole : JSON.stringify(PLACES[name]),
    );
    const [missing] = /(?:require|resolve|import\.meta\.url\))[\w.]*\("@causeway\/[^"]+"/.exec(placed) ?? [];
    if (missing !== undefined) throw new Error(`${basename(path)} has ${missing}: name its place in bundle.mjs`);
    writeFileSync(path, placed);
  }
}

/** The library has no dependency. It is also built as CommonJS, for tests that need it. */
async function packLibrary() {
  const library = { entryPoints: [compiled('index')], bundle: true, platform: 'node', target: TARGET };
  await build({ ...library, format: 'esm', outfile: 'dist/index.js' });
  await build({
    ...library,
    format: 'cjs',
    outfile: 'dist/index.cjs',
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
}

function copyFiles() {
  const isShown = (path) => !basename(path).startsWith('.');
  cpSync('node_modules/@causeway/admin/dist', 'dist/console', { recursive: true, filter: isShown });
  cpSync('node_modules/@causeway/web/dist', 'dist/web', { recursive: true, filter: isShown });
  const reference = dirname(require.resolve('swagger-ui-dist/swagger-ui.css'));
  mkdirSync('dist/reference');
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    cpSync(join(reference, name), `dist/reference/${name}`);
  }
}

function copyDeclarations() {
  for (const name of DECLARATIONS) {
    const text = readFileSync(`dist/compiled/${name}.d.ts`, 'utf8');
    writeFileSync(`dist/${name}.d.ts`, text);
    writeFileSync(`dist/${name}.d.cts`, text.replaceAll(/'(\.\/[\w-]+)\.js'/g, "'$1.cjs'"));
  }
}
