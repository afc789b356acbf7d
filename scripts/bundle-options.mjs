/** Packages that stay beside a bundle: native code, and files read by their path (docs/decisions/toolchain.md). */
export const BESIDE = ['lmdb', 'secp256k1'];

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

/** The options of every bundle. */
export const BUNDLE_OPTIONS = {
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
};
