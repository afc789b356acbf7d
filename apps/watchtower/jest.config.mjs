import preset, { leaveToRest } from '../../jest.preset.mjs';

export default { ...preset, ...leaveToRest(['test/watch.test.ts']) };
