import type { Command } from './command.js';

/** `halts` */
export const listHalts: Command = {
  name: 'halts',
  takes: [],
  switches: {},
  summary: 'Shows the chains that are halted, since when and why.',
  run: async ({ store, say }) => {
    const halts = await store.halts.list();
    if (halts.length === 0) say('No chain is halted.');
    for (const { chainId, since, reason } of halts) say(`${chainId} since ${since.toISOString()}: ${reason}`);
  },
};
