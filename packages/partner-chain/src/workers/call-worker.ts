import { workerData } from 'node:worker_threads';
import { ChainReader, type StoredBlock } from '../blocks/chain-reader.js';
import { openChainDatabase } from '../db/open-database.js';
import { PartnerChainError } from '../errors.js';
import { createCommon } from '../evm/common.js';
import { PartnerEvm } from '../evm/partner-evm.js';
import { estimateGas, revertError, simulate, type CallRequest } from '../evm/simulate.js';
import { findLogs, type LogQuery } from '../logs/find-logs.js';
import { serveRequests } from './worker-thread.js';

/** The `workerData` of a thread for calls. */
export interface CallWorkerData {
  readonly dataDirectory: string;
  readonly chainId: number;
  readonly lazyAccountGas: bigint;
}

/**
 * The thread that runs calls. It reads the chain and writes nothing. One call at a time, because the EVM is not
 * reentrant.
 */
const { dataDirectory, chainId, lazyAccountGas } = workerData as CallWorkerData;
const reader = new ChainReader(openChainDatabase(dataDirectory, { readOnly: true }));
const evm = new PartnerEvm(
  createCommon(chainId),
  reader.state(0),
  (number) => reader.block(number)?.hash,
  lazyAccountGas,
);
let last: Promise<unknown> = Promise.resolve();

serveRequests({
  ready: () => undefined,
  call: (blockNumber: number, request: CallRequest) =>
    inTurn(async () => {
      const result = await simulate(evm, reader, blockAt(blockNumber), request);
      if (result.status === 0) throw revertError(result);
      return result.returnValue;
    }),
  estimateGas: (blockNumber: number, request: CallRequest) =>
    inTurn(() => estimateGas(evm, reader, blockAt(blockNumber), request)),
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
  if (block === null) throw new PartnerChainError('NOT_FOUND', `block ${blockNumber} does not exist`);
  return block;
}
