import { numberToHex, type PublicClient } from 'viem';
import { askNode } from '../rpc/ask-node.js';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { headerHash } from './header-hash.js';
import { parseAnswer } from './parse-answer.js';
import { rpcBlock, rpcHeader, type RpcBlock, type RpcHeader } from './rpc-shapes.js';

/**
 * Reads a header and checks that it has the hash and the number the node says.
 *
 * @returns null when the node has no block with this number.
 * @throws InconsistentBlockError, NodeUnavailableError, NodeRefusedError
 */
export async function readHeader(client: PublicClient, number: bigint): Promise<RpcHeader | null> {
  const answer = await askBlock(client, number, false);
  return answer === null ? null : checked(parseAnswer(rpcHeader, answer, number), number);
}

/** As `readHeader`, with the transactions, which are not checked yet. */
export async function readHeaderWithTransactions(client: PublicClient, number: bigint): Promise<RpcBlock | null> {
  const answer = await askBlock(client, number, true);
  return answer === null ? null : checked(parseAnswer(rpcBlock, answer, number), number);
}

function askBlock(client: PublicClient, number: bigint, withTransactions: boolean): Promise<unknown> {
  return askNode(() =>
    client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), withTransactions] }),
  );
}

function checked<H extends RpcHeader>(header: H, number: bigint): H {
  if (BigInt(header.number) !== number) {
    throw new InconsistentBlockError(number, `the node answered block ${header.number}`);
  }
  const computed = headerHash(header);
  if (computed !== header.hash) {
    throw new InconsistentBlockError(number, `its header gives the hash ${computed}, not ${header.hash}`);
  }
  return header;
}
