import { bumpFees, estimateFees, signTransaction, type SignedTransactionRecord, type Signer } from '@causeway/chain';
import type { JournalledTransaction } from '@causeway/store';
import { parseTransaction, type Address, type Hex } from 'viem';
import type { BridgeChain } from '../world/bridge-chain.js';

/** A call as it is signed. `value` in wei of the RPC. */
export interface SignedCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
}

/** The call of a journalled transaction. */
export function callOf({ raw, gas, hash }: JournalledTransaction): SignedCall {
  const { to, data = '0x', value = 0n } = parseTransaction(raw);
  if (!to) throw new Error(`Journalled transaction ${hash} calls nobody`);
  return { to, data, value, gas };
}

/**
 * Signs a call in the place of a journalled transaction: under its nonce, with fees for which nodes take it instead.
 *
 * @param cap the most that is ever paid per gas, in wei.
 * @throws FeeCapError when the cap allows no higher fees.
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
