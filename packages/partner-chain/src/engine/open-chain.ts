import { Address, hexToBytes } from '@ethereumjs/util';
import { bytesToHex } from 'viem';
import { makeGenesisBlock } from '../genesis/make-genesis-block.js';
import { openChainDatabase, type ChainDatabase } from '../storage/chain-database.js';
import { writeBlock } from '../storage/write-block.js';
import type { ChainOptions } from './chain-options.js';

const CHAIN = Buffer.from('chain');
/** Raised when what is on disk changes its shape. */
const FORMAT = 1;

/**
 * Opens the chain in a directory for writing, or begins it there.
 *
 * @throws Error when the directory holds another chain, or one of another format.
 */
export async function openChain(options: ChainOptions): Promise<ChainDatabase> {
  const database = openChainDatabase(options.dataDirectory);
  const genesis = await makeGenesisBlock(database, options.genesis, {
    coinbase: new Address(hexToBytes(options.validator)),
    gasLimit: options.blockGasLimit,
  });
  const identity = JSON.stringify({ format: FORMAT, chainId: options.chainId, genesis: bytesToHex(genesis.hash) });
  const found = database.meta.getBinary(CHAIN)?.toString('utf8');
  if (found === identity) return database;
  if (found !== undefined) {
    await database.root.close();
    throw new Error(
      `${options.dataDirectory} holds another chain (${found}) than the one asked for (${identity}). Give another directory, or the same options as before`,
    );
  }
  database.root.transactionSync(() => {
    writeBlock(database, genesis);
    void database.meta.put(CHAIN, Buffer.from(identity));
  });
  return database;
}
