import { type Hex, keccak256 } from 'viem';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import type { Method } from '../jsonrpc/method.js';
import {
  address,
  blockCount,
  blockNumberOrTag,
  data,
  hash,
  percentiles,
  quantity,
  quantity64,
} from '../schemas/primitives.js';
import { feeHistory, syncStatus } from '../schemas/results.js';
import { defineMethod, forward, param } from './forward.js';

/** The chain as a whole, and the price of gas (spec "Standard methods"; EIP-695, EIP-1474, EIP-1559). */
export function chainMethods(backend: Backend): readonly Method[] {
  return [
    forward(backend, {
      name: 'eth_chainId',
      summary: 'Chain ID as hex.',
      params: [],
      result: { name: 'chainId', schema: quantity64 },
      example: { params: [], result: '0x22c5' },
    }),
    forward(backend, {
      name: 'net_version',
      summary: 'Network ID, the chain ID as a decimal string.',
      params: [],
      result: { name: 'networkId', schema: z.string().regex(/^(0|[1-9][0-9]*)$/) },
      example: { params: [], result: '8901' },
    }),
    forward(backend, {
      name: 'eth_blockNumber',
      summary: 'Most recent block number.',
      params: [],
      result: { name: 'blockNumber', schema: quantity64 },
      example: { params: [], result: '0x10d4f' },
    }),
    forward(backend, {
      name: 'eth_syncing',
      summary: 'False, or the progress of the node while it is syncing.',
      params: [],
      result: { name: 'syncStatus', schema: syncStatus },
      example: { params: [], result: false },
    }),
    forward(backend, {
      name: 'web3_clientVersion',
      summary: 'Name and version of the software that runs the chain.',
      params: [],
      result: { name: 'clientVersion', schema: z.string() },
    }),
    defineMethod({
      name: 'eth_accounts',
      summary: 'Accounts the gateway can sign for: none, it holds no keys.',
      params: [],
      result: { name: 'accounts', schema: z.array(address) },
      example: { params: [], result: [] },
      run: async () => [],
    }),
    defineMethod({
      name: 'net_listening',
      summary: 'Whether the gateway accepts calls; always true.',
      params: [],
      result: { name: 'listening', schema: z.boolean() },
      example: { params: [], result: true },
      run: async () => true,
    }),
    forward(backend, {
      name: 'net_peerCount',
      summary: 'Number of peers of the answering node; 0x0 for the embedded chain.',
      params: [],
      result: { name: 'peerCount', schema: quantity64 },
      example: { params: [], result: '0x0' },
    }),
    forward(backend, {
      name: 'eth_mining',
      summary: 'Whether the node mines by proof of work; the embedded chain does not.',
      params: [],
      result: { name: 'mining', schema: z.boolean() },
      example: { params: [], result: false },
    }),
    forward(backend, {
      name: 'eth_hashrate',
      summary: 'Proof-of-work hashes per second; 0x0 for the embedded chain.',
      params: [],
      result: { name: 'hashrate', schema: quantity },
      example: { params: [], result: '0x0' },
    }),
    forward(backend, {
      name: 'eth_coinbase',
      summary: 'The account that receives block fees: the validator.',
      params: [],
      result: { name: 'coinbase', schema: address },
      example: { params: [], result: '0x00000000000000000000000000000000000fee00' },
    }),
    defineMethod({
      name: 'web3_sha3',
      summary: 'Keccak-256 of the given bytes.',
      params: [param('data', data)],
      result: { name: 'hash', schema: hash },
      example: {
        params: ['0x68656c6c6f20776f726c64'],
        result: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
      },
      run: async ([bytes]) => keccak256(bytes as Hex),
    }),
    forward(backend, {
      name: 'eth_gasPrice',
      summary: 'Gas price in wei.',
      params: [],
      result: { name: 'gasPrice', schema: quantity },
      example: { params: [], result: '0x3b9aca00' },
    }),
    forward(backend, {
      name: 'eth_maxPriorityFeePerGas',
      summary: 'Max priority fee per gas in wei.',
      params: [],
      result: { name: 'maxPriorityFeePerGas', schema: quantity },
      example: { params: [], result: '0x1dcd6500' },
    }),
    forward(backend, {
      name: 'eth_blobBaseFee',
      summary: 'Price of blob gas in wei; the minimum 0x1 on a chain without blobs.',
      params: [],
      result: { name: 'blobBaseFee', schema: quantity },
      example: { params: [], result: '0x1' },
    }),
    forward(backend, {
      name: 'eth_feeHistory',
      summary: 'Base fees, gas usage and priority fees of the last blocks.',
      params: [
        param('blockCount', blockCount),
        param('newestBlock', blockNumberOrTag),
        param('rewardPercentiles', percentiles.default([]), 'Default: none.'),
      ],
      result: { name: 'feeHistory', schema: feeHistory },
    }),
  ];
}
