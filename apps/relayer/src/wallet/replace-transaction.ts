import { bumpFees, estimateFees, signTransaction, type SignedTransactionRecord, type Signer } from '@causeway/chain';
import type { JournalledTransaction } from '@causeway/store';
import { parseTransaction, type Address, type Hex } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

/** A call with its gas limit, ready to be signed. `value` in wei of the RPC. */
export interface SignedCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
}

/** Decodes the call of a journalled transaction. */
export function callOf({ raw, gas, hash }: JournalledTransaction): SignedCall {
  const { to, data = '0x', value = 0n } = parseTransaction(raw);
  if (!to) throw new Error(`Journalled transaction ${hash} has no recipient`);
  return { to, data, value, gas };
}

/** Builds a call that only uses up a nonce: zero value, from the wallet to itself. */
export function cancellationCall(signer: Signer): Omit<SignedCall, 'gas'> {
  return { to: signer.address, data: '0x', value: 0n };
}

/**
 * Signs a replacement of a journalled transaction: the same nonce, with fees high enough that nodes accept it.
 *
 * @param cap maximum wei per gas.
 * @throws FeeCapError when the cap does not allow higher fees.
 */
export async function signReplacement(
  signer: Signer,
  chain: BridgeChain,
  previous: JournalledTransaction,
  call: SignedCall,
  cap: bigint,
): Promise<SignedTransactionRecord> {
  const fees = bumpFees(previous, await estimateFees(chain.connection.client, cap), cap);
  return signTransaction(signer, chain.chainId, call, { ...fees, nonce: previous.nonce, gas: call.gas });
}
