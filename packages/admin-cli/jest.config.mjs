import preset, { leaveToRest } from '../../jest.preset.mjs';

export default { ...preset, ...leaveToRest(['test/commands.test.ts']) };
