import type { UnmatchedEvent } from '@causeway/store';
import type { Command } from './command.js';

/** `unmatched` */
export const listUnmatched: Command = {
  name: 'unmatched',
  takes: [],
  switches: {},
  summary: 'Shows payments, deposits, burns and transfers on the chains that fit no operation. Before any refund.',
  run: async ({ store, say }) => {
    const { reconcile } = store;
    say('Payments of operations that are not known:');
    for (const event of await reconcile.deliveriesWithoutOperation()) say(lineOf(event));
    say('Deposits and burns that took the number of another operation, which nothing pays:');
    for (const event of await reconcile.beginningsWithoutOperation()) say(lineOf(event));
    say('Transfers to the relayer wallet that pay no intent:');
    for (const { txHash, payer, amount, maybePaidBy } of await reconcile.transfersWithoutIntent()) {
      const paid = maybePaidBy.length === 0 ? '' : `; may have been paid out as ${maybePaidBy.join(' or ')}`;
      say(`  ${txHash} of ${payer}, ${amount}${paid}`);
    }
  },
};

function lineOf({ name, operationId, chainId, txHash, args }: UnmatchedEvent): string {
  const { token = '', amount = '', recipient = args['destination'] ?? '' } = args;
  return `  ${name} ${operationId} in ${txHash} on chain ${chainId}: ${amount} of ${token} to ${recipient}`;
}
