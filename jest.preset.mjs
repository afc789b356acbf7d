import { availableParallelism } from 'node:os';
import { join } from 'node:path';

// SWC unpacks its binary into a folder, by default one of HOME.
process.env.SWC_NATIVE_BINDING_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/swc');

const FILES = '**/*.test.ts';
/** Set by scripts/test-package.mjs. Without it, as in an editor, all files run. */
const SCOPE = process.env.TEST_SCOPE ?? 'all';
/** Each may hold a pool of 10 of the 100 connections of PostgreSQL, and packages run side by side. */
const MOST_WORKERS = 4;

/** The Jest set-up every package shares: native ES modules, SWC with the decorator metadata that NestJS reads. */
export default {
  testEnvironment: 'node',
  cacheDirectory: join(import.meta.dirname, 'node_modules/.cache/jest'),
  // Real processes, on a machine that may be busy.
  testTimeout: 120_000,
  maxWorkers: Math.min(MOST_WORKERS, Math.max(1, availableParallelism() - 1)),
  roots: ['<rootDir>'],
  testMatch: [FILES],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

/**
 * The files of a package that `test` leaves to `test:rest`: they take more than 15 seconds, or need a program of the
 * system.
 *
 * @param rest globs from the package's folder.
 */
export function leaveToRest(rest) {
  if (SCOPE === 'all') return {};
  const paths = rest.map((path) => `**/${path}`);
  return { testMatch: SCOPE === 'rest' ? paths : [FILES, ...paths.map((path) => `!${path}`)] };
}
