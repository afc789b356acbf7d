import { setTimeout as sleep } from 'node:timers/promises';
import { isHex, keccak256, type Hex } from 'viem';
import { RpcError } from '../../jsonrpc/errors.js';
import type { HealthCheck } from './health-check.js';
import { classifyNodeError, isNodeError, NodeFailure, NodeRpcError } from './node-errors.js';
import type { NodePool } from './node-pool.js';
import { hasHash } from './read-answers.js';

/** Maximum nodes that receive a transaction. */
const MAX_NODES = 3;
/** Lookups of a transaction with an unknown outcome, and the pause between them. */
const LOOKUPS = 3;
const LOOKUP_PAUSE_MS = 250;
/** Messages about a transaction that is already in the pool or mined. */
const MAY_BE_KNOWN =
  /already (known|imported|exists|in mempool)|known transaction|tx with same hash|nonce.*too low|nonce.*already/i;

/**
 * Sends a signed transaction to a node and returns its hash, which is computed here.
 *
 * If it is unclear whether a node accepted it, all nodes are asked for its hash. Only if none has it, the same bytes
 * are sent to the next node. That cannot create two transactions, because the bytes fix sender and nonce. "Already
 * known" and "nonce too low" are a success if a node has the transaction under its hash.
 *
 * @throws RpcError TRANSACTION_REJECTED when a node refuses it and none has it; RESOURCE_UNAVAILABLE when no node
 *   accepted it, or when it is unknown whether one did (the message says which).
 */
export async function sendTransaction(pool: NodePool, raw: unknown): Promise<Hex> {
  if (!isHex(raw)) throw new RpcError('INVALID_PARAMS', 'params[0] must be a signed transaction in hex');
  const hash = keccak256(raw);
  const asked: HealthCheck[] = [];
  let unclear = false;
  let refusal: RpcError | undefined;
  while (asked.length < MAX_NODES) {
    const check = pool.usable().find((one) => !asked.includes(one));
    if (check === undefined) break;
    asked.push(check);
    const outcome = await sendTo(check, raw, hash);
    if (outcome === 'taken') return hash;
    if (outcome === 'unclear') unclear = true;
    const mayBeKnown = outcome === 'unclear' || (typeof outcome === 'object' && outcome.mayBeKnown);
    if (mayBeKnown && (await isKnown(pool, hash))) return hash;
    if (typeof outcome === 'object') {
      refusal = outcome.error;
      if (outcome.final) break;
    }
  }
  if (unclear && (await isKnownSoon(pool, hash))) return hash;
  if (unclear) {
    const detail = `it is unknown whether the transaction was accepted; look up ${hash} before sending another one`;
    throw new RpcError('RESOURCE_UNAVAILABLE', detail);
  }
  throw refusal ?? new RpcError('RESOURCE_UNAVAILABLE', 'no node accepted the transaction, try again later');
}

interface Refused {
  readonly error: RpcError;
  readonly final: boolean;
  readonly mayBeKnown: boolean;
}

async function sendTo(check: HealthCheck, raw: Hex, hash: Hex): Promise<'taken' | 'unclear' | 'not sent' | Refused> {
  try {
    const answer = await check.node.call('eth_sendRawTransaction', [raw]);
    if (typeof answer === 'string' && answer.toLowerCase() === hash) {
      check.recordSuccess();
      return 'taken';
    }
    check.recordFailure(new NodeFailure('malformed', 'answered with the hash of another transaction'));
    return 'unclear';
  } catch (error) {
    if (error instanceof NodeRpcError) {
      const classified = classifyNodeError('eth_sendRawTransaction', error);
      // -32603 and similar: the node failed before or after it accepted the transaction.
      const isClear = classified.final || error.code === -32601 || error.code === -32005;
      return isClear ? { ...classified, mayBeKnown: MAY_BE_KNOWN.test(error.message) } : 'unclear';
    }
    if (!(error instanceof NodeFailure)) throw error;
    // A full queue is not the node's failure, and must not affect its reads.
    if (error.kind !== 'overloaded') check.recordFailure(error);
    return error.mayHaveHappened ? 'unclear' : 'not sent';
  }
}

/** Whether any node has the transaction, pending or mined. */
async function isKnown(pool: NodePool, hash: Hex): Promise<boolean> {
  const lookups = pool
    .usable()
    .flatMap(({ node }) => [
      shows(node.callAlone('eth_getTransactionByHash', [hash]), 'hash', hash),
      shows(node.callAlone('eth_getTransactionReceipt', [hash]), 'transactionHash', hash),
    ]);
  return (await Promise.all(lookups)).some(Boolean);
}

async function isKnownSoon(pool: NodePool, hash: Hex): Promise<boolean> {
  for (let lookup = 0; lookup < LOOKUPS; lookup++) {
    if (await isKnown(pool, hash)) return true;
    await sleep(LOOKUP_PAUSE_MS);
  }
  return false;
}

async function shows(answer: Promise<unknown>, field: string, hash: Hex): Promise<boolean> {
  try {
    return hasHash(await answer, field, hash);
  } catch (error) {
    // A node that cannot be asked counts as not knowing the transaction; another one may know it.
    if (isNodeError(error)) return false;
    throw error;
  }
}
