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

/** Looks at the status of an intent that may have been paid. */
const LOOKS_AT_STATUS = 5;

/** Looks for the transaction of a step, of which at most its nonce is known. */
export async function findSent(context: TransferContext, step: SendStep): Promise<Search> {
  // An approval has no need of it: the allowance says all.
  if (step.what === 'approval') return { hash: null, looks: [] };
  if (step.what === 'payment') return findPayment(context);
  // Sendings of one authorization may have several nonces, of which one is used.
  const isSigned = findStep(context.journal.record, 'sign') !== undefined;
  return findOrigin(context, isSigned ? undefined : step.nonce);
}

/** Whether the contract of the bridge may take the amount already. */
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
 * Whether a step may be sent again with any nonce: the user has decided so, or a second transaction of it cannot be a
 * second transfer, as an approval of the same amount, or an authorization that only one of them can use.
 */
export async function isHarmless(context: TransferContext, step: SendStep): Promise<boolean> {
  const { journal, sendsAgain } = context;
  if (sendsAgain || step.what === 'approval') return true;
  return step.what === 'transfer' && hasFreshAuthorization(context, journal.record);
}

/** Whether the wallet keeps the nonce of a step, and no block has it. */
export async function hasFreshNonce({ wallet }: TransferContext, step: SendStep): Promise<boolean> {
  return wallet.keepsNonce && step.nonce !== undefined && (await readNonce(wallet, 'latest')) <= step.nonce;
}

/** Whether the transfer is by an authorization that no block has. */
async function hasFreshAuthorization({ wallet }: TransferContext, record: TransferRecord): Promise<boolean> {
  const signed = findStep(record, 'sign');
  if (signed?.what !== 'authorization') return false;
  const nonce = authorizationNonce(record.recipient, signed.nonce as Hex);
  const abi = authorizationStateAbi;
  const functionName = 'authorizationState';
  const data = encodeFunctionData({ abi, functionName, args: [record.sender, nonce] });
  return !decodeFunctionResult({ abi, functionName, data: await readCall(wallet, record.token, data) });
}

/** The payment of an intent, which the API names a few seconds after its block. */
async function findPayment(context: TransferContext): Promise<Search> {
  const { intentId } = findStep(context.journal.record, 'register') ?? {};
  if (intentId === undefined) return { hash: null, looks: [] };
  for (let look = 1; look <= LOOKS_AT_STATUS; look += 1) {
    const hash = await readPayment(context, intentId);
    if (hash !== null) return { hash, looks: [] };
    await pause(choosePollMs(context), { signal: context.options.signal });
  }
  return { hash: null, looks: [{ at: `status of intent ${intentId}`, showed: 'no payment' }] };
}

async function readPayment({ bridge, wallet, journal, options }: TransferContext, intentId: Hex): Promise<Hex | null> {
  const { record } = journal;
  const { relayerWallet } = findStep(record, 'register') ?? {};
  const { originTxHash } = await getStatus(bridge, { intentId }, { signal: options.signal });
  if (originTxHash === null || relayerWallet === undefined) return null;
  const transaction = await readTransaction(wallet, originTxHash);
  if (transaction === null) return null;
  // A smart account pays inside a transaction of another account, which only the API can recognize.
  if (!isAddressEqual(transaction.from, record.sender)) return originTxHash;
  return transaction.to !== null && isAddressEqual(transaction.to, relayerWallet) ? originTxHash : null;
}
