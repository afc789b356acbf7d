import { ponder } from 'ponder:registry';
import { deposit } from 'ponder:schema';

ponder.on('BridgeLock:Deposit', async ({ event, context }) => {
  const { depositId, token, sender, recipient, amount, nonce } = event.args;
  await context.db.insert(deposit).values({
    id: depositId,
    token,
    sender,
    recipient,
    amount,
    nonce,
    blockNumber: event.block.number,
    transactionHash: event.transaction.hash,
    logIndex: event.log.logIndex,
  });
});
