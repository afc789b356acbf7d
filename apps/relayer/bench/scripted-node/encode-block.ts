import { createHash } from 'node:crypto';
import { encodeHeader, encodeReceipt, indexTrieRoot, keccak256, logsBloom } from '@causeway/partner-chain';
import { bytesToBigInt, bytesToHex, numberToHex, toBytes, toHex, toRlp, type Hex } from 'viem';
import { CHAIN_ID, type ScriptedTransaction } from './scripts.ts';

// Blocks whose hashes, roots and signatures are right, as the answers of JSON-RPC.

const EMPTY = new Uint8Array(0);
const EMPTY_ROOT = indexTrieRoot([]);
const MINER = new Uint8Array(20).fill(0xfe);
const STATE_ROOT = new Uint8Array(32).fill(0xab);
const GENESIS_SECONDS = 1_700_000_000;
const SECONDS_PER_BLOCK = 12;
const BASE_FEE = 10n ** 9n;
const TIP = 10n ** 8n;
const MAX_FEE = 2n * 10n ** 9n;
const GAS_LIMIT = 60_000_000n;
const FEES = `"maxFeePerGas":"${toHex(MAX_FEE)}","maxPriorityFeePerGas":"${toHex(TIP)}"`;
const EFFECTIVE_PRICE = toHex(BASE_FEE + TIP);

/** Order of secp256k1, and the x of its generator. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;

/** A block as the node answers it. The texts are JSON. */
export interface EncodedBlock {
  readonly hash: Uint8Array;
  /** The members of the header, without braces. Empty blocks are answered only on request. */
  readonly header: () => string;
  readonly transactionHashes: readonly Hex[];
  readonly transactions: readonly string[];
  readonly receipts: readonly string[];
  /** One list for each transaction. */
  readonly logs: readonly (readonly string[])[];
}

const shared = [
  `"sha3Uncles":"${hexHash(toRlp([], 'bytes'))}"`,
  `"miner":"${bytesToHex(MINER)}","difficulty":"0x0","totalDifficulty":"0x0","extraData":"0x","size":"0x400"`,
  `"stateRoot":"${bytesToHex(STATE_ROOT)}","nonce":"0x0000000000000000","gasLimit":"${toHex(GAS_LIMIT)}"`,
  `"mixHash":"${bytesToHex(new Uint8Array(32))}","baseFeePerGas":"${toHex(BASE_FEE)}","uncles":[],"withdrawals":[]`,
  `"withdrawalsRoot":"${hexHash(toRlp('0x', 'bytes'))}","blobGasUsed":"0x0","excessBlobGas":"0x0"`,
  `"parentBeaconBlockRoot":"${bytesToHex(new Uint8Array(32))}"`,
  `"requestsHash":"0x${createHash('sha256').digest('hex')}"`,
].join(',');

