import { laneChain } from '@causeway/chain';
import { formatAmount, type Side } from '@causeway/protocol';
import type { Operation, UnmatchedEvent } from '@causeway/store';
import type { Address } from 'viem';
import { perform, runAction } from './actions.js';
import { CommandRefusedError, parseOperationId, type CommandContext } from './command-context.js';

/**
 * `relayer cancel`: cancels a withheld delivery by an empty transaction with the same nonce, so that later deliveries
 * do not wait for it. The relayer signs and sends that transaction. Without `isConfirmed`, only prints what it would
 * cancel.
 *
 * @throws CommandRefusedError
 */
export async function cancelDelivery(
  context: CommandContext,
  operationId: string,
  isConfirmed: boolean,
): Promise<void> {
  await runAction(
    context,
    { kind: 'CANCEL', operationId: requireOperationId(operationId) },
    'command line',
    isConfirmed,
  );
  if (!isConfirmed) context.print('Nothing was cancelled. Repeat the command with --send.');
}

/**
 * `relayer retry`: ends the pause of a delayed operation.
 *
 * @throws CommandRefusedError
 */
export async function retryDelivery(context: CommandContext, operationId: string): Promise<void> {
  await runAction(context, { kind: 'RETRY', operationId: requireOperationId(operationId) }, 'command line');
}

/** @throws CommandRefusedError */
function requireOperationId(text: string): Operation['id'] {
  const id = parseOperationId(text);
  if (id === null) throw new CommandRefusedError(`There is no operation ${text}`);
  return id;
}

/** `relayer unmatched`: prints payments, deposits, withdrawals and transfers on the chains that match no operation. */
export async function listUnmatched(context: CommandContext): Promise<void> {
  const { store, chains, print } = context;
  const { reconcile, audits } = store;
  print('Payments without a known operation:');
  for (const event of await reconcile.deliveriesWithoutOperation()) print(formatLine(event));
  print('Deposits and withdrawals with the number of another operation (never paid automatically):');
  for (const event of await reconcile.beginningsWithoutOperation()) print(formatLine(event));
  print('Transfers to the relayer wallet that pay no intent:');
  for (const transfer of await reconcile.transfersWithoutIntent()) {
    const { txHash, asset, payer, amount, refundId, maybePaidBy } = transfer;
    const paid = maybePaidBy.length === 0 ? '' : `; may have been paid out as ${maybePaidBy.join(' or ')}`;
    print(
      `  ${txHash} of ${payer}, ${formatAmount(asset, amount)} ${asset}, refund ${refundId ?? 'not requested yet'}${paid}`,
    );
  }
  print('Dust: transfers too small for a refund, which the bridge keeps:');
  for (const { chainId, asset, amount, transfers } of await reconcile.dust())
    print(`  ${formatAmount(asset, amount)} ${asset} on chain ${chainId}, in ${transfers} transfers`);
  print('Blocks with an unexplained change of the wallet balance:');
  for (const { chainId, blockNumber, amount, wallet } of await audits.unexplained())
    print(`  ${blockNumber}: ${amount} more than expected, of ${wallet} on chain ${chainId}`);
  print('Transactions of the wallet on Ethereum that are not in the journal and have no name:');
  const wallet = { chainId: chains.ethereum.chainId, address: getRelayerAddress(context) };
  for (const { nonce, txHash, payment } of await store.unjournaled.unnamed(wallet))
    print(`  nonce ${nonce}, ${txHash}: ${payment?.amount} of ${payment?.token} to ${payment?.recipient}`);
}

/**
 * `relayer explain`: stores why the wallet balance changed in a block.
 *
 * @throws CommandRefusedError
 */
export async function explainDifference(
  context: CommandContext,
  side: Side,
  block: string,
  explanation: string,
): Promise<void> {
  if (explanation.trim() === '') throw new CommandRefusedError('Give an explanation: it is stored for accounting');
  const { store, chains, print } = context;
  const { chainId } = chains[side];
  const isWaiting = (await store.audits.unexplained()).some(
    (difference) => difference.chainId === chainId && difference.blockNumber.toString() === block,
  );
  if (!isWaiting) throw new CommandRefusedError(`Block ${block} has no unexplained difference: see relayer unmatched`);
  const effect = { kind: 'explain', chainId, blockNumber: BigInt(block), explanation } as const;
  await perform(context, effect, { action: 'explain', after: { chainId, blockNumber: block }, reason: explanation });
  print('Stored.');
}

/**
 * `relayer name`: stores which refund a transaction of the wallet on Ethereum paid, or that it paid none. It is for
 * transactions that are not in the journal; refunds that such a transaction may have paid wait for its name.
 *
 * @throws CommandRefusedError
 */
export async function nameTransaction(
  context: CommandContext,
  nonce: string,
  explanation: string,
  refund: string | undefined,
): Promise<void> {
  if (!/^\d{1,15}$/.test(nonce)) throw new CommandRefusedError('Give the nonce of the transaction as a number');
  if (explanation.trim() === '') throw new CommandRefusedError('Give an explanation: it is stored for accounting');
  const refundId = refund === undefined ? null : parseOperationId(refund);
  const found = refundId === null ? null : await context.store.refunds.find(refundId);
  if (refund !== undefined && found === null) throw new CommandRefusedError(`There is no refund ${refund}`);
  const wallet = { chainId: context.chains.ethereum.chainId, address: getRelayerAddress(context) };
  const known = await context.store.unjournaled.find(wallet, BigInt(nonce));
  if (known !== null && known.explanation !== null)
    throw new CommandRefusedError(`The transaction already has a name: ${known.explanation}`);
  const call = await context.store.journal.withNonce(wallet, BigInt(nonce));
  if (call !== null && call.state !== 'TAKEN')
    throw new CommandRefusedError('The call with this nonce is in the journal: it needs no name');
  if (BigInt(nonce) >= (await finalNonce(context, wallet.address)))
    throw new CommandRefusedError('No final transaction has used this nonce');
  if (refundId !== null && (known === null || known.payment === null))
    throw new CommandRefusedError(
      'The relayer has not read a payment with this nonce. If you know that it paid the refund, refuse the refund',
    );
  const name = { wallet, nonce: BigInt(nonce), refundId, explanation };
  const after = { chainId: wallet.chainId, nonce, refundId };
  await perform(context, { kind: 'name-transaction', name }, { action: 'name', after, reason: explanation });
  context.print('Stored.');
}

async function finalNonce({ chains: { ethereum } }: CommandContext, address: Address): Promise<bigint> {
  const finalBlock = (await ethereum.finality.head()) - BigInt(ethereum.confirmations) + 1n;
  return laneChain(ethereum.connection, address).nonceAt(finalBlock);
}

function getRelayerAddress({ configuration }: CommandContext): Address {
  return configuration.addressBook.relayer.toLowerCase() as Address;
}

function formatLine({ name, operationId, chainId, txHash, args }: UnmatchedEvent): string {
  const { token = '', amount = '', recipient = args['destination'] ?? '' } = args;
  return `  ${name} ${operationId} in ${txHash} on chain ${chainId}: ${amount} of ${token} to ${recipient}`;
}
