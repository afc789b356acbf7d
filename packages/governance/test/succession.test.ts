import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { getAddress, parseEther, zeroAddress, type Address } from 'viem';
import type { PlannedCalls } from '../src/calls/calls.js';
import { prepareCommand } from '../src/commands/prepare.js';
import { findCommand } from '../src/commands/registry.js';
import { planAnnouncement, planClosing, planEndOfSuccession, planHandOver } from '../src/plans/succession.js';
import { planVoteEnd } from '../src/plans/votes.js';
import { bridgedTokenAbi } from '@causeway/contracts/abi';
import { deployBridge, type AddressBook } from '@causeway/contracts/deploy';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  deployer,
  guardian,
  localConfig,
  makeAddress,
  makeTarget,
  mined,
  newcomer,
  owner,
  policyManager,
  recovery,
  relayer,
} from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

const DAY = 86_400;
/** Blocks after which anvil calls one final. */
const FINAL_AFTER = 64;
const DELAY_SECONDS = 3_600;
const EXIT_WINDOW = 7 * DAY;

let operator: Operator;
let as: Operator['as'];
/** The contracts of the next edition. */
let next: Record<ChainName, Address>;

beforeAll(async () => {
  operator = await startOperator({
    admin: owner.address,
    adminDelaySeconds: DELAY_SECONDS,
    exitWindowSeconds: EXIT_WINDOW,
  });
  ({ as } = operator);
  const { chains, ethereum, partner } = operator;
  const book = await deployBridge({ config: localConfig({ salt: '2' }), ethereum, partner });
  next = { ethereum: getAddress(book.ethereum.bridgeLock), partner: getAddress(book.partner.bridgeMint) };
  await deposit('5');
  await mined(
    partner,
    partner.wallet.writeContract({ ...operator.mint, functionName: 'topUp', value: parseEther('9') }),
  );
  await chains.snapshot();
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

async function deposit(ether: string): Promise<void> {
  const { lock, ethereum, chains } = operator;
  const { wallet } = makeTarget(chains.anvils[0], newcomer);
  const sent = { ...lock, functionName: 'depositNative', args: [newcomer.address], value: parseEther(ether) } as const;
  await mined(ethereum, wallet.writeContract(sent));
}

/** Announces a call, waits, and executes it. Returns the lines of the announcement. */
async function byAdmin(plan: () => Promise<PlannedCalls>): Promise<string> {
  const shown = await as(owner, plan(), true);
  await operator.pass(DELAY_SECONDS);
  await as(owner, plan(), true);
  return shown;
}

const announce = async (chain: ChainName, successor = next[chain], book = operator.book) =>
  planAnnouncement(book, { chain, successor }, operator.clients);
const close = async (chain: ChainName) => planClosing(operator.book, chain, operator.clients);
const end = async (chain: ChainName) => planEndOfSuccession(operator.book, chain, operator.clients);
const voteEnd = async (chain: ChainName) => planVoteEnd(operator.book, chain, operator.clients);
const handOver = async (chain: ChainName, asset: string, amount: bigint) =>
  planHandOver(operator.book, { chain, asset, amount }, operator.clients);

describe('a succession', () => {
  it('goes from the announcement to the hand-over, the partner chain first', async () => {
    const shown = await byAdmin(async () => announce('ethereum'));
    expect(shown).toContain(`BridgeLock on ethereum is succeeded by ${next.ethereum}`);
    expect(shown).toContain('exit window: 7d');
    expect(shown).toContain('5 ETH at 100 ETH in 1h: 3m');
    await byAdmin(async () => announce('partner'));
    await expect(as(owner, announce('partner'))).rejects.toThrow(/SuccessorTaken/);
    await expect(as(newcomer, close('ethereum'))).rejects.toThrow(/TooEarly/);
    await expect(as(owner, handOver('partner', 'XCN', 1n))).rejects.toThrow(/BeginningsAreOpen/);

    await operator.pass(EXIT_WINDOW - 3 * DAY);
    for (const chain of ['ethereum', 'partner'] as const) {
      const closed = await as(newcomer, close(chain), true);
      expect(closed).toMatch(new RegExp(`successor: ${next[chain]}\\n {2}hand-over from: 20`));
      expect(closed).toContain('closes beginnings in');
      await expect(as(newcomer, close(chain))).rejects.toThrow(/BeginningsAreClosed/);
    }
    await expect(deposit('1')).rejects.toThrow(/Paused/);
    await expect(as(owner, handOver('partner', 'XCN', 1n))).rejects.toThrow(/TooEarly/);

    await operator.pass(3 * DAY);
    await operator.partner.cheat.mine({ blocks: FINAL_AFTER });
    await expect(handOver('ethereum', 'ETH', 1n)).rejects.toThrow(/nothing in a final block.*--chain partner/);
    const coin = await byAdmin(async () => handOver('partner', 'XCN', parseEther('9')));
    expect(coin).toContain('XCN without credits and fees: 9 XCN -> 0 XCN');
    await expect(as(owner, handOver('partner', 'ETH', 1n))).rejects.toThrow(/AboveFree/);
    const token = await byAdmin(async () => handOver('partner', 'ETH', 0n));
    expect(token).toContain(`successor that may mint ETH: none -> ${next.partner}`);
    const { partner, ethereum, book } = operator;
    const bridged = { address: book.partner.tokens.ETH, abi: bridgedTokenAbi } as const;
    expect(await partner.client.readContract({ ...bridged, functionName: 'successor' })).toBe(next.partner);

    await partner.cheat.mine({ blocks: FINAL_AFTER });
    await expect(as(owner, handOver('ethereum', 'ETH', parseEther('6')))).rejects.toThrow(/AboveFree/);
    await byAdmin(async () => handOver('ethereum', 'ETH', parseEther('5')));
    expect(await ethereum.client.getBalance({ address: next.ethereum })).toBe(parseEther('5'));
    await expect(as(owner, end('ethereum'))).rejects.toThrow(/HandOverHasBegun/);
    await expect(voteEnd('ethereum')).rejects.toThrow(/already handed over/);
  });

  it('is ended by the votes of two offices, or by the admin', async () => {
    await expect(voteEnd('partner')).rejects.toThrow(/no successor, so no vote is needed/);
    await byAdmin(async () => announce('partner'));
    const first = await as(guardian, voteEnd('partner'), true);
    expect(first).toMatch(/vote to end a succession, in round 1[^]*first vote: it counts/);
    expect(first).toContain(`successor: ${next.partner}`);
    await as(recovery, voteEnd('partner'), true);
    await expect(voteEnd('partner')).rejects.toThrow(/no successor/);

    await byAdmin(async () => announce('partner'));
    await byAdmin(async () => end('partner'));
    await expect(as(owner, end('partner'))).rejects.toThrow(/NoSuccessor/);
  });

  it('shows the console the change of each step', async () => {
    const prepare = async (name: string, options: Record<string, string>) => {
      const { book, clients } = operator;
      return prepareCommand({ command: findCommand(name), options, account: owner.address, book, clients });
    };
    const announced = await prepare('announce-successor', { chain: 'partner', successor: next.partner });
    expect(announced).toMatchObject([{ changes: [{ name: 'successor', before: 'none', after: next.partner }] }]);
    await byAdmin(async () => announce('partner'));
    const ended = await prepare('end-succession', { chain: 'partner' });
    expect(ended).toMatchObject([{ changes: [{ name: 'successor', before: next.partner, after: 'none' }] }]);
    await operator.pass(EXIT_WINDOW);
    const closed = await prepare('close-for-ever', { chain: 'partner' });
    expect(closed).toMatchObject([{ changes: [{ before: 'running', after: 'paused without end' }] }]);
    await as(newcomer, close('partner'), true);
    await operator.pass(DAY);
    const paid = await prepare('hand-over', { chain: 'partner', asset: 'XCN', amount: '2 XCN' });
    expect(paid).toMatchObject([{ changes: [{ before: '9 XCN', after: '7 XCN' }] }]);
  });
});

describe('announce-successor', () => {
  it('refuses a window in which not all holders could leave', async () => {
    const { lock, ethereum, chains } = operator;
    const { wallet } = makeTarget(chains.anvils[0], policyManager);
    const limit = [zeroAddress, parseEther('1'), BigInt(2 * DAY)] as const;
    await mined(ethereum, wallet.writeContract({ ...lock, functionName: 'setOutflowLimit', args: limit }));
    await expect(announce('partner')).rejects.toThrow(
      /window of 7d: 5 ETH at 1 ETH in 2d: 10d\. .*causeway-admin set-limit/,
    );
  });

  it('refuses accounts without code, with a role, and environments with services', async () => {
    await expect(as(owner, announce('ethereum', makeAddress(12)))).rejects.toThrow(/SuccessorWithoutCode/);
    await expect(announce('ethereum', relayer.address)).rejects.toThrow(/is relayer of BridgeLock/);
    await expect(as(owner, announce('ethereum', operator.book.ethereum.bridgeLock))).rejects.toThrow(
      /InvalidRecipient/,
    );
    const testnet: AddressBook = { ...operator.book, environment: 'testnet' };
    await expect(announce('ethereum', next.ethereum, testnet)).rejects.toThrow(/only in the local environment/);
  });

  it('is refused by a deployment that forbids successions', async () => {
    const { ethereum, partner, clients } = operator;
    const book = await deployBridge({ config: localConfig({ salt: '3', exitWindowSeconds: 0 }), ethereum, partner });
    const planned = planAnnouncement(book, { chain: 'partner', successor: next.partner }, clients);
    await expect(as(deployer, planned)).rejects.toThrow(/SuccessionForbidden/);
  });
});
