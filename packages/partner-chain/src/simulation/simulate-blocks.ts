import { RLP } from '@ethereumjs/rlp';
import {
  Address,
  bigIntToBytes,
  bigIntToUnpaddedBytes,
  bytesToBigInt,
  concatBytes,
  equalsBytes,
  hexToBytes,
  setLengthLeft,
} from '@ethereumjs/util';
import type { ChainReader, StoredBlock, StoredTransaction } from '../blocks/chain-reader.js';
import { encodeHeader, type Header } from '../blocks/header.js';
import { indexTrieRoot } from '../blocks/index-trie-root.js';
import { encodeReceipt, type Receipt } from '../blocks/receipt.js';
import { EIP7708_SYSTEM_ADDRESS } from '@ethereumjs/evm';
import { BASE_FEE_PER_GAS } from '../evm/fees.js';
import type { BlockEnvironment, PartnerEvm } from '../evm/partner-evm.js';
import type { ExecutionResult } from '../evm/run-message.js';
import { keccak256 } from '../keccak256.js';
import { logsBloom, type Log } from '../logs/log.js';
import { LayeredState, MutableLayer } from '../state/layered-state.js';
import { commitState } from '../state/state-trie.js';
import { WEI_PER_UNIT } from '../units.js';
import { toAuthorizationBytes, type CallRequest } from './call-request.js';
import { invalid, overrideBlock, toLayer, type BlockOverrides, type StateOverrides } from './overrides.js';
import { CALL_GAS_CAP, runCall } from './simulate.js';

/** A call of a simulated block. */
export interface SimulatedCall extends CallRequest {
  /** Null for the next nonce of the sender. */
  readonly nonce: bigint | null;
}

/** A block to simulate: the overrides before it, and its calls. */
export interface BlockCalls {
  readonly blockOverrides: BlockOverrides;
  readonly stateOverrides: StateOverrides;
  readonly calls: readonly SimulatedCall[];
}

/** The request of eth_simulateV1. */
export interface SimulationRequest {
  readonly blocks: readonly BlockCalls[];
  /** True if calls must satisfy all rules of transactions: nonces, and prices of at least the base fee. */
  readonly validation: boolean;
  /** True to show payments of coin as logs. */
  readonly showsPayments: boolean;
}

/** Address of the logs for payments of coin, as in geth. */
const COIN_ADDRESS = new Uint8Array(20).fill(0xee);

/** A simulated block. */
export interface SimulatedBlock {
  readonly block: StoredBlock;
  readonly transactions: readonly StoredTransaction[];
  readonly results: readonly CallResult[];
}

/**
 * The result of a call. `gasNeeded` is the maximum gas that had to be available. The logs include payments if the EVM
 * writes them (see `createCommon`): a Transfer event of the address 0xee..ee, in wei.
 */
export type CallResult = Pick<ExecutionResult, 'status' | 'gasUsed' | 'gasNeeded' | 'logs' | 'returnValue' | 'error'>;

/** Limits of one simulation as in geth: blocks, and total gas. The thread limits the duration. */
const MAX_SIMULATED_BLOCKS = 256;
const SIMULATION_GAS = 50_000_000n;
/** Maximum bytes that all calls together can return and log. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** Seconds between two blocks, as in geth, if the request names no time. */
const SECONDS_BETWEEN_BLOCKS = 12;
const EMPTY = new Uint8Array(0);

/** The remaining part of the limits. */
interface Budget {
  gas: bigint;
  bytes: number;
}

/**
 * Simulates blocks after a block of the chain (eth_simulateV1), without keeping them. Gaps between block numbers are
 * filled with empty blocks.
 *
 * @throws PartnerChainError INVALID_PARAMS with the first invalid block or call, or the exceeded limit; the errors of
 *   `runCall`, for a call that could not be a transaction.
 */
