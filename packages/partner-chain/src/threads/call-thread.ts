import { workerData } from 'node:worker_threads';
import { ChainError } from '../errors/chain-error.js';
import type { CallRequest } from '../execution/call-request.js';
import { createCommon } from '../execution/create-common.js';
import { estimateGas } from '../execution/estimate-gas.js';
import { Machine } from '../execution/machine.js';
import { revertError } from '../execution/revert-error.js';
import { simulate } from '../execution/simulate.js';
import { findLogs, type LogQuery } from '../logs/find-logs.js';
import { openChainDatabase } from '../storage/chain-database.js';
import { ChainReader, type StoredBlock } from '../storage/chain-reader.js';
import { serveThread } from './serve-thread.js';

/** What a thread for calls is told at its beginning. */
export interface CallThreadData {
  readonly dataDirectory: string;
  readonly chainId: number;
  readonly lazyAccountGas: bigint;
}

/** The thread that runs calls: it reads the chain and writes nothing. One call at a time, since a machine runs one thing at a time. */
const { dataDirectory, chainId, lazyAccountGas } = workerData as CallThreadData;
const reader = new ChainReader(openChainDatabase(dataDirectory, { readOnly: true }));
const machine = new Machine(
  createCommon(chainId),
  reader.state(0),
  (number) => reader.block(number)?.hash,
  lazyAccountGas,
);
let last: Promise<unknown> = Promise.resolve();

serveThread({
  ready: () => undefined,
  call: (blockNumber: number, request: CallRequest) =>
    inTurn(async () => {
      // What a call does is asked, not what it costs: clients try a transfer with a gas limit of 21,000 before they estimate (web3.js).
      const result = await simulate(machine, reader, blockAt(blockNumber), request, 0n);
      if (result.status === 0) throw revertError(result);
      return result.returnValue;
    }),
  estimateGas: (blockNumber: number, request: CallRequest) =>
    inTurn(() => estimateGas(machine, reader, blockAt(blockNumber), request)),
  findLogs: (blockNumber: number, query: LogQuery) =>
    inTurn(async () => {
      blockAt(blockNumber);
      return await Promise.resolve(findLogs(reader, query));
    }),
});

function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const turn = last.then(task);
  last = turn.catch(() => undefined);
  return turn;
}

function blockAt(blockNumber: number): StoredBlock {
  reader.database.root.resetReadTxn();
  const block = reader.block(blockNumber);
  if (block === null) throw new ChainError('NOT_FOUND', `block ${blockNumber} is not there`);
  return block;
}
