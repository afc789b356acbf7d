import { defineChain, type Chain } from 'viem';

/** A chain as viem wants it, known by its id and a node only. */
export function chainOf(id: number, url: string): Chain {
  return defineChain({
    id,
    name: `chain ${id}`,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}
