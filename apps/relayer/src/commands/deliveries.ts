import {
  broadcast,
  bumpFees,
  estimateFees,
  signTransaction,
  simulate,
  type SignedTransactionRecord,
} from '@causeway/chain';
import type { JournalEntry, UnmatchedEvent } from '@causeway/store';
import type { BridgeChain } from '../bridge-chain.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { isOriginFinal } from '../pipeline/origin.js';
import { findMined } from '../wallet/nonce-use.js';
import { cancellationCall } from '../wallet/replace-transaction.js';
import { chainById, CommandRefusedError, parseOperationId, type CommandContext } from './command-context.js';

/**
 * `relayer cancel`: uses up the nonce of a withheld delivery, so that later deliveries do not wait for it. Only prints
 * the transaction unless `send` is true.
 *
 * @throws CommandRefusedError
 */
export async function cancelDelivery(context: CommandContext, operationId: string, send: boolean): Promise<void> {
  const { signer, print } = context;
  const { chain, entry } = await findWithheld(context, operationId);
  const { client } = chain.connection;
  const call = cancellationCall(signer);
  const cap = context.configuration.maxFeePerGas;
  const fees = bumpFees(entry, await estimateFees(client, cap), cap);
  const simulation = await simulate(client, { from: signer.address, ...call }, []);
  if (simulation.kind !== 'ok') throw new CommandRefusedError(`The cancellation would fail: ${simulation.kind}`);
  print(
    `The delivery ${entry.hash} holds nonce ${entry.nonce} of ${signer.address} on chain ${chain.chainId}. ` +
      `The cancellation sends no value to itself, for at most ${fees.maxFeePerGas * simulation.gas} wei of fees.`,
  );
  if (!send) return print('Nothing was signed or sent. Repeat the command with --send.');
  const terms = { ...fees, nonce: entry.nonce, gas: simulation.gas };
  await storeAndSend(context, chain, entry, await signTransaction(signer, chain.chainId, call, terms));
}

/**
 * `relayer retry`: starts another delivery of an operation in `KEEPS_REVERTING`.
 *
 * @throws CommandRefusedError
 */
export async function retryDelivery({ store, print }: CommandContext, operationId: string): Promise<void> {
  const id = parseOperationId(operationId);
  if (id === null || !(await store.operations.retry(id)))
    throw new CommandRefusedError(`No operation ${operationId} is in KEEPS_REVERTING: there is nothing to retry`);
  print('The relayer retries it.');
}

/** `relayer unmatched`: prints payments, deposits, withdrawals and transfers on the chains that match no operation. */
export async function listUnmatched({ store, print }: CommandContext): Promise<void> {
  const { reconcile } = store;
  print('Payments of unknown operations:');
  for (const event of await reconcile.deliveriesWithoutOperation()) print(lineOf(event));
  print('Deposits and withdrawals with the number of another operation, which are never paid automatically:');
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

/** Finds the pending delivery of an operation, if it may be cancelled. */
async function findWithheld(
  context: CommandContext,
  operationId: string,
): Promise<{ chain: BridgeChain; entry: JournalEntry }> {
  const { store } = context;
  const id = parseOperationId(operationId);
  const operation = id === null ? null : await store.operations.findById(id);
  if (operation === null) throw new CommandRefusedError(`There is no operation ${operationId}`);
  if ((await haltedChains(store))(operation))
    throw new CommandRefusedError('A chain of the operation is halted. Resume it first: relayer resume --help');
  const entry = await store.journal.findPending(operation.id);
  if (entry === null) throw new CommandRefusedError('The operation has no pending transaction: nothing to cancel');
  if (entry.purpose === 'CANCELLATION')
    throw new CommandRefusedError(`${entry.hash} already cancels it. The relayer sends it until it is final`);
  const chain = chainById(context, operation.destinationChainId);
  const mined = await findMined(store, chain.connection.client, entry);
  if (mined !== null) throw new CommandRefusedError(`${mined.hash} is mined: nothing to cancel`);
  if (await isOriginFinal(store, chainById(context, operation.originChainId), operation))
    throw new CommandRefusedError('The origin is final, so the delivery is owed: the relayer sends it');
  return { chain, entry };
}

async function storeAndSend(
  { store, print }: CommandContext,
  chain: BridgeChain,
  entry: JournalEntry,
  signed: SignedTransactionRecord,
): Promise<void> {
  if (!(await store.journal.cancel(entry, signed)))
    throw new CommandRefusedError(
      'Meanwhile the delivery was replaced or concluded, or a chain was halted: run the command again',
    );
  const { kind } = await broadcast(chain.connection.client, signed.raw);
  print(
    `${signed.hash} is stored and sent (${kind}). The relayer sends it again, with higher fees, until it is final.`,
  );
}
