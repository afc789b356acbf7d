import { rmSync } from 'node:fs';
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

const { warnings } = await build({
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
