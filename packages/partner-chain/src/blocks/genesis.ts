import { Account, Address, hexToBytes, KECCAK256_RLP } from '@ethereumjs/util';
import { z } from 'zod';
import type { ChainDatabase } from '../db/tables.js';
import { BASE_FEE_PER_GAS } from '../evm/fees.js';
import { keccak256 } from '../keccak256.js';
import { logsBloom } from '../logs/log.js';
import type { StateReader } from '../state/state-reader.js';
import { commitState } from '../state/state-trie.js';
import { WorldState } from '../state/world-state.js';
import { WEI_PER_UNIT } from '../units.js';
import { encodeHeader, type Header } from './header.js';
import { indexTrieRoot } from './index-trie-root.js';
import type { SealedBlock } from './write-block.js';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
  .transform((text) => text.toLowerCase() as `0x${string}`);

/** An amount in wei as decimal or 0x-hex text; whole units of 8 decimals only. */
const weiAmount = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/, 'must be an amount in wei, decimal or 0x-hex')
  .transform(BigInt)
  .refine((wei) => wei % WEI_PER_UNIT === 0n, `must be a multiple of ${WEI_PER_UNIT} wei, one unit inside the EVM`);

const hexData = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be 0x-hex')
  .transform((text) => text as `0x${string}`);

/** The initial state of the chain: JSON like Ethereum's genesis files. */
export const genesisSchema = z.strictObject({
  /** Seconds since 1970 of block 0. */
  timestamp: z.number().int().min(0).default(0),
  /** Address -> account in block 0. */
  alloc: z
    .record(
      address,
      z.strictObject({
        balance: weiAmount.default(0n),
        nonce: z.number().int().min(0).default(0),
        code: hexData.default('0x'),
      }),
    )
    .default({}),
});

/** A genesis before parsing: amounts as text, every field optional. */
export type GenesisInput = z.input<typeof genesisSchema>;
export type Genesis = z.output<typeof genesisSchema>;

const EMPTY = new Uint8Array(0);
/** The empty state, independent of the database: opening a chain always computes the genesis block again. */
const NOTHING: StateReader = { account: () => undefined, slot: () => EMPTY, code: () => EMPTY };

/** Makes block 0: no transactions, and the state of the genesis. */
export async function makeGenesisBlock(
  database: ChainDatabase,
  genesis: Genesis,
  rules: { readonly coinbase: Address; readonly gasLimit: bigint },
): Promise<SealedBlock> {
  const world = new WorldState(NOTHING);
  for (const [text, { balance, nonce, code }] of Object.entries(genesis.alloc)) {
    const account = new Address(hexToBytes(text as `0x${string}`));
    await world.putAccount(account, new Account(BigInt(nonce), balance / WEI_PER_UNIT));
    if (code !== '0x') await world.putCode(account, hexToBytes(code));
  }
  const changes = world.changes();
  const state = await commitState(database, NOTHING, KECCAK256_RLP, changes);
  const header: Header = {
    parentHash: new Uint8Array(32),
    coinbase: rules.coinbase.bytes,
    stateRoot: state.stateRoot,
    transactionsRoot: indexTrieRoot([]),
    receiptsRoot: indexTrieRoot([]),
    logsBloom: logsBloom([]),
    number: 0,
    gasLimit: rules.gasLimit,
    gasUsed: 0n,
    timestamp: genesis.timestamp,
    prevRandao: new Uint8Array(32),
    baseFeePerGas: BASE_FEE_PER_GAS,
  };
  return { hash: keccak256(encodeHeader(header)), header, transactions: [], changes, state };
}