/** Encodes a block with its transactions. `getNonce` counts the transactions of each sender. */
export function encodeBlock(
  number: number,
  parentHash: Uint8Array,
  transactions: readonly ScriptedTransaction[],
  getNonce: (key: bigint) => bigint,
): EncodedBlock {
  const signed = transactions.map((transaction) => sign(transaction, getNonce(transaction.sender.key)));
  let cumulativeGasUsed = 0n;
  const receipts = transactions.map(({ gasUsed, logs }) => {
    cumulativeGasUsed += gasUsed;
    const outcome = { type: 2, status: 1, gasUsed, effectiveGasPrice: BASE_FEE + TIP, contractAddress: null } as const;
    return { ...outcome, cumulativeGasUsed, logs, logsBloom: logsBloom(logs) };
  });
  const header = {
    parentHash,
    coinbase: MINER,
    stateRoot: STATE_ROOT,
    transactionsRoot: signed.length === 0 ? EMPTY_ROOT : indexTrieRoot(signed.map(({ raw }) => raw)),
    receiptsRoot: signed.length === 0 ? EMPTY_ROOT : indexTrieRoot(receipts.map(encodeReceipt)),
    logsBloom: logsBloom(transactions.flatMap(({ logs }) => logs)),
    number,
    gasLimit: GAS_LIMIT,
    gasUsed: cumulativeGasUsed,
    timestamp: GENESIS_SECONDS + SECONDS_PER_BLOCK * number,
    prevRandao: new Uint8Array(32),
    baseFeePerGas: BASE_FEE,
  };
  const hash = keccak256(encodeHeader(header));
  const time = `"blockTimestamp":"${toHex(header.timestamp)}"`;
  const blockAt = `"blockHash":"${bytesToHex(hash)}","blockNumber":"${toHex(number)}"`;
  let logIndex = 0;
  const logs = transactions.map((transaction, index) =>
    transaction.logs.map(({ address, topics, data }) =>
      [
        `{${blockAt},"transactionHash":"${signed[index]?.hash}","transactionIndex":"${toHex(index)}"`,
        `"logIndex":"${toHex(logIndex++)}",${time},"removed":false,"address":"${bytesToHex(address)}"`,
        `"topics":[${topics.map((topic) => `"${bytesToHex(topic)}"`).join(',')}],"data":"${bytesToHex(data)}"}`,
      ].join(','),
    ),
  );
  return {
    hash,
    header: () =>
      [
        `"number":"${toHex(number)}","hash":"${bytesToHex(hash)}","parentHash":"${bytesToHex(parentHash)}"`,
        `"timestamp":"${toHex(header.timestamp)}","logsBloom":"${bytesToHex(header.logsBloom)}"`,
        `"transactionsRoot":"${bytesToHex(header.transactionsRoot)}"`,
        `"receiptsRoot":"${bytesToHex(header.receiptsRoot)}","gasUsed":"${toHex(cumulativeGasUsed)}",${shared}`,
      ].join(','),
    transactionHashes: signed.map(({ hash: transactionHash }) => transactionHash),
    transactions: signed.map(({ json }, index) => `{${blockAt},"transactionIndex":"${toHex(index)}",${json}}`),
    receipts: receipts.map((receipt, index) =>
      [
        `{${blockAt},"transactionHash":"${signed[index]?.hash}","transactionIndex":"${toHex(index)}","type":"0x2"`,
        `"from":"${transactions[index]?.sender.address}","to":"${transactions[index]?.to}","status":"0x1"`,
        `"gasUsed":"${toHex(receipt.gasUsed)}","cumulativeGasUsed":"${toHex(receipt.cumulativeGasUsed)}"`,
        `"effectiveGasPrice":"${EFFECTIVE_PRICE}","contractAddress":null`,
        `"logsBloom":"${bytesToHex(receipt.logsBloom)}","logs":[${logs[index]?.join(',') ?? ''}]}`,
      ].join(','),
    ),
    logs,
  };
}

/**
 * Signs a transaction of type 2 (EIP-1559). The nonce of every signature is 1: it makes a valid signature in
 * microseconds, and reveals keys that guard nothing.
 */
function sign({ sender, to, value, input }: ScriptedTransaction, nonce: bigint) {
  const unsigned = [CHAIN_ID, nonce, TIP, MAX_FEE, 1_000_000].map((field) => integer(BigInt(field)));
  const fields = [...unsigned, toBytes(to), integer(value), input, []];
  const digest = bytesToBigInt(keccak256(typed(fields)));
  const full = (digest + GENERATOR_X * sender.key) % CURVE_ORDER;
  // A signature is valid with the lower of both values of s only (EIP-2). The y of the generator is even.
  const isHigh = full > CURVE_ORDER / 2n;
  const s = isHigh ? CURVE_ORDER - full : full;
  const yParity = isHigh ? 1n : 0n;
  const raw = typed([...fields, integer(yParity), integer(GENERATOR_X), integer(s)]);
  const hash = hexHash(raw);
  const json = [
    `"hash":"${hash}","type":"0x2","chainId":"${toHex(CHAIN_ID)}","from":"${sender.address}","to":"${to}"`,
    `"value":"${toHex(value)}","nonce":"${toHex(nonce)}","gas":"${toHex(1_000_000)}","input":"${bytesToHex(input)}"`,
    `"gasPrice":"${EFFECTIVE_PRICE}",${FEES},"accessList":[],"v":"${toHex(yParity)}","yParity":"${toHex(yParity)}"`,
    `"r":"${toHex(GENERATOR_X)}","s":"${toHex(s)}"`,
  ].join(',');
  return { raw, hash, json };
}

function typed(fields: readonly (Uint8Array | readonly never[])[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(2), toRlp(fields as Uint8Array[], 'bytes')]);
}

function integer(value: bigint): Uint8Array {
  return value === 0n ? EMPTY : toBytes(numberToHex(value));
}

function hexHash(bytes: Uint8Array): Hex {
  return bytesToHex(keccak256(bytes));
}
