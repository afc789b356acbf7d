import { setLengthLeft, type Address } from '@ethereumjs/util';
import { keccak256 } from '../hash/keccak256.js';
import { ChainError } from '../errors/chain-error.js';
import { ExecutionFault } from '../errors/execution-fault.js';
import type { BlockEnvironment } from '../execution/block-environment.js';
import { effectiveGasPrice } from '../execution/effective-gas-price.js';
import { executeTransaction } from '../execution/execute-transaction.js';
import type { Machine } from '../execution/machine.js';
import { BASE_FEE_PER_GAS } from '../fees/fee-schedule.js';
import { logsBloom } from '../logs/logs-bloom.js';
import type { Mempool } from '../mempool/mempool.js';
import { StateAtBlock } from '../state/state-reader.js';
import { commitState } from '../state/state-trie.js';
import type { ChainDatabase } from '../storage/chain-database.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import { encodeHeader } from './encode-header.js';
import { encodeReceipt } from './encode-receipt.js';
import type { Header } from './header.js';
import { indexTrieRoot } from './index-trie-root.js';
import type { Receipt } from './receipt.js';
import type { SealedBlock, SealedTransaction } from './sealed-block.js';

/** What every block has from the chain's configuration. */
export interface BlockRules {
  readonly coinbase: Address;
  readonly gasLimit: bigint;
  /** A block is closed after this many milliseconds of execution, full or not. */
  readonly executionBudgetMs: number;
}

/**
 * Makes the block that follows `parent` from the best of what waits: executes, seals, and leaves the pool as it is but for transactions that can never
 * stand in a block.
 *
 * @param now milliseconds since 1970.
 */
export async function makeBlock(
  database: ChainDatabase,
  machine: Machine,
  mempool: Mempool,
  parent: { readonly header: Header; readonly hash: Uint8Array },
  rules: BlockRules,
  now: () => number,
): Promise<SealedBlock> {
  const startedAt = now();
  const environment: BlockEnvironment = {
    number: parent.header.number + 1,
    // Blocks may come faster than once a second; time never goes back.
    timestamp: Math.max(Math.floor(startedAt / 1000), parent.header.timestamp),
    coinbase: rules.coinbase,
    prevRandao: keccak256(parent.hash),
    gasLimit: rules.gasLimit,
    baseFeePerGas: BASE_FEE_PER_GAS,
  };
  const before = new StateAtBlock(database, parent.header.number);
  machine.begin(before);
  const transactions: SealedTransaction[] = [];
  let gasUsed = 0n;
  const candidates = mempool.best();
  let next = candidates.next();
  while (next.done !== true && now() - startedAt < rules.executionBudgetMs) {
    const transaction = next.value;
    const fits = gasUsed + transaction.tx.gasLimit <= rules.gasLimit;
    const sealed = fits ? await execute(machine, mempool, transaction, environment, gasUsed) : null;
    if (sealed !== null) {
      transactions.push(sealed);
      gasUsed = sealed.receipt.cumulativeGasUsed;
    }
    next = candidates.next(sealed === null ? 'skip' : undefined);
  }
  const changes = machine.state.changes();
  const state = await commitState(database, before, parent.header.stateRoot, changes);
  const header: Header = {
    parentHash: parent.hash,
    coinbase: rules.coinbase.bytes,
    stateRoot: state.stateRoot,
    transactionsRoot: indexTrieRoot(transactions.map(({ transaction }) => transaction.raw)),
    receiptsRoot: indexTrieRoot(transactions.map(({ receipt }) => encodeReceipt(receipt))),
    logsBloom: logsBloom(transactions.flatMap(({ receipt }) => receipt.logs)),
    number: environment.number,
    gasLimit: rules.gasLimit,
    gasUsed,
    timestamp: environment.timestamp,
    prevRandao: setLengthLeft(environment.prevRandao, 32),
    baseFeePerGas: BASE_FEE_PER_GAS,
  };
  return { hash: keccak256(encodeHeader(header)), header, transactions, changes, state };
}

/**
 * Executes one; null when it cannot stand in this block. One that never can leaves the pool.
 *
 * @throws ExecutionFault when the EVM breaks at it; it leaves the pool too.
 */
async function execute(
  machine: Machine,
  mempool: Mempool,
  transaction: ChainTransaction,
  environment: BlockEnvironment,
  gasBefore: bigint,
): Promise<SealedTransaction | null> {
  await machine.state.checkpoint();
  try {
    const result = await executeTransaction(machine, transaction, environment);
    await machine.state.commit();
    const receipt: Receipt = {
      type: transaction.tx.type,
      status: result.status,
      gasUsed: result.gasUsed,
      cumulativeGasUsed: gasBefore + result.gasUsed,
      effectiveGasPrice: effectiveGasPrice(transaction, environment.baseFeePerGas),
      contractAddress: transaction.tx.to === undefined ? (result.createdAddress?.bytes ?? null) : null,
      logs: result.logs,
      logsBloom: logsBloom(result.logs),
    };
    return { transaction, receipt, calls: result.calls };
  } catch (error) {
    mempool.remove(transaction.hash);
    if (!(error instanceof ChainError)) throw new ExecutionFault(transaction.hash, error);
    await machine.state.revert();
    return null;
  }
}
