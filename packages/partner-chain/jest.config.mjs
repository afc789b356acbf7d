import preset, { leaveToRest } from '../../jest.preset.mjs';

const rest = ['test/partner-chain.test.ts'];

export default { ...preset, ...leaveToRest(rest) };
