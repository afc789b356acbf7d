import { operationId } from '@causeway/protocol';
import { keccak256, numberToHex, pad, stringToBytes, toBytes, zeroAddress, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

// The content of the scripted chains. It follows from the numbers alone, so that every run reads the same chain.

/** The contract whose events are read. Nothing executes it. */
export const BRIDGE_LOCK: Address = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
/** Mainnet's, so that indexers use its usual number of blocks for finality. */
export const CHAIN_ID = 1;
/** First topic of the event Deposit. */
export const DEPOSIT_TOPIC: Hex = keccak256(stringToBytes('Deposit(bytes32,address,address,address,uint256,uint256)'));
/** Empty blocks after the last one that counts: more than any indexer waits for finality. */
export const TAIL_BLOCKS = 100;

const TRANSFER_TOPIC = keccak256(stringToBytes('Transfer(address,address,uint256)'));
const FOREIGN_TOKENS = 20;
const SENDERS = 64;

/** Blocks of a scripted chain, and their content. Blocks 1 to `blocks` count; block 0 is empty. */
export interface ChainScript {
  readonly blocks: number;
  /** Deposits in all. */
  readonly deposits: number;
  /** Transactions of others in each block. */
  readonly foreign: number;
}

/** The scripts of the comparison. */
export const SCRIPTS = {
  lean: { blocks: 8_000, deposits: 100_000, foreign: 0 },
  busy: { blocks: 300, deposits: 900, foreign: 117 },
  empty: { blocks: 1_000_000, deposits: 0, foreign: 0 },
} as const satisfies Record<string, ChainScript>;
export type ScriptName = keyof typeof SCRIPTS;

/** A smaller script with the same blocks, for a quick look. */
export function shrunk({ blocks, deposits, foreign }: ChainScript, divisor: number): ChainScript {
  return { blocks: Math.ceil(blocks / divisor), deposits: Math.ceil(deposits / divisor), foreign };
}

/** A log of a scripted transaction. */
interface ScriptedLog {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** A transaction of the script, unsigned. */
export interface ScriptedTransaction {
  readonly sender: { readonly key: bigint; readonly address: Address };
  readonly to: Address;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gasUsed: bigint;
  readonly logs: readonly ScriptedLog[];
}

const senders = Array.from({ length: SENDERS }, (_, index) => {
  const key = BigInt(index + 1);
  const { address } = privateKeyToAccount(numberToHex(key, { size: 32 }));
  return { key, address: address.toLowerCase() as Address };
});
const lockBytes = toBytes(BRIDGE_LOCK);
const depositTopic = toBytes(DEPOSIT_TOPIC);
const transferTopic = toBytes(TRANSFER_TOPIC);

/** How many deposits are in the blocks up to a number, spread evenly. */
export function depositsUntil({ blocks, deposits }: ChainScript, block: number): number {
  return Math.floor((Math.min(block, blocks) * deposits) / blocks);
}

/** The transactions of a block: the deposits among those of others. */
export function listTransactions(script: ChainScript, block: number): ScriptedTransaction[] {
  if (block === 0 || block > script.blocks) return [];
  const first = depositsUntil(script, block - 1);
  const count = depositsUntil(script, block) - first;
  const deposits = Array.from({ length: count }, (_, index) => deposit(first + index));
  const foreign = Array.from({ length: script.foreign }, (_, index) => foreignTransaction(block, index));
  const middle = foreign.length >> 1;
  return [...foreign.slice(0, middle), ...deposits, ...foreign.slice(middle)];
}

function deposit(nonce: number): ScriptedTransaction {
  const sender = senderAt(nonce);
  const amount = 10n ** 15n + BigInt(nonce);
  const recipient = padded(BigInt(nonce) + 2n ** 80n);
  return {
    sender,
    to: BRIDGE_LOCK,
    value: amount,
    input: Buffer.concat([Buffer.from('b6b55f25', 'hex'), recipient]),
    gasUsed: 52_000n,
    logs: [
      {
        address: lockBytes,
        topics: [
          depositTopic,
          toBytes(operationId(CHAIN_ID, BRIDGE_LOCK, BigInt(nonce))),
          padded(BigInt(zeroAddress)),
          padded(BigInt(sender.address)),
        ],
        data: Buffer.concat([recipient, padded(amount), padded(BigInt(nonce))]),
      },
    ],
  };
}

/** A third sends coin, the others call tokens with one to four logs: about the mix of a block of mainnet. */
function foreignTransaction(block: number, index: number): ScriptedTransaction {
  const sender = senderAt(block + index);
  const token = numberToHex(2n ** 100n + BigInt((block + index) % FOREIGN_TOKENS), { size: 20 });
  if (index % 3 === 0)
    return { sender, to: token, value: 10n ** 16n, input: new Uint8Array(0), gasUsed: 21_000n, logs: [] };
  const logs = Array.from({ length: 1 + (index % 4) }, (_, log) => ({
    address: toBytes(token),
    topics: [transferTopic, padded(BigInt(sender.address)), padded(2n ** 90n + BigInt(block * 500 + index + log))],
    data: padded(10n ** 18n + BigInt(log)),
  }));
  const input = Buffer.alloc(68 + 32 * (index % 8), index);
  return { sender, to: token, value: 0n, input, gasUsed: 60_000n + 30_000n * BigInt(logs.length), logs };
}

function senderAt(index: number): ScriptedTransaction['sender'] {
  const sender = senders[index % SENDERS];
  if (sender === undefined) throw new RangeError(`There is no sender ${index}`);
  return sender;
}

function padded(value: bigint): Uint8Array {
  return toBytes(pad(numberToHex(value), { size: 32 }));
}