export async function simulateBlocks(
  evm: PartnerEvm,
  reader: ChainReader,
  base: StoredBlock,
  { blocks, validation }: SimulationRequest,
): Promise<SimulatedBlock[]> {
  const simulated: SimulatedBlock[] = [];
  const layer = new MutableLayer();
  const hashes = new Map<number, Uint8Array>();
  const budget: Budget = { gas: SIMULATION_GAS, bytes: MAX_OUTPUT_BYTES };
  let parent = base;
  for (const { environment, request } of planBlocks(base, blocks, validation)) {
    const state = new LayeredState(reader.state(base.header.number), layer);
    layer.add(toLayer(evm, state, request.stateOverrides));
    evm.begin(state, hashes);
    const { transactions, receipts, results } = await runCalls(evm, environment, request.calls, validation, budget);
    layer.add(evm.state.changes());
    const { stateRoot } = await commitState(
      reader.database,
      reader.state(base.header.number),
      base.header.stateRoot,
      layer,
      evm.slicer.yieldIfDue,
    );
    const block = seal(parent, environment, stateRoot, transactions, receipts);
    simulated.push({ block, transactions, results });
    hashes.set(block.header.number, block.hash);
    parent = block;
  }
  return simulated;
}

/** Iterates over the blocks in order, including the empty blocks in gaps. */
function* planBlocks(
  { header }: StoredBlock,
  blocks: readonly BlockCalls[],
  validation: boolean,
): Generator<{ readonly environment: BlockEnvironment; readonly request: BlockCalls }> {
  const nothing: BlockCalls = { blockOverrides: {}, stateOverrides: {}, calls: [] };
  let [number, timestamp] = [header.number, header.timestamp];
  // As in geth, a block inherits the gas limit and the fee recipient of the previous block.
  let [gasLimit, coinbase] = [header.gasLimit, new Address(header.coinbase)];
  for (const [index, request] of blocks.entries()) {
    const { number: wanted = number + 1, time } = request.blockOverrides;
    if (wanted <= number) throw invalid(`block numbers must be in order: block ${index} has ${wanted} after ${number}`);
    if (wanted - header.number > MAX_SIMULATED_BLOCKS) {
      throw invalid(`too many blocks: ${wanted - header.number}, above the maximum of ${MAX_SIMULATED_BLOCKS}`);
    }
    while (number < wanted) {
      number += 1;
      const isGap = number < wanted;
      const next = isGap || time === undefined ? timestamp + SECONDS_BETWEEN_BLOCKS : time;
      if (next <= timestamp) {
        throw invalid(`block timestamps must be in order: block ${index} has ${next} after ${timestamp}`);
      }
      timestamp = next;
      const usual = {
        number,
        timestamp,
        coinbase,
        prevRandao: new Uint8Array(32),
        gasLimit,
        // Without validation, calls need no price, as in eth_call.
        baseFeePerGas: validation ? BASE_FEE_PER_GAS : 0n,
      };
      const { number: _number, time: _time, ...overrides } = request.blockOverrides;
      const environment = isGap ? usual : overrideBlock(usual, overrides);
      ({ gasLimit, coinbase } = environment);
      yield { environment, request: isGap ? nothing : request };
    }
  }
}

interface BlockResults {
  readonly transactions: StoredTransaction[];
  readonly receipts: Receipt[];
  readonly results: CallResult[];
}

async function runCalls(
  evm: PartnerEvm,
  block: BlockEnvironment,
  calls: readonly SimulatedCall[],
  validation: boolean,
  budget: Budget,
): Promise<BlockResults> {
  const done: BlockResults = { transactions: [], receipts: [], results: [] };
  let gasUsed = 0n;
  for (const [index, call] of calls.entries()) {
    const left = least(block.gasLimit - gasUsed, budget.gas, CALL_GAS_CAP);
    const gas = call.gas ?? left;
    if (gas > block.gasLimit - gasUsed)
      throw invalid(`block gas limit reached: call ${index} needs ${gas} gas, but only ${left} is left`);
    if (gas > budget.gas) throw invalid(`call ${index} exceeds the total of ${SIMULATION_GAS} gas of a simulation`);
    const sender = new Address(hexToBytes(call.from));
    const next = (await evm.state.getAccount(sender))?.nonce ?? 0n;
    const nonce = call.nonce ?? next;
    if (validation && nonce !== next) {
      throw invalid(
        `nonce too ${nonce < next ? 'low' : 'high'}: call ${index} has nonce ${nonce}, the next of its sender is ${next}`,
      );
    }
    // A call without a price offers 0, below the base fee.
    if (validation && call.gasPrice < block.baseFeePerGas) {
      throw invalid(`max fee per gas less than block base fee: call ${index} offers ${call.gasPrice} wei`);
    }
    const result = await runCall(evm, block, { ...call, gas });
    gasUsed += result.gasUsed;
    budget.gas -= result.gasUsed;
    budget.bytes -= computeSize(result);
    if (budget.bytes < 0) throw invalid(`the calls return and log more than ${MAX_OUTPUT_BYTES} bytes; ask for fewer`);
    const ownLogs = result.logs.filter((log) => !isPayment(log));
    const raw = encodeUnsigned({ ...call, gas, nonce }, evm.evm.common.chainId());
    done.transactions.push({ blockNumber: block.number, index, hash: keccak256(raw), raw, sender: sender.bytes });
    done.receipts.push({
      type: raw[0] ?? 0,
      status: result.status,
      gasUsed: result.gasUsed,
      cumulativeGasUsed: gasUsed,
      effectiveGasPrice: call.gasPrice,
      contractAddress: result.createdAddress?.bytes ?? null,
      logs: ownLogs,
      logsBloom: logsBloom(ownLogs),
    });
    const { status, gasNeeded, returnValue, error } = result;
    const logs = result.logs.flatMap(showPayment);
    done.results.push({ status, gasUsed: result.gasUsed, gasNeeded, logs, returnValue, error });
  }
  return done;
}

