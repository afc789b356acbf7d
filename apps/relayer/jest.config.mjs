import { leaveToRest } from '../../jest.preset.mjs';
import postgres from '../../jest.postgres.mjs';

const rest = [
  // promtool.
  'test/alerts.test.ts',
  'test/simulation/schedules.test.ts',
  'test/takeover.test.ts',
];

export default { ...postgres, ...leaveToRest(rest) };
