import preset, { leaveToRest } from '../../jest.preset.mjs';

const rest = ['test/kills.test.ts', 'test/attester.test.ts'];

export default { ...preset, ...leaveToRest(rest) };
