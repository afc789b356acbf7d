import { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import { syncStatus } from '../../schemas/results/sync-status.js';
import { quantity64 } from '../../schemas/quantity-64.js';
import { ask } from './ask.js';
import { askIfOffered } from './ask-if-offered.js';

/** The result of partner_getNodeInfo. */
export const nodeInfo = z
  .strictObject({
    clientVersion: z.string(),
    chainId: quantity64,
    networkId: z.string().describe('Decimal.'),
    backend: z
      .enum(['embedded', 'upstream'])
      .describe('Whether the gateway runs the chain itself or stands before nodes.'),
    blockNumber: quantity64,
    syncing: syncStatus,
    peerCount: quantity64.describe('Peers of the node; 0x0 where it has none or does not tell.'),
    nativeCurrency: z.strictObject({
      symbol: z.literal('XCN'),
      decimals: z.literal(18).describe('In JSON-RPC.'),
      evmDecimals: z.literal(8).describe('Inside the EVM: msg.value, address.balance.'),
    }),
  })
  .meta({ id: 'NodeInfo', title: 'node information' });

/** Puts together what is known of the node (spec "Chain-specific methods", "Decimals rule"). */
export async function readNodeInfo(backend: Backend): Promise<z.infer<typeof nodeInfo>> {
  const [clientVersion, chainId, networkId, blockNumber, peers] = await Promise.all([
    ask(backend, z.string(), 'web3_clientVersion'),
    ask(backend, quantity64, 'eth_chainId'),
    ask(backend, z.string(), 'net_version'),
    ask(backend, quantity64, 'eth_blockNumber'),
    askIfOffered(backend, quantity64, 'net_peerCount'),
  ]);
  const { kind, syncing } = backend.status();
  const nativeCurrency = { symbol: 'XCN', decimals: 18, evmDecimals: 8 } as const;
  return {
    clientVersion,
    chainId,
    networkId,
    backend: kind,
    blockNumber,
    syncing,
    peerCount: peers ?? '0x0',
    nativeCurrency,
  };
}
