import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import './check-node.mjs';

// Usage, in a service's folder: node ../../scripts/bundle.mjs [<first module of a thread> ...]
// Packs dist/main.js and the threads' first modules, with the libraries they import, into the few files of dist/bundle.
// A start reads these and not two thousand. See docs/decisions/0033.

/** Packages that stay beside the bundle: native code, and files that are read by their path. */
const BESIDE = ['@prisma/schema-engine-wasm', 'lmdb', 'secp256k1'];

/** Packages that libraries load where they are installed. Here they are not. */
const ABSENT = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
  'pg-native',
  'pino-pretty',
];

// Names of chunks follow their contents: those of the last build would stay.
rmSync('dist/bundle', { recursive: true, force: true });

const { warnings, metafile } = await build({
  metafile: true,
  entryPoints: ['dist/main.js', ...process.argv.slice(2)],
  entryNames: '[name]',
  outdir: 'dist/bundle',
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // A library's CommonJS, imported dynamically, would have no named exports in a bundle.
  mainFields: ['module', 'main'],
  // NestJS and errors show the names of classes.
  keepNames: true,
  external: [...BESIDE, ...ABSENT],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
if (warnings.length > 0) process.exitCode = 1;
writeFileSync('dist/bundle/LICENSES.txt', collectLicences(Object.keys(metafile.inputs)));

/** The licences of the packages in a bundle: most of them demand that their text goes along. */
function collectLicences(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const texts = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const own = readdirSync(folder).filter((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file));
    return [`${name} ${version} (${license})`, ...own.map((file) => readFileSync(join(folder, file), 'utf8'))].join(
      '\n',
    );
  });
  return `${texts.toSorted().join('\n\n')}\n`;
}
