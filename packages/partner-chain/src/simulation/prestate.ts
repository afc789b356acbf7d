import { bytesToUnprefixedHex, hexToBytes, type Account } from '@ethereumjs/util';
import type { ChainReader } from '../blocks/chain-reader.js';
import { PartnerChainError } from '../errors.js';
import { toHex } from '../evm/call-tree.js';
import { executeTransaction } from '../evm/execute-transaction.js';
import type { PartnerEvm } from '../evm/partner-evm.js';
import { decodeTransaction } from '../evm/transaction.js';
import { LayeredState, MutableLayer } from '../state/layered-state.js';
import { RecordingState } from '../state/recording-state.js';
import type { StateReader } from '../state/state-reader.js';
import type { StateChanges } from '../state/world-state.js';
import type { CallRequest } from './call-request.js';
import { contextAfter, runCall, type CallContext } from './simulate.js';

type Hex = `0x${string}`;

/** The state of an account in a trace. */
export interface TracedAccount {
  /** Units of 8 decimals. */
  readonly balance?: bigint;
  readonly nonce?: bigint;
  readonly code?: Hex;
  /** Words by slot, 32 bytes each. */
  readonly storage?: Readonly<Record<Hex, Hex>>;
}

/** The accounts that an execution read, before and after it, by address. */
export interface StateTrace {
  readonly pre: Readonly<Record<Hex, TracedAccount>>;
  /** Only changed accounts, without deleted ones. */
  readonly post: Readonly<Record<Hex, TracedAccount>>;
}

/** Maximum characters of code and storage in one answer: each transaction of a block can read the same large code. */
const MAX_TRACE_LENGTH = 16 * 1024 * 1024;

const ACCOUNT_LENGTH = 256;
const WORD_LENGTH = 66;

/** Remaining characters for traces. */
interface Room {
  left: number;
}

/**
 * Traces the state that a call reads and changes.
 *
 * @throws PartnerChainError TOO_MANY_RESULTS for a trace that is too large.
 */
export async function traceCallState(
  evm: PartnerEvm,
  { state, block }: CallContext,
  request: CallRequest,
): Promise<StateTrace> {
  const recorded = new RecordingState(state);
  evm.begin(recorded);
  await runCall(evm, block, request);
  return compare(recorded, state, evm.state.changes(), { left: MAX_TRACE_LENGTH });
}

/**
 * Traces the state that a block's transactions read and changed, by executing the block again.
 *
 * @param index of one transaction; null for all.
 * @throws PartnerChainError TOO_MANY_RESULTS if the traces together are too large.
 */
export async function traceBlockState(
  evm: PartnerEvm,
  reader: ChainReader,
  blockNumber: number,
  index: number | null,
): Promise<StateTrace[]> {
  const stored = reader.block(blockNumber);
  // The genesis has no transactions.
  if (stored === null || blockNumber === 0) return [];
  const { block } = contextAfter(evm, { state: () => reader.state(blockNumber - 1) }, stored);
  const layer = new MutableLayer();
  const before = new LayeredState(reader.state(blockNumber - 1), layer);
  const traces: StateTrace[] = [];
  const room = { left: MAX_TRACE_LENGTH };
  for (const { raw, index: place } of reader.transactions(blockNumber)) {
    if (index !== null && place > index) break;
    const recorded = new RecordingState(before);
    evm.begin(recorded);
    await executeTransaction(evm, decodeTransaction(raw, evm.evm.common), block);
    const changes = evm.state.changes();
    if (index === null || place === index) traces.push(compare(recorded, before, changes, room));
    layer.add(changes);
  }
  return traces;
}

function compare(recorded: RecordingState, before: StateReader, changes: StateChanges, room: Room): StateTrace {
  const after = new LayeredState(before, { ...changes, emptied: new Set() });
  const pre: Record<Hex, TracedAccount> = {};
  const post: Record<Hex, TracedAccount> = {};
  const names = new Set([...recorded.accounts.keys(), ...recorded.slots.keys()]);
  for (const name of [...names].toSorted()) {
    const address = hexToBytes(`0x${name}`);
    const [old, current] = [before.account(address), after.account(address)];
    const slots = [
      ...new Set([...(recorded.slots.get(name)?.keys() ?? []), ...(changes.slots.get(name)?.keys() ?? [])]),
    ];
    const described = describe(before, address, old, slots);
    pre[`0x${name}`] = described;
    // Code counts twice, because it may be in both parts, and a slot counts as two words.
    room.left -= 2 * (described.code?.length ?? 0) + ACCOUNT_LENGTH + 4 * WORD_LENGTH * slots.length;
    if (room.left < 0)
      throw new PartnerChainError('TOO_MANY_RESULTS', 'response size exceeded: the trace is too large');
    if (current === undefined) continue;
    const changed = describeChange(described, describe(after, address, current, slots));
    if (Object.keys(changed).length > 0) post[`0x${name}`] = changed;
  }
  return { pre, post };
}

function describe(
  state: StateReader,
  address: Uint8Array,
  account: Account | undefined,
  slots: readonly string[],
): TracedAccount {
  const storage = slots.toSorted().map((slot) => [`0x${slot}`, toWord(state.slot(address, hexToBytes(`0x${slot}`)))]);
  return {
    balance: account?.balance ?? 0n,
    nonce: account?.nonce ?? 0n,
    code: account?.isContract() === true ? toHex(state.code(account.codeHash)) : '0x',
    storage: Object.fromEntries(storage) as Record<Hex, Hex>,
  };
}

function describeChange(old: TracedAccount, current: TracedAccount): TracedAccount {
  const words = Object.entries(current.storage ?? {}).filter(([slot, word]) => old.storage?.[slot as Hex] !== word);
  return {
    ...(current.balance === old.balance ? {} : { balance: current.balance }),
    ...(current.nonce === old.nonce ? {} : { nonce: current.nonce }),
    ...(current.code === old.code ? {} : { code: current.code }),
    ...(words.length === 0 ? {} : { storage: Object.fromEntries(words) }),
  };
}

function toWord(value: Uint8Array): Hex {
  return `0x${bytesToUnprefixedHex(value).padStart(64, '0')}`;
}
