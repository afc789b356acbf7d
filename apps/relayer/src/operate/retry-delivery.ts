import { isHash, type Hex } from 'viem';
import type { Command } from './command.js';
import { CommandRefusedError } from './desk.js';

/** `retry` */
export const retryDelivery: Command = {
  name: 'retry',
  takes: ['operationId'],
  switches: {},
  summary: 'Has the relayer try once more what it stopped trying since it keeps reverting (KEEPS_REVERTING).',
  run: async ({ store, say }, [given = '']) => {
    if (!isHash(given) || !(await store.operations.retry(given.toLowerCase() as Hex)))
      throw new CommandRefusedError(`No operation ${given} waits for an operator to try it again`);
    say('The relayer tries it once more.');
  },
};
