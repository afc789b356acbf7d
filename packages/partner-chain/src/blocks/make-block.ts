import { setLengthLeft, type Address } from '@ethereumjs/util';
import type { ChainDatabase } from '../db/tables.js';
import { ExecutionFault, PartnerChainError } from '../errors.js';
import { executeTransaction } from '../evm/execute-transaction.js';
import { BASE_FEE_PER_GAS, effectiveGasPrice } from '../evm/fees.js';
import type { BlockEnvironment, PartnerEvm } from '../evm/partner-evm.js';
import type { ChainTransaction } from '../evm/transaction.js';
import { keccak256 } from '../keccak256.js';
import { logsBloom } from '../logs/log.js';
import type { Mempool } from '../mempool/mempool.js';
import { StateAtBlock } from '../state/state-reader.js';
import { commitState } from '../state/state-trie.js';
import { encodeHeader, type Header } from './header.js';
import { indexTrieRoot } from './index-trie-root.js';
import { encodeReceipt, type Receipt } from './receipt.js';
import type { SealedBlock, SealedTransaction } from './write-block.js';

/** The fields of every block that come from the chain's configuration. */
export interface BlockRules {
  readonly coinbase: Address;
  readonly gasLimit: bigint;
  /** Milliseconds of execution after which a block is closed, full or not. */
  readonly executionBudgetMs: number;
}

/**
 * Makes the block after `parent` from the best transactions of the pool. It removes only transactions that no block can
 * contain from the pool. The thread answers requests between time slices, so the pool can change in the meantime.
 *
 * @param now milliseconds since 1970.
 * @param timestamp of the block, in seconds; null for the current time.
 */
export async function makeBlock(
  database: ChainDatabase,
  evm: PartnerEvm,
  mempool: Mempool,
  parent: { readonly header: Header; readonly hash: Uint8Array },
  rules: BlockRules,
  now: () => number,
  timestamp: number | null = null,
): Promise<SealedBlock> {
  const startedAt = now();
  const environment: BlockEnvironment = {
    number: parent.header.number + 1,
    // Blocks can come faster than once a second, and time never goes back.
    timestamp: timestamp ?? Math.max(Math.floor(startedAt / 1000), parent.header.timestamp),
    coinbase: rules.coinbase,
    prevRandao: keccak256(parent.hash),
    gasLimit: rules.gasLimit,
    baseFeePerGas: BASE_FEE_PER_GAS,
  };
  const before = new StateAtBlock(database, parent.header.number);
  evm.begin(before);
  const transactions: SealedTransaction[] = [];
  let gasUsed = 0n;
  const candidates = mempool.best();
  let next = candidates.next();
  while (next.done !== true && now() - startedAt < rules.executionBudgetMs) {
    await evm.slicer.yieldIfDue();
    const transaction = next.value;
    const fits = gasUsed + transaction.tx.gasLimit <= rules.gasLimit;
    const sealed = fits ? await execute(evm, mempool, transaction, environment, gasUsed) : null;
    if (sealed !== null) {
      transactions.push(sealed);
      gasUsed = sealed.receipt.cumulativeGasUsed;
    }
    next = candidates.next(sealed === null ? 'skip' : undefined);
  }
  const changes = evm.state.changes();
  const state = await commitState(database, before, parent.header.stateRoot, changes, evm.slicer.yieldIfDue);
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
 * Executes one transaction. Returns null if it does not fit into this block, and removes it from the pool if no block
 * can contain it.
 *
 * @throws ExecutionFault if the EVM itself fails; the transaction then leaves the pool too.
 */
async function execute(
  evm: PartnerEvm,
  mempool: Mempool,
  transaction: ChainTransaction,
  environment: BlockEnvironment,
  gasBefore: bigint,
): Promise<SealedTransaction | null> {
  await evm.state.checkpoint();
  try {
    const result = await executeTransaction(evm, transaction, environment);
    await evm.state.commit();
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
    if (!(error instanceof PartnerChainError)) throw new ExecutionFault(transaction.hash, error);
    await evm.state.revert();
    return null;
  }
}
