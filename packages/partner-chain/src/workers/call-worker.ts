import { serveCalls } from './serve-calls.js';

/** Entry module of a call thread for a program without its own API. */
serveCalls(
  ({ options }) =>
    () =>
      Promise.reject(new Error(`The threads of chain ${options.chainId} have no API`)),
);
