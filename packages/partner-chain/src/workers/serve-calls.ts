import { workerData } from 'node:worker_threads';
import { ChainReader, type StoredBlock } from '../blocks/chain-reader.js';
import { openChainDatabase } from '../db/open-database.js';
import { PartnerChainError } from '../errors.js';
import { createCommon } from '../evm/common.js';
import { PartnerEvm } from '../evm/partner-evm.js';
import { findLogs, type LogQuery } from '../logs/find-logs.js';
import { createAccessList } from '../simulation/access-list.js';
import type { CallRequest } from '../simulation/call-request.js';
import { traceBlockState, traceCallState } from '../simulation/prestate.js';
import { simulateBlocks, type SimulationRequest } from '../simulation/simulate-blocks.js';
import {
  contextAfter,
  estimateGas,
  revertError,
  simulate,
  traceCall,
  type CallContext,
} from '../simulation/simulate.js';
import { proveAccount } from '../state/proof.js';
import { serveRequests } from './worker-thread.js';

/** An account to prove, and slots of its storage of 32 bytes each. */
export interface ProofRequest {
  readonly address: Uint8Array;
  readonly slots: readonly Uint8Array[];
}

/** The `workerData` of a call thread. */
export interface CallWorkerData {
  readonly dataDirectory: string;
  readonly chainId: number;
  readonly lazyAccountGas: bigint;
  readonly confirmations: number;
}

/** A client's encoded call. */
export interface EncodedCall {
  readonly method: string;
  /** JSON text. */
  readonly params: string;
}

/** Checks and runs a call. @returns the JSON text of its result. */
type AnswerCall = (call: EncodedCall) => Promise<string>;

/** A method of a call thread. */
export type CallMethod = keyof CallMethods;
/** The request of a method. */
export type RequestOf<Method extends CallMethod> = Parameters<CallMethods[Method]>[1];
/** The result of a method. */
export type ResultOf<Method extends CallMethod> = Awaited<ReturnType<CallMethods[Method]>>;

/** Runs a method on a block, like the pool of a program. */
type RunCall = <Method extends CallMethod>(
  method: Method,
  blockNumber: number,
  request: RequestOf<Method>,
) => Promise<ResultOf<Method>>;

/** The chain in a call thread. */
export interface CallChain {
  readonly options: Pick<CallWorkerData, 'chainId' | 'confirmations'>;
  readonly reader: ChainReader;
  /** The newest block at the submission of the current call. */
  headNumber(): number;
  readonly run: RunCall;
}

/**
 * The call thread. It reads the chain and writes nothing. It runs one call at a time, because the EVM is not reentrant.
 */
const options = workerData as CallWorkerData;
const { dataDirectory, chainId, lazyAccountGas } = options;
const reader = new ChainReader(openChainDatabase(dataDirectory, { readOnly: true }));
const createEvm = (writesPayments: boolean): PartnerEvm =>
  new PartnerEvm(
    createCommon(chainId, writesPayments),
    reader.state(0),
    (number) => reader.block(number)?.hash,
    lazyAccountGas,
  );
const evm = createEvm(false);
/** EVM for simulations that show payments as logs. */
let evmWithPayments: PartnerEvm | undefined;
let last: Promise<unknown> = Promise.resolve();
let newest = 0;

const methods = {
  ready: () => undefined,
  call: withContext(async (context, request) => {
    const result = await simulate(evm, context, request);
    if (result.status === 0) throw revertError(result);
    return result.returnValue;
  }),
  estimateGas: withContext((context, request) => estimateGas(evm, context, request)),
  createAccessList: withContext((context, request) => createAccessList(evm, context, request)),
  traceCall: withContext((context, request) => traceCall(evm, context, request)),
  traceCallState: withContext((context, request) => traceCallState(evm, context, request)),
  traceBlockState: (blockNumber: number, index: number | null) =>
    inTurn(() => traceBlockState(evm, reader, blockAt(blockNumber).header.number, index)),
  simulateBlocks: (blockNumber: number, request: SimulationRequest) =>
    inTurn(() => {
      if (request.showsPayments) evmWithPayments ??= createEvm(true);
      const used = request.showsPayments ? (evmWithPayments ?? evm) : evm;
      return simulateBlocks(used, reader, blockAt(blockNumber), request);
    }),
  proveAccount: (blockNumber: number, { address, slots }: ProofRequest) =>
    inTurn(() => {
      const { header } = blockAt(blockNumber);
      return proveAccount(reader.database, reader.state(header.number), header.stateRoot, address, slots);
    }),
  findLogs: (blockNumber: number, query: LogQuery) =>
    inTurn(async () => {
      blockAt(blockNumber);
      return await Promise.resolve(findLogs(reader, query));
    }),
};

/** The methods that a thread serves, each with a block and a request. */
export type CallMethods = Omit<typeof methods, 'ready'> & {
  readonly answer: (headNumber: number, call: EncodedCall) => Promise<string>;
};

/** Serves the calls of this thread. @param open creates the program's API, which answers encoded calls. */
export function serveCalls(open: (chain: CallChain) => AnswerCall): void {
  const run = (method: keyof typeof methods, ...request: [number, never]): Promise<unknown> =>
    Promise.resolve(methods[method](...request));
  const answerCall = open({ options, reader, headNumber: () => newest, run: run as RunCall });
  const answer: CallMethods['answer'] = (headNumber, call) => {
    newest = blockAt(headNumber).header.number;
    return answerCall(call);
  };
  serveRequests({ ...methods, answer });
}

/** Creates a method that runs a call on the state after a block. */
function withContext<T>(run: (context: CallContext, request: CallRequest) => Promise<T>) {
  return (blockNumber: number, request: CallRequest) =>
    inTurn(() => run(contextAfter(evm, reader, blockAt(blockNumber), request), request));
}

function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const turn = last.then(task);
  last = turn.catch(() => undefined);
  return turn;
}

function blockAt(blockNumber: number): StoredBlock {
  reader.database.root.resetReadTxn();
  const block = reader.block(blockNumber);
  if (block === null) throw new PartnerChainError('NOT_FOUND', `block ${blockNumber} does not exist`);
  return block;
}
