import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { attesterProofTypedData, type AttesterProof } from '@causeway/protocol/attest';
import type { AddressBook } from '@causeway/contracts/address-book';
import { zeroAddress, type Address } from 'viem';
import {
  replaceGuardian,
  replacePolicyManager,
  setAttesters,
  setPauser,
  setStandby,
  setTreasury,
} from '../src/plans/keys.js';
import type { PlannedCalls } from '../src/calls/calls.js';
import { executeEach } from '../src/calls/execute.js';
import { setMaxAmount } from '../src/plans/limits.js';
import { pause } from '../src/plans/pauses.js';
import { activateStandby, rotateRelayer } from '../src/plans/relayer.js';
import { adminTimelockAbi } from '@causeway/contracts/abi';
import {
  makeAddress,
  guardian,
  newcomer,
  owner,
  pauser,
  policyManager,
  recovery,
  relayer,
  standby,
  makeTarget,
  treasury,
} from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

// The owner of the timelock is the admin of both contracts.

const DELAY_SECONDS = 3_600;

let operator: Operator;
let as: Operator['as'];

beforeAll(async () => {
  operator = await startOperator({ admin: owner.address, adminDelaySeconds: DELAY_SECONDS });
  ({ as } = operator);
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

/** Makes a change of the admin: schedules it, waits, and executes it. Returns what the first run showed. */
async function change(plan: () => Promise<PlannedCalls>): Promise<string> {
  const shown = await as(owner, plan(), true);
  await operator.pass(DELAY_SECONDS);
  await as(owner, plan(), true);
  expect((await plan()).calls).toEqual([]);
  return shown;
}

async function both<T>(functionName: 'policyManager' | 'relayer' | 'standby' | 'attesters'): Promise<T[]> {
  const { ethereum, partner, lock, mint } = operator;
  return Promise.all([
    ethereum.client.readContract({ ...lock, functionName }) as Promise<T>,
    partner.client.readContract({ ...mint, functionName }) as Promise<T>,
  ]);
}

describe('replaceGuardian', () => {
  it('moves the right to pause, and the right to cancel what the admin scheduled', async () => {
    const { book, ethereum, lock, clients } = operator;
    const shown = await change(async () => replaceGuardian(book, newcomer.address, clients));
    expect(shown).toMatch(/guardian: 0x3C44\w+ -> 0x9965\w+\n[^]*AdminTimelock on ethereum: replace\n/);
    const timelock = {
      address: await ethereum.client.readContract({ ...lock, functionName: 'owner' }),
      abi: adminTimelockAbi,
    } as const;
    expect(await ethereum.client.readContract({ ...timelock, functionName: 'guardian' })).toBe(newcomer.address);
    await expect(as(guardian, pause(book, 'both'))).rejects.toThrow(/is neither pauser nor guardian of BridgeLock/);
    await as(newcomer, pause(book, 'both'), true);
    await expect(as(pauser, pause(book, 'both'))).rejects.toThrow(/is neither pauser nor guardian of BridgeLock/);
  });
});

describe('setPauser', () => {
  const set = async (account: Address, mayPause: boolean) =>
    setPauser(operator.book, { pauser: account, mayPause }, operator.clients);

  it('lets an account pause until the guardian removes it', async () => {
    const { book } = operator;
    expect(await as(guardian, set(newcomer.address, true), true)).toMatch(/0x9965\w+: may not pause -> may pause/);
    await as(newcomer, pause(book, 'both'), true);
    await as(guardian, set(newcomer.address, false), true);
    await expect(as(newcomer, pause(book, 'both'))).rejects.toThrow(/is neither pauser nor guardian of BridgeLock/);
    expect((await set(newcomer.address, false)).calls).toEqual([]);
    await expect(as(owner, set(newcomer.address, true))).rejects.toThrow(/is not guardian of BridgeLock/);
  });

  it('refuses an account that can do more than pause', async () => {
    for (const [account, role] of [
      [owner, 'owner'],
      [guardian, 'guardian'],
      [recovery, 'recovery'],
      [policyManager, 'policyManager'],
      [relayer, 'relayer'],
      [standby, 'standby'],
    ] as const) {
      await expect(set(account.address, true)).rejects.toThrow(
        new RegExp(`is ${role} of .* on ethereum: choose an account without another role`),
      );
    }
  });
});

describe('the standby', () => {
  it('is announced by the admin, and activated once by the guardian', async () => {
    const { book, clients, chains } = operator;
    const next = makeAddress(10);
    const shown = await change(async () => setStandby(book, next, clients));
    expect(shown).toMatch(/standby: 0x14dC\w+ -> 0xaaaa\w+/i);
    const lines: string[] = [];
    const input = {
      calls: activateStandby(book),
      account: guardian.address,
      clients,
      wallets: {
        ethereum: makeTarget(chains.anvils[0], guardian).wallet,
        partner: makeTarget(chains.anvils[1], guardian).wallet,
      },
      onLine: (line: string) => void lines.push(line),
    };
    await executeEach(input);
    expect(lines.filter((line) => line.startsWith('sent to'))).toHaveLength(2);
    expect((await both<Address>('relayer')).map((one) => one.toLowerCase())).toEqual([next, next]);
    expect(await both('standby')).toEqual([zeroAddress, zeroAddress]);
    await expect(executeEach(input)).rejects.toThrow(/activateStandby of Sentinel WAS NOT DONE[^]*NoStandby/);
  });

  it('is withdrawn by the zero address, and cannot hold another role', async () => {
    const { book, clients } = operator;
    expect(await change(async () => setStandby(book, zeroAddress, clients))).toMatch(/standby: 0x14dC\w+ -> none/);
    expect(await both('standby')).toEqual([zeroAddress, zeroAddress]);
    await expect(as(owner, setStandby(book, relayer.address, clients))).rejects.toThrow(/RoleTaken/);
    await expect(as(owner, await rotateRelayer(book, treasury.address, clients))).rejects.toThrow(/RoleTaken/);
  });
});

describe('setAttesters', () => {
  it('sorts the members, shows the sets, and knows the current one', async () => {
    const { book, clients } = operator;
    const attesters = [makeAddress(9), makeAddress(8)];
    const set = async (threshold: number) => setAttesters(book, { attesters, threshold, proofs: [] }, clients);
    const shown = await change(async () => set(2));
    expect(shown).toMatch(/attester set 1\n {2}attesters: none -> 0x8888\w+, 0x9999\w+\n {2}threshold: 0 -> 2/);
    expect(await both('attesters')).toEqual([
      [2n, [makeAddress(8), makeAddress(9)], 2n],
      [2n, [makeAddress(8), makeAddress(9)], 2n],
    ]);
    await expect(as(owner, set(3))).rejects.toThrow(/ThresholdOutOfRange[^]*\(3, 0, 2\)/);
    expect(await change(async () => setAttesters(book, { attesters: [], threshold: 0, proofs: [] }, clients))).toMatch(
      /threshold: 2 -> 0\n {2}the relayer's key alone will be enough to deliver/,
    );
    await expect(set(1)).rejects.toThrow('1 of 2 is not more than half');
  });

  it('requires outside local a proof of each attester for this deployment, at most a day old', async () => {
    const { clients, ethereum } = operator;
    const book = { ...operator.book, environment: 'mainnet' } as const;
    const { timestamp: now } = await ethereum.client.getBlock();
    const keys = [guardian, newcomer, standby];
    const prove = async (index: number, over: Partial<AttesterProof> = {}, of: AddressBook = book) => {
      const terms = {
        attester: keys[index]!.address.toLowerCase() as Address,
        time: now,
        holdSeconds: 3_600n,
        ...over,
      };
      const signature = await keys[index]!.signTypedData(attesterProofTypedData(of, terms));
      return { ...terms, signature, ...over };
    };
    const attesters = keys.map(({ address }) => address);
    const set = async (proofs: readonly AttesterProof[], threshold = 2) =>
      setAttesters(book, { attesters, threshold, proofs }, clients);
    const [first, second, third] = await Promise.all([prove(0), prove(1), prove(2, { holdSeconds: 60n })]);
    const { calls, changes } = await set([third, first, second]);
    expect(calls).toHaveLength(2);
    expect(changes.join('\n')).toMatch(/3C44\w+ proved its key at .*Z, for a hold of 3600 s\n[^]*their holds differ/);
    await expect(set([])).rejects.toThrow(/^0x\w+: its proof is missing; run "attester prove"/);
    await expect(set([first, second])).rejects.toThrow(`${standby.address}: its proof is missing`);
    const wrong: readonly [Promise<AttesterProof>, RegExp][] = [
      [prove(2, { time: now - 86_500n }), /older than a day/],
      [prove(2, { time: now + 600n }), /is in the future/],
      [prove(2, { signature: first.signature }), /another key or for another deployment/],
      [prove(2, {}, { ...book, partner: { ...book.partner, chainId: 1 } }), /for another deployment/],
      [prove(2, { attester: owner.address.toLowerCase() as Address }), /not one of the attesters/],
    ];
    for (const [proof, message] of wrong) await expect(set([first, second, await proof])).rejects.toThrow(message);
    expect((await set([], 0)).calls).toHaveLength(2);
  });
});

describe('other keys', () => {
  it('replaces the policy manager and the treasury', async () => {
    const { book, clients, ethereum, lock } = operator;
    await change(async () => replacePolicyManager(book, newcomer.address, clients));
    expect(await both('policyManager')).toEqual([newcomer.address, newcomer.address]);
    const limit = async () => setMaxAmount(book, { chain: 'ethereum', asset: 'ETH' }, 10n ** 19n, clients);
    await expect(as(policyManager, limit())).rejects.toThrow(/is not policyManager of BridgeLock/);
    await as(newcomer, limit(), true);
    expect(await change(async () => setTreasury(book, policyManager.address, clients))).toMatch(
      /treasury: 0x90F7\w+ -> 0x976E/,
    );
    expect(await ethereum.client.readContract({ ...lock, functionName: 'treasury' })).toBe(policyManager.address);
    await expect(as(owner, setTreasury(book, standby.address, clients))).rejects.toThrow(/RoleTaken/);
  });
});
