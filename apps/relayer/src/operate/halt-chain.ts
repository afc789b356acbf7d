import type { Command } from './command.js';
import { chainNamed, CommandRefusedError } from './desk.js';

/** `halt` */
export const haltChain: Command = {
  name: 'halt',
  takes: ['chain', 'reason'],
  switches: {},
  summary: 'Halts a chain: nothing is read of it, and nothing done for any operation that touches it.',
  run: async (desk, [name = '', reason = '']) => {
    const { chainId } = chainNamed(desk, name);
    if (reason.trim() === '') throw new CommandRefusedError('Say why: whoever resumes the chain will ask');
    if (!(await desk.store.halts.halt(chainId, reason)))
      throw new CommandRefusedError(`Chain ${chainId} is halted already, or was never read`);
    desk.say(`Chain ${chainId} is halted.`);
  },
};
