import preset from '../jest.preset.mjs';

export default { ...preset, roots: ['<rootDir>/admin', '<rootDir>/cli', '<rootDir>/deploy', '<rootDir>/test'] };
