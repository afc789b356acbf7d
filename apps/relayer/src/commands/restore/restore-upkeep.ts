import { readLogs, type AgreedLog } from '@causeway/chain';
import type { Asset } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Fence, Store } from '@causeway/store';
import { decodeEventLog, isAddressEqual, toEventSelector, zeroAddress, type Address, type Hex } from 'viem';
import type { BridgeChain } from '../../bridge-chain.js';
import { decodeSwept, findSweeps } from '../../stages/swept-transfers.js';
import { describeUnmatched, MOST_BURNS, planRetirements, type RetiredEvent } from './restored-retirements.js';

type EventName = 'RelayerChanged' | 'Retired' | 'Swept';

/** Called with the number of blocks done and the total. */
type OnBlocks = (done: number, total: number) => void;

/**
 * Reads every wallet that was ever the relayer of BridgeMint, since transfers from before a rotation went to former
 * ones.
 *
 * @param current the wallet of the address book.
 * @returns addresses in lower case, the current one first.
 * @throws QuorumError
 */
export async function readRelayerWallets(
  partner: BridgeChain,
  current: Address,
  head: bigint,
  onBlocks: OnBlocks,
): Promise<Address[]> {
  const named: Address[] = [];
  for await (const { logs } of readEvents(partner, ['RelayerChanged'], head, onBlocks)) {
    for (const log of logs) {
      const { args } = decode(log, 'RelayerChanged');
      named.push(args.previous, args.current);
    }
  }
  const all = [current, ...named].map((address) => address.toLowerCase() as Address);
  return [...new Set(all)].filter((address) => address !== zeroAddress);
}

export interface UpkeepRestoring {
  readonly store: Pick<Store, 'restore' | 'sweeps'>;
  readonly partner: BridgeChain;
  /** The bridged tokens of the partner chain. */
  readonly tokens: Readonly<Record<Asset, Address>>;
  /** The current wallet. */
  readonly address: Address;
}

/** Counts of restored records, and warnings for operators. */
export interface UpkeepFindings {
  readonly retirements: number;
  readonly sweeps: number;
  readonly warnings: readonly string[];
}

/**
 * Restores the retirements and sweeps up to a block. Idempotent.
 *
 * @throws QuorumError
 */
export async function restoreUpkeep(
  { store, partner, tokens, address }: UpkeepRestoring,
  fence: Fence,
  head: bigint,
  onBlocks: OnBlocks,
): Promise<UpkeepFindings> {
  const { chainId } = partner;
  const open = new Map<Asset, readonly RetiredEvent[]>();
  const warnings: string[] = [];
  let [retirements, sweeps] = [0, 0];
  for await (const { to, logs } of readEvents(partner, ['Retired', 'Swept'], head, onBlocks)) {
    const times = await readTimes(partner, logs);
    const toTime = (blockNumber: bigint) => new Date(Number(times.get(blockNumber) ?? 0n) * 1000);
    for (const [asset, bridged] of Object.entries(tokens)) {
      const events = logs.flatMap((log) => {
        if (!isEvent(log, 'Retired')) return [];
        const { token, amount } = decode(log, 'Retired').args;
        const { transactionHash: txHash, blockNumber } = log;
        return isAddressEqual(token, bridged) ? [{ txHash, amount, at: toTime(blockNumber) }] : [];
      });
      if (events.length === 0) continue;
      const hashes = events.map(({ txHash }) => txHash);
      const known = await store.restore.knownRetirements(chainId, hashes);
      const lost = [...(open.get(asset) ?? []), ...events.filter(({ txHash }) => !known.has(txHash))];
      const burns = await store.restore.completedBurns(chainId, asset, lost.length * MOST_BURNS);
      const plan = planRetirements(burns, lost);
      for (const each of plan.retirements)
        if (await store.restore.restoreRetirement(fence, asset, { chainId, ...each })) retirements++;
      warnings.push(...plan.warnings);
      open.set(asset, plan.open);
    }
    const swept = logs.flatMap((log) => decodeSwept(log) ?? []);
    if (swept.length === 0) continue;
    const unswept = await store.sweeps.findUnswept({ chainId, address }, [], null, to);
    for (const { blockNumber, ...sweep } of findSweeps(chainId, unswept, swept))
      if (await store.restore.restoreSweep(fence, { chainId, ...sweep, at: toTime(blockNumber) })) sweeps++;
  }
  return { retirements, sweeps, warnings: [...warnings, ...[...open.values()].flatMap(describeUnmatched)] };
}

/** Reads events in ranges of blocks, which bound the memory. */
async function* readEvents(
  { connection, bridge, deployedAtBlock: from }: BridgeChain,
  names: readonly EventName[],
  to: bigint,
  onBlocks: OnBlocks,
): AsyncGenerator<{ readonly to: bigint; readonly logs: readonly AgreedLog[] }, void, void> {
  const range = { contracts: [bridge], topics: names.map(computeSelector), from, to };
  for await (const { to: end, logs } of readLogs(connection, range)) {
    yield { to: end, logs };
    onBlocks(Number(end - from) + 1, Number(to - from) + 1);
  }
}

/** The chain times of the logs' blocks, in seconds. */
async function readTimes({ connection }: BridgeChain, logs: readonly AgreedLog[]): Promise<Map<bigint, bigint>> {
  const times = new Map<bigint, bigint>();
  for (const { blockNumber } of logs) {
    if (times.has(blockNumber)) continue;
    const block = await connection.agreedBlock(blockNumber);
    if (block === null) throw new Error(`The nodes of ${connection.name} do not have the final block ${blockNumber}`);
    times.set(blockNumber, block.timestampSeconds);
  }
  return times;
}

function computeSelector(name: EventName): Hex {
  const event = bridgeMintAbi.find((item) => item.type === 'event' && item.name === name);
  if (event?.type !== 'event') throw new Error(`The ABI of BridgeMint has no ${name}`);
  return toEventSelector(event);
}

function isEvent({ topics: [topic] }: AgreedLog, name: EventName): boolean {
  return topic === computeSelector(name);
}

function decode<N extends EventName>({ topics, data }: AgreedLog, eventName: N) {
  return decodeEventLog({ abi: bridgeMintAbi, eventName, topics: [...topics] as [Hex, ...Hex[]], data });
}
