import { allowanceAbi, authorizationStateAbi } from '@causeway/protocol/abi';
import { authorizationNonce } from '@causeway/protocol';
import { decodeFunctionResult, encodeFunctionData, isAddressEqual, type Hex } from 'viem';
import { getStatus } from '../api/operation.js';
import { readCall, readNonce, readTransaction } from '../wallet/node.js';
import { pause } from '../pause.js';
import { findStep } from './call.js';
import { choosePollMs, type TransferContext } from './context.js';
import { findOrigin, type Search } from './origin.js';
import type { SendStep, TransferRecord } from '../record/record.js';

/** Polls of the status of an intent that may have been paid. */
const LOOKS_AT_STATUS = 5;

/** Searches for the transaction of a step, of which at most the nonce is known. */
export async function findSent(context: TransferContext, step: SendStep): Promise<Search> {
  // Not needed for an approval: the allowance shows it.
  if (step.what === 'approval') return { hash: null, isComplete: true, looks: [] };
  if (step.what === 'payment') return findPayment(context);
  return findOrigin(context, step);
}

/** Returns whether the allowance of the bridge contract already covers the amount. */
export async function isApproved({ wallet, journal }: TransferContext): Promise<boolean> {
  const { token, contract, amount, sender } = journal.record;
  const data = encodeFunctionData({ abi: allowanceAbi, functionName: 'allowance', args: [sender, contract] });
  const allowance = decodeFunctionResult({
    abi: allowanceAbi,
    functionName: 'allowance',
    data: await readCall(wallet, token, data),
  });
  return allowance >= BigInt(amount);
}

/**
 * Returns whether a step can be resent with any nonce: the user has decided so, or a second transaction cannot be a
 * second transfer, such as an equal approval or a single-use authorization.
 */
export async function isHarmless(context: TransferContext, step: SendStep): Promise<boolean> {
  const { journal, sendsAgain } = context;
  if (sendsAgain || step.what === 'approval') return true;
  return step.what === 'transfer' && hasFreshAuthorization(context, journal.record);
}

/** Returns whether the wallet uses the given nonce of a step and no block has it. */
export async function hasFreshNonce({ wallet }: TransferContext, step: SendStep): Promise<boolean> {
  return wallet.keepsNonce && step.nonce !== undefined && (await readNonce(wallet, 'latest')) <= step.nonce;
}

/** Returns whether the transfer uses an authorization that no block has. */
async function hasFreshAuthorization({ wallet }: TransferContext, record: TransferRecord): Promise<boolean> {
  const signed = findStep(record, 'sign');
  if (signed?.what !== 'authorization') return false;
  const nonce = authorizationNonce(record.recipient, signed.nonce as Hex);
  const abi = authorizationStateAbi;
  const functionName = 'authorizationState';
  const data = encodeFunctionData({ abi, functionName, args: [record.sender, nonce] });
  return !decodeFunctionResult({ abi, functionName, data: await readCall(wallet, record.token, data) });
}

/**
 * Searches for the payment of an intent, which the API names a few seconds after its block. No event on the chain shows
 * it, so the search is complete without one.
 */
async function findPayment(context: TransferContext): Promise<Search> {
  const { intentId } = findStep(context.journal.record, 'register') ?? {};
  if (intentId === undefined) return { hash: null, isComplete: true, looks: [] };
  for (let look = 1; look <= LOOKS_AT_STATUS; look += 1) {
    const hash = await readPayment(context, intentId);
    if (hash !== null) return { hash, isComplete: true, looks: [] };
    await pause(choosePollMs(context), { signal: context.options.signal });
  }
  return { hash: null, isComplete: true, looks: [{ at: `status of intent ${intentId}`, showed: 'no payment' }] };
}

async function readPayment({ bridge, wallet, journal, options }: TransferContext, intentId: Hex): Promise<Hex | null> {
  const { record } = journal;
  const { relayerWallet } = findStep(record, 'register') ?? {};
  const { originTxHash } = await getStatus(bridge, { intentId }, options);
  if (originTxHash === null || relayerWallet === undefined) return null;
  const transaction = await readTransaction(wallet, originTxHash);
  if (transaction === null) return null;
  // A smart account pays inside another account's transaction, which only the API recognizes.
  if (!isAddressEqual(transaction.from, record.sender)) return originTxHash;
  return transaction.to !== null && isAddressEqual(transaction.to, relayerWallet) ? originTxHash : null;
}
