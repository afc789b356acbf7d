import preset, { leaveToRest } from '../../jest.preset.mjs';

const rest = [
  // Redis.
  'test/api-keys.test.ts',
  'test/limits.test.ts',
  'test/api-key-reload.test.ts',
  'test/embedded/development.test.ts',
  'test/clients/**/*.test.ts',
];

// Threads run compiled files.
const moduleNameMapper = {
  '/call-module\\.js$': '<rootDir>/dist/call-module.js',
  ...preset.moduleNameMapper,
};

export default { ...preset, moduleNameMapper, ...leaveToRest(rest) };
