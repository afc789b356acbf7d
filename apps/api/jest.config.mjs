import { leaveToRest } from '../../jest.preset.mjs';
import postgres from '../../jest.postgres.mjs';

const rest = [
  // Redis.
  'test/server/faults.test.ts',
  'test/server/rates.test.ts',
  // Tools of their own.
  'test/openapi-tools.test.ts',
  'test/server/events.test.ts',
  'test/server/database-faults.test.ts',
  'test/server/node-faults.test.ts',
];

export default { ...postgres, ...leaveToRest(rest) };