function seal(
  parent: StoredBlock,
  block: BlockEnvironment,
  stateRoot: Uint8Array,
  transactions: readonly StoredTransaction[],
  receipts: readonly Receipt[],
): StoredBlock {
  const header: Header = {
    parentHash: parent.hash,
    coinbase: block.coinbase.bytes,
    stateRoot,
    transactionsRoot: indexTrieRoot(transactions.map(({ raw }) => raw)),
    receiptsRoot: indexTrieRoot(receipts.map(encodeReceipt)),
    logsBloom: logsBloom(receipts.flatMap(({ logs }) => logs)),
    number: block.number,
    gasLimit: block.gasLimit,
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
    timestamp: block.timestamp,
    prevRandao: setLengthLeft(block.prevRandao, 32),
    baseFeePerGas: block.baseFeePerGas,
  };
  const encodedHeader = encodeHeader(header);
  return { header, hash: keccak256(encodedHeader), encodedHeader };
}

/** Encodes a call as a transaction with a zero signature, of type 2, or of type 4 with authorizations. */
function encodeUnsigned(
  call: SimulatedCall & { readonly nonce: bigint; readonly gas: bigint },
  chainId: bigint,
): Uint8Array {
  const authorizations = call.authorizationList ?? [];
  const hasAuthorizations = authorizations.length > 0;
  return concatBytes(
    Uint8Array.of(hasAuthorizations ? 4 : 2),
    RLP.encode([
      bigIntToUnpaddedBytes(chainId),
      bigIntToUnpaddedBytes(call.nonce),
      bigIntToUnpaddedBytes(call.maxPriorityFeePerGas ?? call.gasPrice),
      bigIntToUnpaddedBytes(call.gasPrice),
      bigIntToUnpaddedBytes(call.gas),
      call.to === null ? EMPTY : hexToBytes(call.to),
      bigIntToUnpaddedBytes(call.value),
      hexToBytes(call.data),
      call.accessList.map(({ address, storageKeys }) => [
        hexToBytes(address),
        storageKeys.map((key) => hexToBytes(key)),
      ]),
      ...(hasAuthorizations ? [authorizations.map(toAuthorizationBytes)] : []),
      EMPTY,
      EMPTY,
      EMPTY,
    ]),
  );
}

function isPayment({ address }: Log): boolean {
  return equalsBytes(address, EIP7708_SYSTEM_ADDRESS);
}

/** Converts a payment log to wei; keeps other logs. Drops the log of coin that is burnt with its contract. */
function showPayment(log: Log): Log[] {
  if (!isPayment(log)) return [log];
  if (log.topics.length !== 3) return [];
  const data = setLengthLeft(bigIntToBytes(bytesToBigInt(log.data) * WEI_PER_UNIT), 32);
  return [{ address: COIN_ADDRESS, topics: log.topics, data }];
}

function computeSize({ returnValue, logs }: ExecutionResult): number {
  return logs.reduce((sum, log: Log) => sum + 256 + log.data.length, 256 + returnValue.length);
}

function least(...values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b));
}
