import type { Address, Hex, PublicClient } from 'viem';
import { expectSame } from './expect-same.js';

/** Creation code that leaves msg.value as the code: CALLVALUE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const VALUE_AS_CODE: Hex = '0x345f5260205ff3';
/** The least value that an EVM with 8 decimals can see, in wei of the RPC. */
const PROBE_WEI = 10n ** 10n;

/**
 * Compares the unit in which a chain's EVM counts its coin with what was meant, by asking that EVM: with a wrong one every
 * delivery of native coins would be wrong by a factor of 10^10, or impossible.
 *
 * @param payer an account with some coins; nothing is sent.
 * @throws Error naming both units when they differ.
 */
export async function verifyNativeUnit(client: PublicClient, payer: Address, meant: bigint): Promise<void> {
  const { data } = await client.call({ account: payer, data: VALUE_AS_CODE, value: PROBE_WEI });
  if (data === undefined || BigInt(data) === 0n)
    throw new Error('The chain does not say in which unit it counts coins');
  expectSame('native unit', PROBE_WEI / BigInt(data), meant);
}
