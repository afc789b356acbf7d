import preset, { leaveToRest } from '../../jest.preset.mjs';

const rest = ['test/faucet.test.ts'];

export default { ...preset, ...leaveToRest(rest) };
