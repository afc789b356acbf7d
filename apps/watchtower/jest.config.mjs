export { default } from '../../jest.preset.mjs';
