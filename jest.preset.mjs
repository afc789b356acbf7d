import { join } from 'node:path';

// SWC unpacks its binary into a folder, by default one of HOME.
process.env.SWC_NATIVE_BINDING_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/swc');

/** The Jest set-up every package shares: native ES modules, SWC with the decorator metadata that NestJS reads. */
export default {
  testEnvironment: 'node',
  // Real processes, on a machine that may be busy.
  testTimeout: 120_000,
  roots: ['<rootDir>'],
  testMatch: ['**/*.test.ts'],
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
