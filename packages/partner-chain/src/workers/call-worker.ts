import { serveCalls } from './serve-calls.js';

/** The first module of a thread for calls of a program without an API of its own. */
serveCalls(
  ({ options }) =>
    () =>
      Promise.reject(new Error(`The threads of chain ${options.chainId} have no API`)),
);
