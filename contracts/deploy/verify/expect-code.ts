import type { Address, PublicClient } from 'viem';
import { matchesCode, type CompiledCode } from './matches-code.js';

/**
 * Compares the code at an address with what was compiled.
 *
 * @throws Error naming the contract when it is another.
 */
export async function expectCode(
  client: PublicClient,
  name: string,
  address: Address,
  code: CompiledCode,
): Promise<void> {
  if (matchesCode(await client.getCode({ address }), code)) return;
  throw new Error(`The code of ${name} at ${address} is not what was compiled`);
}
