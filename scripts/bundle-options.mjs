/** Packages installed next to a bundle: native code, and files read by their path (docs/decisions/toolchain.md). */
export const BESIDE = ['lmdb', 'secp256k1'];

/** Optional dependencies of libraries that are not installed here. */
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

/** The options of every bundle. */
export const BUNDLE_OPTIONS = {
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // In a bundle, a dynamically imported CommonJS library would have no named exports.
  mainFields: ['module', 'main'],
  // NestJS and errors need class names.
  keepNames: true,
  external: [...BESIDE, ...ABSENT],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
};
