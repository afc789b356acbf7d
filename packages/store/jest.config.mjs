import { leaveToRest } from '../../jest.preset.mjs';
import postgres from '../../jest.postgres.mjs';

const rest = [
  // openssl.
  'test/connection/tls.test.ts',
];

export default { ...postgres, ...leaveToRest(rest) };
