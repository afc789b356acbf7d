import { RpcError, type RpcErrorName } from '../../jsonrpc/errors.js';
import { cleanWords } from './clean-words.js';
import type { NodeRefusal } from './node-refusal.js';
import { revertData } from './revert-data.js';

/** What a node's error means for a call. */
export interface Verdict {
  /** True: the question was judged, and every node would say the same. False: another node may know better. */
  readonly final: boolean;
  /** What the caller is told. */
  readonly error: RpcError;
}

// The words of anvil, geth, reth, erigon, nethermind, besu and of providers. Codes alone do not tell: -32000 is geth's for almost everything.
const METHOD =
  /(method|function)\b.*\b(not found|not (supported|available|allowed|whitelisted|enabled)|does not exist|disabled)|unsupported method|unknown method/i;
const REVERT = /revert/i;
const EXECUTION =
  /out of gas|outofgas|gas required exceeds|invalid (opcode|jump)|stack (over|under)flow|bad jump|write protection|(max|init) ?code size|evm error|vm execution|opcode .* not defined/i;
const TRANSACTION =
  /nonce|insufficient ?(funds|balance)|underpriced|intrinsic gas|gas ?limit|gas price|fee ?cap|base ?fee|priority fee|max ?fee|(fee|gas) too low|already (known|imported|exists|in mempool)|known transaction|invalid (sender|signature|chain)|chain ?id|signer|transaction type|rlp|oversized|pool is full|replacement|upfront cost|blob/i;
const STATE =
  /header not found|unknown block|block\b.*\b(not found|does not exist|not available|out of range|pruned)|blockoutofrange|missing trie node|state\b.*\b(not available|unavailable|not found|pruned|missing)|historical (state|data)|pruned|could not find block/i;
const LIMITED = /rate.?limit|too many requests|request limit|quota|throttl/i;
const TOO_MANY_LOGS =
  /more than .* (results|logs)|too many (results|logs)|block ?range|range .*(large|wide|limit)|response size|exceed.*(range|results|logs)|limited to|narrow/i;

/** Sorts a node's JSON-RPC error into the gateway's table (spec "Errors"). */
export function judgeRefusal(method: string, refusal: NodeRefusal): Verdict {
  const { code, message } = refusal;
  const data = revertData(refusal.data);
  const verdict = (final: boolean, kind: RpcErrorName, detail?: string): Verdict => ({
    final,
    error: new RpcError(kind, detail, { cause: refusal }),
  });
  if (method === 'eth_sendRawTransaction') return judgeSubmission(refusal);
  if (code === 3 || (REVERT.test(message) && code !== -32602)) {
    const error = new RpcError('EXECUTION_REVERTED', reasonOf(message), { data, cause: refusal });
    return { final: true, error };
  }
  if (code === -32601 || code === -32004 || METHOD.test(message)) {
    return verdict(false, 'METHOD_NOT_SUPPORTED', 'no node behind this gateway offers it');
  }
  if (method === 'eth_getLogs' && TOO_MANY_LOGS.test(message)) {
    return verdict(true, 'INVALID_PARAMS', `too many logs, narrow the block range (${cleanWords(message)})`);
  }
  if (LIMITED.test(message) || code === -32005 || code === -32002)
    return verdict(false, 'RESOURCE_UNAVAILABLE', 'try again later');
  if (code === -32001 || STATE.test(message)) return verdict(false, 'RESOURCE_NOT_FOUND', cleanWords(message));
  if (EXECUTION.test(message)) return verdict(true, 'EXECUTION_REVERTED', cleanWords(message));
  if (code === -32003 || TRANSACTION.test(message)) return verdict(true, 'TRANSACTION_REJECTED', cleanWords(message));
  if (code === -32602) return verdict(true, 'INVALID_PARAMS', cleanWords(message));
  return verdict(false, 'INTERNAL_ERROR', 'the node could not answer');
}

/** The same for eth_sendRawTransaction, where only words about the transaction count as an answer. */
function judgeSubmission(refusal: NodeRefusal): Verdict {
  const { code, message } = refusal;
  // -32602: the gateway has seen that it is hex, so that it is no transaction is all that can be wrong.
  const aboutIt = [3, -32000, -32003, -32602].includes(code);
  const judged = aboutIt || [TRANSACTION, REVERT, EXECUTION].some((words) => words.test(message));
  if (judged && code !== -32002 && !LIMITED.test(message)) {
    return { final: true, error: new RpcError('TRANSACTION_REJECTED', cleanWords(message), { cause: refusal }) };
  }
  const error = new RpcError('RESOURCE_UNAVAILABLE', 'no node took the transaction, try again later', {
    cause: refusal,
  });
  return { final: false, error };
}

function reasonOf(message: string): string | undefined {
  const words = cleanWords(message.replace(/^.*?(execution )?revert(ed)?[:\s]*/i, ''));
  return words === '' ? undefined : words;
}
