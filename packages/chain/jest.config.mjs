import preset, { leaveToRest } from '../../jest.preset.mjs';

const rest = ['test/large-blocks.test.ts'];

export default { ...preset, ...leaveToRest(rest) };
