import { Account, Address, hexToBytes, KECCAK256_RLP } from '@ethereumjs/util';
import { keccak256 } from '../hash/keccak256.js';
import { encodeHeader } from '../block/encode-header.js';
import { indexTrieRoot } from '../block/index-trie-root.js';
import type { Header } from '../block/header.js';
import type { SealedBlock } from '../block/sealed-block.js';
import { BASE_FEE_PER_GAS } from '../fees/fee-schedule.js';
import { logsBloom } from '../logs/logs-bloom.js';
import type { StateReader } from '../state/state-reader.js';
import { commitState } from '../state/state-trie.js';
import { WorldState } from '../state/world-state.js';
import type { ChainDatabase } from '../storage/chain-database.js';
import { WEI_PER_UNIT } from '../units/native-unit.js';
import type { Genesis } from './genesis.js';

const EMPTY = new Uint8Array(0);
/** Before the genesis there is nothing, whatever the database holds: its block is computed again each time the chain is opened, to be compared. */
const NOTHING: StateReader = { account: () => undefined, slot: () => EMPTY, code: () => EMPTY };

/** Block 0: no transactions, and the state that the genesis says. */
export async function makeGenesisBlock(
  database: ChainDatabase,
  genesis: Genesis,
  rules: { readonly coinbase: Address; readonly gasLimit: bigint },
): Promise<SealedBlock> {
  const world = new WorldState(NOTHING);
  for (const [text, { balance, nonce, code }] of Object.entries(genesis.alloc)) {
    const address = new Address(hexToBytes(text as `0x${string}`));
    await world.putAccount(address, new Account(BigInt(nonce), balance / WEI_PER_UNIT));
    if (code !== '0x') await world.putCode(address, hexToBytes(code));
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
