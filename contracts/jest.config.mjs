import preset from '../jest.preset.mjs';

export default { ...preset, roots: ['<rootDir>/admin', '<rootDir>/deploy', '<rootDir>/test'] };
