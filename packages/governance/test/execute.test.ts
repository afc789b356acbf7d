import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, getAddress, zeroHash, type Address } from 'viem';
import { adminTimelockAbi } from '@causeway/contracts/abi';
import type { AdminCall } from '../src/calls/calls.js';
import { setFeePolicy } from '../src/plans/fees.js';
import { setListing } from '../src/plans/listings.js';
import { pause, unpause } from '../src/plans/pauses.js';
import { rotateRelayer } from '../src/plans/relayer.js';
import { deployer, guardian, mined, owner, policyManager, relayer, makeTarget } from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

// The owner of the timelock is the admin of both contracts.

const DELAY_SECONDS = 7_200;
const DAY_SECONDS = 86_400;
const SOMEBODY: Address = '0x00000000000000000000000000000000000000ab';
const SOMEBODY_CHECKSUMMED = getAddress(SOMEBODY);

let operator: Operator;
let as: Operator['as'];

beforeAll(async () => {
  operator = await startOperator({ admin: owner.address, adminDelaySeconds: DELAY_SECONDS });
  ({ as } = operator);
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

async function pauses(): Promise<readonly boolean[]> {
  const { ethereum, partner, lock, mint } = operator;
  return Promise.all([
    ethereum.client.readContract({ ...lock, functionName: 'depositsPaused' }),
    partner.client.readContract({ ...mint, functionName: 'mintsPaused' }),
    partner.client.readContract({ ...mint, functionName: 'burnsPaused' }),
    ethereum.client.readContract({ ...lock, functionName: 'releasesPaused' }),
  ]);
}

async function relayers(): Promise<readonly Address[]> {
  return Promise.all([
    operator.ethereum.client.readContract({ ...operator.lock, functionName: 'relayer' }),
    operator.partner.client.readContract({ ...operator.mint, functionName: 'relayer' }),
  ]);
}

async function rotation(newRelayer: Address): Promise<AdminCall[]> {
  return rotateRelayer(operator.book, newRelayer, operator.clients);
}

/** Schedules a call on Ethereum without simulating it. */
async function scheduleBlindly({ to, abi, functionName, args }: AdminCall): Promise<void> {
  const timelock = await operator.ethereum.client.readContract({ ...operator.lock, functionName: 'owner' });
  const data = encodeFunctionData({ abi, functionName, args });
  const sent = makeTarget(operator.chains.anvils[0], owner).wallet.writeContract({
    address: timelock,
    abi: adminTimelockAbi,
    functionName: 'schedule',
    args: [to, 0n, data, zeroHash, zeroHash, BigInt(DELAY_SECONDS)],
  });
  await mined(operator.ethereum, sent);
}

describe('executeTogether', () => {
  it('shows a pause decoded, and sends it only with wallets', async () => {
    const { book } = operator;
    const shown = await as(guardian, pause(book, 'partner-to-ethereum'));
    expect(shown).toMatch(
      /Sentinel on ethereum: pause\n {2}beginnings = false\n {2}deliveries = true\ncall: pause of 0x/,
    );
    expect(shown).toMatch(/Sentinel on partner: pause\n {2}beginnings = true\n {2}deliveries = false/);
    expect(shown).toMatch(/data 0x[0-9a-f]{136}/);
    expect(shown).toContain('Nothing was sent');
    expect(await pauses()).toEqual([false, false, false, false]);
    await as(guardian, pause(book, 'partner-to-ethereum'), true);
    expect(await pauses()).toEqual([false, false, true, true]);
    await as(guardian, pause(book, 'ethereum-to-partner'), true);
    expect(await pauses()).toEqual([true, true, true, true]);
  });

  it('refuses an account without the role, before anything is sent', async () => {
    const { book, clients } = operator;
    await expect(as(deployer, pause(book, 'both'), true)).rejects.toThrow(
      /is neither pauser nor guardian of BridgeLock on ethereum/,
    );
    await expect(as(guardian, await rotation(SOMEBODY))).rejects.toThrow(/is not the owner of the timelock/);
    const terms = { bps: 25, minFee: 1n, minAmount: 2n };
    await expect(as(owner, setFeePolicy(book, 'ETH', terms, clients))).rejects.toThrow(
      /is not policyManager of BridgeMint/,
    );
    expect(await pauses()).toEqual([false, false, false, false]);
  });

  it('simulates a call before it is sent, and names the revert with its values', async () => {
    const { book, clients } = operator;
    const nothing = setFeePolicy(book, 'ETH', { bps: 25, minFee: 5n, minAmount: 5n }, clients);
    await expect(as(policyManager, nothing, true)).rejects.toThrow(/MinimumNotAboveFee[^]*\(5, 5\)/);
    const high = setFeePolicy(book, 'ETH', { bps: 101, minFee: 5n, minAmount: 6n }, clients);
    await expect(as(policyManager, high, true)).rejects.toThrow(/AboveCeiling[^]*\(101, 100\)/);
  });

  it('rotates the relayer through the timelock: scheduled, waited for, executed', async () => {
    const calls = await rotation(SOMEBODY);
    expect(await as(owner, calls)).toMatch(/newRelayer = 0x0+AB\nschedule in the timelock: schedule of 0x/i);
    await as(owner, calls, true);
    expect(await as(owner, calls, true)).toMatch(/wait for the timelock, then execute: execute of 0x.*\nready at 2/);
    expect(await relayers()).toEqual([relayer.address, relayer.address]);
    await operator.pass(DELAY_SECONDS);
    expect(await as(owner, calls)).toContain('execute in the timelock');
    await as(owner, calls, true);
    expect(await relayers()).toEqual([SOMEBODY_CHECKSUMMED, SOMEBODY_CHECKSUMMED]);
    expect(await rotation(SOMEBODY)).toEqual([]);
    // The same call can be scheduled again after its execution.
    const listing = { asset: 'ETH', mayBegin: false, mayDeliver: true } as const;
    for (const mayBegin of [false, true, false]) {
      const change = setListing(operator.book, { ...listing, mayBegin }, operator.clients);
      await as(owner, change, true);
      await operator.pass(DELAY_SECONDS);
      expect(await as(owner, change, true)).toContain('execute in the timelock');
    }
    expect((await setListing(operator.book, listing, operator.clients)).calls).toEqual([]);
  });

  it('schedules nothing that would revert later', async () => {
    await expect(as(owner, await rotation(policyManager.address), true)).rejects.toThrow(/RoleTaken[^]*0x976E/);
    const [call] = await rotation(policyManager.address);
    if (call === undefined) throw new Error('no call');
    await scheduleBlindly(call);
    await expect(as(owner, [call])).rejects.toThrow(/RoleTaken/);
  });

  it('changes neither contract before both are ready, unless one is chosen', async () => {
    const calls = await rotation(SOMEBODY);
    const ofEthereum = calls.slice(0, 1);
    await as(owner, ofEthereum, true);
    await operator.pass(DELAY_SECONDS);
    // Scheduling changes nothing yet, so the other call can be scheduled.
    const shown = await as(owner, calls, true);
    expect(shown).toMatch(/setRelayer on ethereum is held back, because .* Use --chain ethereum to send it alone/);
    expect(shown).toContain('sent to partner');
    expect(await as(owner, calls, true)).toMatch(/is held back.*\nNothing was sent\.$/);
    expect(await relayers()).toEqual([relayer.address, relayer.address]);
    await as(owner, ofEthereum, true);
    expect(await relayers()).toEqual([SOMEBODY_CHECKSUMMED, relayer.address]);
    await operator.pass(DELAY_SECONDS);
    // Only the other call is left.
    expect((await rotation(SOMEBODY)).map(({ chain }) => chain)).toEqual(['partner']);
    await as(owner, await rotation(SOMEBODY), true);
    expect(await relayers()).toEqual([SOMEBODY_CHECKSUMMED, SOMEBODY_CHECKSUMMED]);
  });
});

describe('pauses', () => {
  it('lifts the pause of one direction and leaves the other paused', async () => {
    const { book, clients } = operator;
    await as(guardian, pause(book, 'both'), true);
    const lifting = await unpause(book, 'ethereum-to-partner', clients);
    expect(lifting.changes.join('\n')).toMatch(
      /^BridgeLock on ethereum: pause number 1\n {2}beginnings: paused until 2\S+Z -> resumed\nBridgeMint on partner: pause number 1\n {2}deliveries: paused -> resumed$/,
    );
    await as(owner, lifting, true);
    await operator.pass(DELAY_SECONDS);
    await as(owner, lifting, true);
    expect(await pauses()).toEqual([false, false, true, true]);
    expect((await unpause(book, 'ethereum-to-partner', clients)).calls).toEqual([]);
  });

  it('refuses to lift a later pause than the one in the call', async () => {
    const { book, clients } = operator;
    await as(guardian, pause(book, 'both'), true);
    const first = await unpause(book, 'both', clients);
    await as(owner, first, true);
    await as(guardian, pause(book, 'both'), true);
    await operator.pass(DELAY_SECONDS);
    await expect(as(owner, first, true)).rejects.toThrow(/PauseCountMismatch[^]*\(1, 2\)/);
    // The next run names the new pause, so it waits again.
    const second = unpause(book, 'both', clients);
    expect(await as(owner, second, true)).toMatch(/pause number 2[^]*count = 2[^]*schedule in the timelock/);
    await operator.pass(DELAY_SECONDS);
    await as(owner, unpause(book, 'both', clients), true);
    expect(await pauses()).toEqual([false, false, false, false]);
  });

  it("ends a guardian's pause of beginnings after 7 days, unless the admin extends it", async () => {
    const { book, clients } = operator;
    await as(guardian, pause(book, 'both'), true);
    const confirmation = pause(book, 'partner-to-ethereum', 'admin');
    await as(owner, confirmation, true);
    await operator.pass(DELAY_SECONDS);
    await as(owner, confirmation, true);
    await operator.pass(7 * DAY_SECONDS);
    // Deposits run again; mints, burns and releases wait for the admin.
    expect(await pauses()).toEqual([false, true, true, true]);
    const { changes } = await unpause(book, 'both', clients);
    expect(changes).toContain('  beginnings: paused without end -> resumed');
    expect(changes.filter((line) => line.includes('beginnings'))).toHaveLength(1);
  });
});
