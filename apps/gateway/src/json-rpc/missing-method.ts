import { RpcError } from './rpc-error.js';

/** Longest name that is repeated to the caller. */
const NAME_LENGTH = 64;

/**
 * Methods that Ethereum nodes know and the gateway does not carry out: it holds no keys, mines nothing and proves nothing. They are those of the
 * Execution APIs (https://github.com/ethereum/execution-apis), and older and wider ones of Geth and Erigon.
 */
const NOT_OFFERED = new Set([
  'eth_sign',
  'eth_signTransaction',
  'eth_sendTransaction',
  'eth_signTypedData',
  'eth_signTypedData_v3',
  'eth_signTypedData_v4',
  'eth_getProof',
  'eth_createAccessList',
  'eth_coinbase',
  'eth_mining',
  'eth_hashrate',
  'eth_getWork',
  'eth_submitWork',
  'eth_submitHashrate',
  'eth_getCompilers',
  'eth_protocolVersion',
  'eth_blobBaseFee',
  'eth_simulateV1',
  'eth_config',
  'eth_capabilities',
  'eth_getBlockAccessList',
  'eth_getStorageValues',
  'eth_sendRawTransactionSync',
  'eth_sendRawTransactionConditional',
  'eth_fillTransaction',
  'eth_resend',
  'eth_pendingTransactions',
  'eth_getHeaderByNumber',
  'eth_getHeaderByHash',
  'eth_getRawTransactionByHash',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_callMany',
  'eth_callBundle',
  'eth_sendBundle',
  'net_peerCount',
]);

/** Whole families of such methods: of the node's operator, of its debugger, of the consensus client. */
const NOT_OFFERED_FAMILIES =
  /^(?:eth_compile|personal_|clique_|erigon_|ots_|parity_|testing_|flashbots_|les_|shh_|db_|admin_|miner_|txpool_|debug_|trace_|engine_)/;

/** Why a method that is not offered cannot be called: -32004 if Ethereum knows it, else -32601 (spec "Errors"). */
export function missingMethod(name: string): RpcError {
  const shown = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}…` : name;
  return NOT_OFFERED.has(name) || NOT_OFFERED_FAMILIES.test(name)
    ? new RpcError('METHOD_NOT_SUPPORTED', `${shown} is not offered here`)
    : new RpcError('METHOD_NOT_FOUND', `${shown} does not exist`);
}
