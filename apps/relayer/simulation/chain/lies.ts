import { numberToHex, zeroHash, type Address, type Hex } from 'viem';
import { SimulatedBlock } from './blocks.ts';
import type { EmittedLog } from './evm.ts';
import type { Lie } from './simulated-node.ts';
import type { Transaction } from './transactions.ts';

// The false statements that one node can make. It cannot give an invented block the hash of another block.

type Json = Readonly<Record<string, unknown>>;

/** Reports a head that is too high or too low. */
export function otherHead(blocks: number): Lie {
  return ({ method }, honest) =>
    method === 'eth_blockNumber' ? numberToHex(Math.max(0, Number(honest) + blocks)) : honest;
}

/** Reports a wrong balance of an account. In wei; never below zero. */
export function otherBalance(account: Address, difference: bigint): Lie {
  return ({ method, params: [of] }, honest) => {
    if (method !== 'eth_getBalance' || String(of).toLowerCase() !== account) return honest;
    const balance = BigInt(honest as Hex) + difference;
    return numberToHex(balance < 0n ? 0n : balance);
  };
}

/** Changes the result of every call of a contract. */
export function otherReturn(contract: Address, change: (returned: Hex) => Hex): Lie {
  return ({ method, params: [call] }, honest) =>
    method === 'eth_call' && String((call as Json)['to']).toLowerCase() === contract ? change(honest as Hex) : honest;
}

/** Reports successful transactions as failed, and failed ones as successful. */
export const otherReceipts: Lie = ({ method }, honest) => {
  const flipped = (receipt: Json) => ({ ...receipt, status: receipt['status'] === '0x1' ? '0x0' : '0x1' });
  if (honest === null) return honest;
  if (method === 'eth_getTransactionReceipt') return flipped(honest as Json);
  return method === 'eth_getBlockReceipts' ? (honest as readonly Json[]).map(flipped) : honest;
};

/** Adds a log that no contract emitted to every answer of `eth_getLogs` whose range includes the block. */
export function inventedLog(log: EmittedLog, block: SimulatedBlock): Lie {
  return ({ method, params: [filter] }, honest) => {
    if (method !== 'eth_getLogs') return honest;
    const { fromBlock, toBlock } = filter as { readonly fromBlock: Hex; readonly toBlock: Hex };
    if (block.number < Number(fromBlock) || block.number > Number(toBlock)) return honest;
    const place = { blockHash: block.hash, blockNumber: numberToHex(block.number), transactionHash: zeroHash };
    const position = { transactionIndex: '0x0', logIndex: numberToHex(block.logs().length), removed: false };
    const time = { blockTimestamp: numberToHex(block.timestamp) };
    return [...(honest as readonly Json[]), { ...log, ...place, ...position, ...time }];
  };
}

/** Reports other contents of a block. The invented block is valid, so it has another hash. */
export function inventedBlock(invented: SimulatedBlock): Lie {
  return ({ method, params: [at, whole] }, honest) => {
    const isIt = at === invented.hash || at === numberToHex(invented.number);
    if (!isIt) return honest;
    if (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash') return invented.toJson(whole === true);
    return method === 'eth_getBlockReceipts' ? invented.receipts() : honest;
  };
}

/** A valid block that is not on the chain: a transaction with any logs on top of a block of the chain. */
export function forgeBlock(parent: SimulatedBlock, transaction: Transaction, logs: readonly EmittedLog[]) {
  const { baseFeePerGas, gasLimit, timestamp } = parent;
  const outcome = { succeeded: true, output: '0x', gasUsed: 100_000n, effectiveGasPrice: baseFeePerGas } as const;
  const mined = [{ transaction, ...outcome, logs, messages: [] }];
  return new SimulatedBlock({ parent, timestamp: timestamp + 1, baseFeePerGas, gasLimit, branch: 2 ** 32, mined });
}
