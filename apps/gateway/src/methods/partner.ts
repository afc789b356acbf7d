import { BASE_FEE_PER_GAS, FEE_LEVELS, type FeeLevel, GAS_REFERENCES, LAZY_ACCOUNT_GAS } from '@causeway/partner-chain';
import { toHex } from 'viem';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import type { Method } from '../jsonrpc/method.js';
import { address, quantity, quantity64 } from '../schemas/primitives.js';
import { syncStatus } from '../schemas/results.js';
import { defineMethod, forward, request, requestIfOffered } from './forward.js';
import { networkStats, readNetworkStats, RecentBlocks } from './network-stats.js';

const nodeInfo = z
  .strictObject({
    clientVersion: z.string(),
    chainId: quantity64,
    networkId: z.string().describe('Decimal.'),
    backend: z
      .enum(['embedded', 'upstream'])
      .describe('Whether the gateway runs the chain itself or forwards to nodes.'),
    blockNumber: quantity64,
    syncing: syncStatus,
    peerCount: quantity64.describe('Peers of the node; 0x0 if it has none or does not report them.'),
    nativeCurrency: z.strictObject({
      symbol: z.literal('XCN'),
      decimals: z.literal(18).describe('In JSON-RPC.'),
      evmDecimals: z.literal(8).describe('Inside the EVM: msg.value, address.balance.'),
    }),
  })
  .meta({ id: 'NodeInfo', title: 'node information' });

const validators = z
  .array(z.strictObject({ address, active: z.boolean() }))
  .meta({ id: 'Validators', title: 'validators', description: 'The producers of the chain’s blocks.' });

/** The partner chain's own methods (spec "Chain-specific methods"). */
export function partnerMethods(backend: Backend): readonly Method[] {
  const recent = new RecentBlocks(backend);
  return [
    defineMethod({
      name: 'partner_getNodeInfo',
      summary: 'Node information.',
      params: [],
      result: { name: 'nodeInfo', schema: nodeInfo },
      run: () => readNodeInfo(backend),
    }),
    defineMethod({
      name: 'partner_getNetworkStats',
      summary: 'Network statistics of the last blocks.',
      params: [],
      result: { name: 'networkStats', schema: networkStats },
      run: () => readNetworkStats(backend, recent),
    }),
    forward(backend, {
      name: 'partner_getValidators',
      summary: 'Active validators.',
      params: [],
      result: { name: 'validators', schema: validators },
    }),
    defineMethod({
      name: 'partner_getFeeSchedule',
      summary: 'Current fee structure.',
      params: [],
      result: { name: 'feeSchedule', schema: feeSchedule },
      run: () => readFeeSchedule(backend),
    }),
  ];
}

/** Combines the node's answers (spec "Chain-specific methods", "Decimals rule"). */
async function readNodeInfo(backend: Backend): Promise<z.infer<typeof nodeInfo>> {
  const [clientVersion, chainId, networkId, blockNumber, peers] = await Promise.all([
    request(backend, z.string(), 'web3_clientVersion'),
    request(backend, quantity64, 'eth_chainId'),
    request(backend, z.string(), 'net_version'),
    request(backend, quantity64, 'eth_blockNumber'),
    requestIfOffered(backend, quantity64, 'net_peerCount'),
  ]);
  const { kind, syncing } = backend.status();
  const nativeCurrency = { symbol: 'XCN', decimals: 18, evmDecimals: 8 } as const;
  const peerCount = peers ?? '0x0';
  return { clientVersion, chainId, networkId, backend: kind, blockNumber, syncing, peerCount, nativeCurrency };
}

const level = z.strictObject({
  gasPrice: quantity.describe('Wei per unit of gas, including the base fee.'),
  maxPriorityFeePerGas: quantity.describe('The part of gasPrice for the block producer, in wei.'),
  confirmationSeconds: z
    .strictObject({ min: z.number().nonnegative(), max: z.number().nonnegative() })
    .describe('Expected confirmation time of a transaction at this price.'),
});

const feeSchedule = z
  .strictObject({
    baseFeePerGas: quantity.describe('In wei, of the latest block.'),
    levels: z.strictObject({ low: level, standard: level, fast: level, instant: level }),
    gasLimits: z
      .strictObject({
        simpleTransfer: quantity64,
        newAccountTransfer: quantity64,
        erc20Transfer: quantity64,
        contractDeploy: quantity64.describe('This amount or more.'),
        complexInteraction: quantity64.describe('This amount or more.'),
      })
      .describe('Rough guidance; use eth_estimateGas for a specific transaction.'),
  })
  .meta({ id: 'FeeSchedule', title: 'fee schedule' });

const blockWithBaseFee = z.object({ baseFeePerGas: quantity.optional() });

/** The specification's gas references, and the base fee of the latest block. */
async function readFeeSchedule(backend: Backend): Promise<z.infer<typeof feeSchedule>> {
  const latest = await request(backend, blockWithBaseFee, 'eth_getBlockByNumber', ['latest', false]);
  const { low, standard, fast, instant } = FEE_LEVELS;
  return {
    baseFeePerGas: latest.baseFeePerGas ?? toHex(BASE_FEE_PER_GAS),
    levels: { low: toLevel(low), standard: toLevel(standard), fast: toLevel(fast), instant: toLevel(instant) },
    gasLimits: {
      simpleTransfer: toHex(GAS_REFERENCES.simpleTransfer),
      newAccountTransfer: toHex(GAS_REFERENCES.simpleTransfer + (backend.lazyAccountGas ?? LAZY_ACCOUNT_GAS)),
      erc20Transfer: toHex(GAS_REFERENCES.erc20Transfer),
      contractDeploy: toHex(GAS_REFERENCES.contractDeploy),
      complexInteraction: toHex(GAS_REFERENCES.complexInteraction),
    },
  };
}

function toLevel({ gasPrice, maxPriorityFeePerGas, confirmationSeconds }: FeeLevel): z.infer<typeof level> {
  return {
    gasPrice: toHex(gasPrice),
    maxPriorityFeePerGas: toHex(maxPriorityFeePerGas),
    confirmationSeconds: { min: confirmationSeconds.min, max: confirmationSeconds.max },
  };
}
