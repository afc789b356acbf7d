import {
  PartnerChainError,
  WEI_PER_UNIT,
  type CallRequest,
  type CallResult,
  type SimulatedBlock,
} from '@causeway/partner-chain';
import type { CallChain } from '@causeway/partner-chain/calls';
import { hexToBytes, type Hex } from 'viem';
import { findBlock, requireBlockNumber, type BlockParam } from './block-handlers.js';
import {
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
  type RpcBlockOverrides,
  type RpcCall,
  type RpcStateOverrides,
} from './call-requests.js';
import { formatBlock } from './format-blocks.js';
import { formatLog, hex, quantity, type RpcObject } from './format-transactions.js';
import { formatCalls, formatStateTrace, type TraceOptions } from './trace-handlers.js';

interface RpcSimulation {
  readonly blockStateCalls: readonly {
    readonly blockOverrides?: RpcBlockOverrides;
    readonly stateOverrides?: RpcStateOverrides;
    readonly calls?: readonly RpcCall[] | null;
  }[];
  readonly traceTransfers?: boolean;
  readonly validation?: boolean;
  readonly returnFullTransactions?: boolean;
}

/** The codes of failed calls within a simulation, as in geth. */
const REVERTED = -32000;
const VM_ERROR = -32015;

/** Methods that run entirely in the chain's threads, because requests and results can be long. */
export function callHandlers(chain: CallChain) {
  const checkChain = ({ chainId }: RpcCall): void => {
    if (chainId === undefined || Number(chainId) === chain.options.chainId) return;
    throw new PartnerChainError('INVALID_PARAMS', `the chainId of a call must be ${chain.options.chainId}`);
  };
  return {
    eth_call: async (...params: CallParams) => hex(await chain.run('call', ...readCall(chain, params))),
    eth_estimateGas: async (...params: CallParams) =>
      quantity(await chain.run('estimateGas', ...readCall(chain, params))),
    eth_getProof: async (address: Hex, slots: readonly Hex[], param: BlockParam = 'latest') => {
      const request = { address: hexToBytes(address), slots: slots.map((slot) => hexToBytes(slot)) };
      const proof = await chain.run('proveAccount', requireBlockNumber(chain, param), request);
      return {
        address,
        balance: quantity(proof.balance * WEI_PER_UNIT),
        nonce: quantity(proof.nonce),
        codeHash: hex(proof.codeHash),
        storageHash: hex(proof.storageHash),
        accountProof: proof.accountProof.map(hex),
        storageProof: proof.storageProof.map(({ value, proof: nodes }, index) => ({
          key: slots[index],
          value: value.length === 0 ? '0x0' : quantity(BigInt(hex(value))),
          proof: nodes.map(hex),
        })),
      };
    },
    debug_traceCall: async (call: RpcCall, param: BlockParam = 'latest', options: TraceOptions = {}) => {
      const blockNumber = requireBlockNumber(chain, param);
      const request = toCallRequest(call, options.stateOverrides, options.blockOverrides);
      if (options.tracer === 'prestateTracer') {
        return formatStateTrace(await chain.run('traceCallState', blockNumber, request), options);
      }
      return formatCalls(await chain.run('traceCall', blockNumber, request), options);
    },
    eth_createAccessList: async (call: RpcCall, param: BlockParam = 'latest', state?: RpcStateOverrides) => {
      const request = toCallRequest(call, state);
      const result = await chain.run('createAccessList', requireBlockNumber(chain, param), request);
      const { accessList, gasUsed, error } = result;
      return { accessList, gasUsed: quantity(gasUsed), ...(error === null ? {} : { error: nameError(error) }) };
    },
    eth_simulateV1: async (simulation: RpcSimulation, param: BlockParam = 'latest') => {
      const base = findBlock(chain, param);
      if (base === null) throw new PartnerChainError('NOT_FOUND', 'the block does not exist');
      for (const { calls } of simulation.blockStateCalls) for (const call of calls ?? []) checkChain(call);
      const blocks = await chain.run('simulateBlocks', base.header.number, {
        blocks: simulation.blockStateCalls.map(({ blockOverrides = {}, stateOverrides = {}, calls }) => ({
          blockOverrides: toBlockOverrides(blockOverrides),
          stateOverrides: toStateOverrides(stateOverrides),
          calls: (calls ?? []).map((call) => ({
            ...toCallRequest(call),
            nonce: call.nonce === undefined ? null : BigInt(call.nonce),
          })),
        })),
        validation: simulation.validation === true,
        showsPayments: simulation.traceTransfers === true,
      });
      return blocks.map((block) => formatSimulated(block, simulation.returnFullTransactions === true));
    },
  };
}

type CallParams = [RpcCall, BlockParam?, RpcStateOverrides?, RpcBlockOverrides?];

function readCall(chain: CallChain, [call, param = 'latest', state, block]: CallParams): [number, CallRequest] {
  return [requireBlockNumber(chain, param), toCallRequest(call, state, block)];
}

function formatSimulated({ block, transactions, results }: SimulatedBlock, isFull: boolean): RpcObject {
  let logIndex = 0;
  const calls = results.map((result, transactionIndex) => {
    const transactionHash = transactions[transactionIndex]?.hash ?? new Uint8Array(32);
    const logs = result.logs.map((log) => {
      const placed = { ...log, blockNumber: block.header.number, logIndex, transactionIndex, transactionHash };
      logIndex += 1;
      return formatLog(placed, block);
    });
    return { ...formatResult(result), logs };
  });
  return { ...formatBlock(block, transactions, isFull), calls };
}

function formatResult({ status, gasUsed, gasNeeded, returnValue, error }: CallResult): RpcObject {
  const isReverted = error === 'revert';
  const failure = isReverted
    ? { code: REVERTED, message: nameError(error), data: hex(returnValue) }
    : { code: VM_ERROR, message: error };
  return {
    status: quantity(status),
    // As in geth, revert bytes are only in the error.
    returnData: isReverted ? '0x' : hex(returnValue),
    gasUsed: quantity(gasUsed),
    maxUsedGas: quantity(gasNeeded),
    ...(error === null ? {} : { error: failure }),
  };
}

function nameError(error: string): string {
  return error === 'revert' ? 'execution reverted' : error;
}
