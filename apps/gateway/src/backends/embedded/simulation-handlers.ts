import { PartnerChainError, type CallResult, type PartnerChain, type SimulatedBlock } from '@causeway/partner-chain';
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

/** Methods that try calls without keeping them. */
export function simulationHandlers(chain: PartnerChain) {
  const checkChain = ({ chainId }: RpcCall): void => {
    if (chainId === undefined || Number(chainId) === chain.options.chainId) return;
    throw new PartnerChainError('INVALID_PARAMS', `the chainId of a call is not ${chain.options.chainId}`);
  };
  return {
    eth_createAccessList: async (call: RpcCall, param: BlockParam = 'latest', state?: RpcStateOverrides) => {
      const request = toCallRequest(call, state);
      const result = await chain.run('createAccessList', requireBlockNumber(chain, param), request);
      const { accessList, gasUsed, error } = result;
      return { accessList, gasUsed: quantity(gasUsed), ...(error === null ? {} : { error: nameError(error) }) };
    },
    eth_simulateV1: async (simulation: RpcSimulation, param: BlockParam = 'latest') => {
      const base = findBlock(chain, param);
      if (base === null) throw new PartnerChainError('NOT_FOUND', 'the block is not there');
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
    // As in geth, the bytes of a revert are in its error only.
    returnData: isReverted ? '0x' : hex(returnValue),
    gasUsed: quantity(gasUsed),
    maxUsedGas: quantity(gasNeeded),
    ...(error === null ? {} : { error: failure }),
  };
}

function nameError(error: string): string {
  return error === 'revert' ? 'execution reverted' : error;
}
