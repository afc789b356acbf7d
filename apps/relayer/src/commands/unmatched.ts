import type { UnmatchedEvent } from '@causeway/store';
import type { CommandContext } from './command-context.js';

/** `relayer unmatched`: prints payments, deposits, burns and transfers on the chains that match no operation. */
export async function listUnmatched({ store, print }: CommandContext): Promise<void> {
  const { reconcile } = store;
  print('Payments of unknown operations:');
  for (const event of await reconcile.deliveriesWithoutOperation()) print(lineOf(event));
  print('Deposits and burns with the number of another operation, which are never paid automatically:');
  for (const event of await reconcile.beginningsWithoutOperation()) print(lineOf(event));
  print('Transfers to the relayer wallet that pay no intent:');
  for (const { txHash, payer, amount, maybePaidBy } of await reconcile.transfersWithoutIntent()) {
    const paid = maybePaidBy.length === 0 ? '' : `; may have been paid out as ${maybePaidBy.join(' or ')}`;
    print(`  ${txHash} of ${payer}, ${amount}${paid}`);
  }
}

function lineOf({ name, operationId, chainId, txHash, args }: UnmatchedEvent): string {
  const { token = '', amount = '', recipient = args['destination'] ?? '' } = args;
  return `  ${name} ${operationId} in ${txHash} on chain ${chainId}: ${amount} of ${token} to ${recipient}`;
}
