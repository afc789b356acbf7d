export { default } from '../../jest.postgres.mjs';
