import { describe, expect, it } from '@jest/globals';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { aBurn, aDeposit, anOperation } from '@causeway/store/test';
import { aHash, anAddress } from '@causeway/test-kit';
import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem';
import { toOutcome, unpaidOperations } from './call-end.js';

const BRIDGE = anAddress('bridge');
const NOW = 1_000_000;

const skipped = (nonce: bigint, reason: number, address = BRIDGE) => ({
  address,
  topics: encodeEventTopics({ abi: bridgeLockAbi, eventName: 'Skipped', args: { nonce } }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint8' }], [reason]),
});
const released = (withdrawId: Hex, address = BRIDGE) => ({
  address,
  topics: encodeEventTopics({
    abi: bridgeLockAbi,
    eventName: 'Release',
    args: { withdrawId, token: anAddress(), recipient: anAddress() },
  }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [1n, 1n]),
});
const minted = (depositId: Hex) => ({
  address: BRIDGE,
  topics: encodeEventTopics({
    abi: bridgeMintAbi,
    eventName: 'Mint',
    args: { depositId, token: anAddress(), recipient: anAddress() },
  }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [1n]),
});

const receipt = (logs: readonly ReturnType<typeof released>[]) => {
  return { hash: aHash(), status: 'success', block: { number: 7n, hash: aHash() }, feePaid: 5n, logs } as const;
};
const ended = (nonce: bigint, reverts = 0) => ({ ...anOperation(aBurn({ originNonce: nonce })), reverts });

describe('the operations that a call did not pay', () => {
  it.each([
    ['ethereum', 1, 'DESTINATION_REVERTED'],
    ['ethereum', 2, 'DESTINATION_REVERTED'],
    ['ethereum', 3, 'OUTFLOW_LIMIT'],
    ['ethereum', 4, 'COLLATERAL_SHORT'],
    ['partner', 4, 'FLOAT_SHORT'],
  ] as const)('on %s, an operation skipped for reason %d waits as %s', (side, code, reason) => {
    const [paid, left] = [ended(1n), ended(2n)];
    const end = { kind: 'succeeded', receipt: receipt([released(paid.id), skipped(2n, code)]) } as const;
    const unpaid = unpaidOperations(end, [paid, left], { side, address: BRIDGE }, NOW);
    expect(unpaid).toMatchObject([{ operationId: left.id, reason }]);
    expect(unpaid[0]!.nextAttemptAt.getTime()).toBeGreaterThan(NOW);
  });

  it('wait longer with each of their own reverts, when the destination refuses them', () => {
    const end = { kind: 'succeeded', receipt: receipt([skipped(1n, 1), skipped(2n, 1)]) } as const;
    const unpaid = unpaidOperations(end, [ended(1n), ended(2n, 2)], { side: 'ethereum', address: BRIDGE }, NOW);
    const pauses = unpaid.map(({ nextAttemptAt }) => nextAttemptAt.getTime() - NOW);
    expect(pauses).toEqual([60_000, 16 * 60_000]);
  });

  it('are none when every event is present; events of other contracts are ignored', () => {
    const deposit = { ...anOperation(aDeposit()), reverts: 0 };
    const mint = { kind: 'succeeded', receipt: receipt([minted(deposit.id)]) } as const;
    expect(unpaidOperations(mint, [deposit], { side: 'partner', address: BRIDGE }, NOW)).toEqual([]);
    const burn = ended(3n);
    const forged = { kind: 'succeeded', receipt: receipt([released(burn.id, anAddress())]) } as const;
    const unpaid = unpaidOperations(forged, [burn], { side: 'ethereum', address: BRIDGE }, NOW);
    expect(unpaid).toMatchObject([{ operationId: burn.id }]);
  });

  it('are all operations of a reverted call, each with a delay by its own reverts', () => {
    const end = { kind: 'reverted', receipt: receipt([]) } as const;
    const unpaid = unpaidOperations(end, [ended(1n), ended(2n, 2)], { side: 'ethereum', address: BRIDGE }, NOW);
    expect(unpaid.map(({ reason, nextAttemptAt }) => [reason, nextAttemptAt.getTime() - NOW])).toEqual([
      ['DESTINATION_REVERTED', 60_000],
      ['DESTINATION_REVERTED', 16 * 60_000],
    ]);
  });

  it("are due immediately when the call's attestation was void, however often they reverted", () => {
    const unpaid = unpaidOperations({ kind: 'void' }, [ended(1n, 5)], { side: 'ethereum', address: BRIDGE }, NOW);
    expect(unpaid).toMatchObject([{ reason: 'ATTESTERS_UNAVAILABLE', nextAttemptAt: new Date(NOW) }]);
  });

  it.each([
    [{ kind: 'cancelled', receipt: receipt([]) }, 'ORIGIN_NOT_CONFIRMED', 'CANCELLED'],
    [{ kind: 'taken' }, 'NONCE_TAKEN', 'TAKEN'],
  ] as const)('are all operations of a call that ended otherwise: %o', (end, reason, state) => {
    const unpaid = unpaidOperations(end, [ended(1n)], { side: 'ethereum', address: BRIDGE }, NOW);
    expect(unpaid).toMatchObject([{ reason }]);
    expect(toOutcome(end).state).toBe(state);
  });
});
