import type { Side } from '@causeway/protocol';
import type { UnmatchedEvent, WalletCall } from '@causeway/store';
import type { Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { isOriginFinal } from '../pipeline/origin.js';
import { chainById, CommandRefusedError, parseOperationId, type CommandContext } from './command-context.js';

/**
 * `relayer cancel`: has the nonce of a withheld delivery used up for nothing, so that later deliveries do not wait for
 * it. The relayer signs and sends the cancellation. Only prints what it would cancel unless `isConfirmed`.
 *
 * @throws CommandRefusedError
 */
export async function cancelDelivery(
  context: CommandContext,
  operationId: string,
  isConfirmed: boolean,
): Promise<void> {
  const { store, print } = context;
  const call = await findWithheld(context, operationId);
  const { nonce, address, chainId, operationIds } = call;
  const others =
    operationIds.length === 1 ? '' : ` It pays ${operationIds.length} operations; the others are due again.`;
  print(
    `The delivery ${call.transactions.at(-1)?.hash} holds nonce ${nonce} of ${address} on chain ${chainId}.${others}`,
  );
  if (!isConfirmed) return print('Nothing was cancelled. Repeat the command with --send.');
  if (!(await store.journal.cancel(null, call)))
    throw new CommandRefusedError('Meanwhile the delivery ended, or a chain was halted: run the command again');
  print('It is cancelled. The relayer sends a transaction that pays nothing for its nonce, until that is final.');
}

/**
 * `relayer retry`: ends the pause of a delayed operation.
 *
 * @throws CommandRefusedError
 */
export async function retryDelivery({ store, print }: CommandContext, operationId: string): Promise<void> {
  const id = parseOperationId(operationId);
  if (id === null || !(await store.operations.retry(id)))
    throw new CommandRefusedError(`No operation ${operationId} is DELAYED until a time: there is nothing to retry`);
  print('The relayer retries it.');
}

/** `relayer unmatched`: prints payments, deposits, withdrawals and transfers on the chains that match no operation. */
export async function listUnmatched({ store, print }: CommandContext): Promise<void> {
  const { reconcile, audits } = store;
  print('Payments of unknown operations:');
  for (const event of await reconcile.deliveriesWithoutOperation()) print(lineOf(event));
  print('Deposits and withdrawals with the number of another operation, which are never paid automatically:');
  for (const event of await reconcile.beginningsWithoutOperation()) print(lineOf(event));
  print('Transfers to the relayer wallet that pay no intent:');
  for (const transfer of await reconcile.transfersWithoutIntent()) {
    const { txHash, asset, payer, amount, refundId, maybePaidBy } = transfer;
    const paid = maybePaidBy.length === 0 ? '' : `; may have been paid out as ${maybePaidBy.join(' or ')}`;
    print(`  ${txHash} of ${payer}, ${amount} ${asset}, refund ${refundId ?? 'not requested yet'}${paid}`);
  }
  print('Dust: arrivals too small for a refund, which the bridge keeps:');
  for (const { chainId, asset, amount, transfers } of await reconcile.dust())
    print(`  ${amount} ${asset} on chain ${chainId}, in ${transfers} transfers`);
  print('Blocks in which the balance of the wallet is not explained:');
  for (const { chainId, blockNumber, amount, wallet } of await audits.unexplained())
    print(`  ${blockNumber}: ${amount} more than expected, of ${wallet} on chain ${chainId}`);
}

/**
 * `relayer explain`: stores why the balance of the wallet changed in a block.
 *
 * @throws CommandRefusedError
 */
export async function explainDifference(
  { store, chains, print }: CommandContext,
  side: Side,
  block: string,
  explanation: string,
): Promise<void> {
  if (explanation.trim() === '') throw new CommandRefusedError('Give the explanation: it is kept in the books');
  const isNumber = /^\d{1,15}$/.test(block);
  if (!isNumber || !(await store.audits.explain(chains[side].chainId, BigInt(block), explanation)))
    throw new CommandRefusedError(`No difference in block ${block} waits for an explanation: see relayer unmatched`);
  print('Stored.');
}

function lineOf({ name, operationId, chainId, txHash, args }: UnmatchedEvent): string {
  const { token = '', amount = '', recipient = args['destination'] ?? '' } = args;
  return `  ${name} ${operationId} in ${txHash} on chain ${chainId}: ${amount} of ${token} to ${recipient}`;
}

/** Finds the pending call that delivers an operation, if it may be cancelled. */
async function findWithheld(context: CommandContext, operationId: string): Promise<WalletCall> {
  const { store } = context;
  const id = parseOperationId(operationId);
  const operation = id === null ? null : await store.operations.findById(id);
  if (operation === null) throw new CommandRefusedError(`There is no operation ${operationId}`);
  if ((await haltedChains(store))(operation))
    throw new CommandRefusedError('A chain of the operation is halted. Resume it first: relayer resume --help');
  const call = await store.journal.findPending(operation.id);
  if (call === null) throw new CommandRefusedError('The operation has no pending transaction: nothing to cancel');
  if (call.isCancelled)
    throw new CommandRefusedError('It is cancelled already. The relayer sends it until it is final');
  if (await isMined(chainById(context, call.chainId), call))
    throw new CommandRefusedError(`Nonce ${call.nonce} is mined: nothing to cancel`);
  if (await isOriginFinal(chainById(context, operation.originChainId), operation))
    throw new CommandRefusedError('The origin is final, so the delivery is owed: the relayer sends it');
  return call;
}

async function isMined({ connection }: BridgeChain, { address, nonce }: { address: Address; nonce: bigint }) {
  return BigInt(await connection.client.getTransactionCount({ address })) > nonce;
}
