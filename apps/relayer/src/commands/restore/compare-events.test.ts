import { describe, expect, it } from '@jest/globals';
import { decodeBridgeEvent, type VerifiedLog } from '@causeway/chain';
import { operationId } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { ScannedBlock } from '@causeway/store';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import { encodeAbiParameters, encodeEventTopics, numberToHex, type Hex } from 'viem';
import { compareEvents } from './compare-events.js';

const book = anAddressBook();
const timing = {
  ethereumConfirmations: 12,
  partnerConfirmations: 6,
  holdSeconds: 3_600,
  blockSeconds: { ethereum: 12, partner: 2 },
};
const context = { book, side: 'ethereum', timing } as const;
const FENCE = { name: 'relayer', token: 1n };
const BLOCK_HASH = aHash();

/** The log of a deposit of 1,000 units, with its nonce as block number and log index. */
function aDepositLog(nonce: number): VerifiedLog & { readonly blockNumber: Hex; readonly blockHash: Hex } {
  const depositId = operationId(book.ethereum.chainId, book.ethereum.bridgeLock, BigInt(nonce));
  const args = { depositId, token: book.ethereum.tokens.USDC, sender: anAddress() };
  return {
    address: book.ethereum.bridgeLock,
    topics: encodeEventTopics({ abi: bridgeLockAbi, eventName: 'Deposit', args }) as Hex[],
    data: encodeAbiParameters(
      [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
      [anAddress(), 1_000n, BigInt(nonce)],
    ),
    logIndex: nonce,
    transactionHash: aHash(),
    blockNumber: numberToHex(nonce),
    blockHash: BLOCK_HASH,
  };
}

/** Compares the logs of a chain with stored events and terms. */
async function compare(
  logs: readonly ReturnType<typeof aDepositLog>[],
  change: (stored: { events: object[]; terms: object[] }) => void,
  undelivered: readonly Hex[] = [],
) {
  const decoded = logs.map((log) => decodeBridgeEvent(log, context, new Map())!);
  const stored = {
    events: decoded.map(({ txHash, logIndex, name, operationId: id, args }): object => ({
      txHash,
      logIndex,
      name,
      args,
      operationId: id,
    })),
    terms: decoded.map(({ opens }) => ({ ...opens })),
  };
  change(stored);
  const restored: ScannedBlock[] = [];
  const client = {
    request: async () => logs.map((log) => ({ ...log, logIndex: numberToHex(log.logIndex), removed: false })),
  };
  const chain = {
    side: 'ethereum',
    chainId: book.ethereum.chainId,
    bridge: book.ethereum.bridgeLock,
    deployedAtBlock: 1n,
    connection: {
      name: 'Ethereum',
      agree: (read: (one: typeof client) => Promise<unknown>) => read(client),
      agreedBlock: async (number: bigint) => ({ number, hash: BLOCK_HASH, timestampSeconds: 7n }),
    },
  };
  const comparison = {
    events: async () => stored.events,
    terms: async () => stored.terms,
    undelivered: async () => undelivered,
    restoreEvents: async (_: object, __: number, block: ScannedBlock) => restored.push(block) > 0,
  };
  const findings = await compareEvents({ store: { comparison }, chain, context } as never, FENCE, 9n, () => undefined);
  return { findings, restored: restored.map(({ number, events }) => [number, events.length]) };
}

describe('compareEvents', () => {
  const logs = [aDepositLog(1), aDepositLog(2), aDepositLog(3)];

  it('finds nothing in a database that equals the chain', async () => {
    const { findings, restored } = await compare(logs, () => undefined);
    expect([findings, restored]).toEqual([{ restored: 0, listed: [] }, []]);
  });

  it('stores a missing event, a different event, and the event of a missing operation', async () => {
    const { findings, restored } = await compare(logs, (stored) => {
      stored.events.shift();
      Object.assign(stored.events[0]!, { args: { amount: '1001' } });
      stored.terms.pop();
    });
    expect(findings).toEqual({ restored: 3, listed: [] });
    expect(restored).toEqual([
      [1n, 1],
      [2n, 1],
      [3n, 1],
    ]);
  });

  it('lists an operation with other terms, with both values', async () => {
    const recipient = anAddress();
    const { findings, restored } = await compare(logs, ({ terms }) => Object.assign(terms[1]!, { recipient }));
    expect(findings.listed).toEqual([
      expect.stringMatching(new RegExp(`^The Deposit 0x.* has other terms .*: recipient ${recipient} instead of 0x`)),
    ]);
    expect([findings.restored, restored]).toEqual([0, []]);
  });

  it('lists an event that only the database has, and a completed operation without a delivery', async () => {
    const [invented, id] = [{ txHash: aHash(), logIndex: 0, name: 'Release', args: {}, operationId: aHash() }, aHash()];
    const { findings, restored } = await compare(logs, ({ events }) => void events.push(invented), [id]);
    expect(findings.listed).toEqual([
      expect.stringContaining(`The Release ${invented.operationId} in ${invented.txHash} is in the database, but not`),
      expect.stringContaining(`The operation ${id} is COMPLETED`),
    ]);
    expect([findings.restored, restored]).toEqual([0, []]);
  });
});
