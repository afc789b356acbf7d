import type { Address } from 'viem';
import { bridgeLockAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { ChainName } from './chain-name.js';
import { endsOf } from './ends-of.js';
import { expectChain } from './expect-chain.js';
import type { OperateInput } from './operate-input.js';

/** Who is the relayer now at the ends whose nodes are given. */
export async function readRelayers(
  book: AddressBook,
  clients: OperateInput['clients'],
): Promise<Partial<Record<ChainName, Address>>> {
  const relayers: Partial<Record<ChainName, Address>> = {};
  for (const end of Object.values(endsOf(book))) {
    const client = clients[end.chain];
    if (client === undefined) continue;
    await expectChain(client, end);
    // BridgeMint answers this alike.
    relayers[end.chain] = await client.readContract({ address: end.to, abi: bridgeLockAbi, functionName: 'relayer' });
  }
  return relayers;
}
