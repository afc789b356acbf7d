import { hexToBigInt, numberToHex, size, slice, toEventSelector, type Address, type Hex, type RpcLog } from 'viem';
import { entryPoint06Address, entryPoint07Address, entryPoint08Address } from 'viem/account-abstraction';
import type { ChainConnection } from '../nodes/chain-connection.js';

/** An ERC-4337 user operation that an EntryPoint has executed. */
export interface ExecutedUserOperation {
  /** The transaction that contains it. */
  readonly txHash: Hex;
  /** The smart account, lower-case. */
  readonly account: Address;
  /** Whether the call of the account succeeded. The transaction succeeds either way. */
  readonly hasSucceeded: boolean;
}

/** The contracts that execute user operations, at the same address on every chain. */
const ENTRY_POINTS = [entryPoint06Address, entryPoint07Address, entryPoint08Address];
const USER_OPERATION_EVENT = toEventSelector(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
);
/** On the partner chain more than the 30 minutes in which an intent is paid; on Ethereum three hours. */
const SEARCHED_BLOCKS = 1_000n;

/** A UserOperationEvent of an EntryPoint. */
type UserOperationLog = Pick<RpcLog, 'transactionHash' | 'topics' | 'data'>;

/**
 * Finds the newest event of a user operation by its hash, in the newest 1,000 blocks. Sends two requests to a node.
 *
 * @returns null if a quorum agrees that there is none.
 * @throws QuorumError
 */
export async function findUserOperation(
  nodes: Pick<ChainConnection, 'agree' | 'agreedHead'>,
  hash: Hex,
): Promise<UserOperationLog | null> {
  const head = await nodes.agreedHead();
  const fromBlock = numberToHex(head > SEARCHED_BLOCKS ? head - SEARCHED_BLOCKS : 0n);
  const filter = { address: ENTRY_POINTS, topics: [USER_OPERATION_EVENT, hash], fromBlock, toBlock: numberToHex(head) };
  return nodes.agree(
    async (client) => {
      const logs = await client.request({ method: 'eth_getLogs', params: [filter] });
      return logs.at(-1) ?? null;
    },
    (log) => JSON.stringify(log && [log.transactionHash, log.topics, log.data]),
  );
}

/** Decodes the event, whose data is nonce, success, cost and gas. Returns null for any other form. */
export function decodeUserOperation({ transactionHash, topics, data }: UserOperationLog): ExecutedUserOperation | null {
  const sender = topics[2];
  if (transactionHash === null || sender === undefined || size(data) !== 128) return null;
  return {
    txHash: transactionHash,
    account: slice(sender, 12).toLowerCase() as Address,
    hasSucceeded: hexToBigInt(slice(data, 32, 64)) === 1n,
  };
}
