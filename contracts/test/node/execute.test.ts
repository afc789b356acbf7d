import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeFunctionData, getAddress, parseEther, zeroAddress, zeroHash, type Address } from 'viem';
import { adminTimelockAbi, bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '../../generated/abi.js';
import { deployBridge, type AddressBook } from '../../deploy/index.js';
import { collectFees, retire, type AdminCall, type PlannedCalls } from '../../admin/calls.js';
import { executeTogether } from '../../admin/execute.js';
import { pause, unpause } from '../../admin/pauses.js';
import { rotateRelayer } from '../../admin/relayer.js';
import { setFeePolicy, setOutflowLimit } from '../../admin/settings.js';
import {
  deployer,
  guardian,
  localConfig,
  newcomer,
  owner,
  relayer,
  startChains,
  targetOf,
  treasury,
  type TestChains,
  type TestTarget,
} from './fixtures.js';

// The owner of the timelock is the admin of both contracts; the deployer is the policy manager.

const DELAY_SECONDS = 7_200;
const SOMEBODY: Address = '0x00000000000000000000000000000000000000ab';
const SOMEBODY_CHECKSUMMED = getAddress(SOMEBODY);

let chains: TestChains;
let ethereum: TestTarget;
let partner: TestTarget;
let book: AddressBook;

beforeAll(async () => {
  chains = await startChains();
  ({ ethereum, partner } = chains);
  const config = localConfig({ admin: owner.address, adminDelaySeconds: DELAY_SECONDS });
  book = await deployBridge({ config, ethereum, partner });
  await chains.snapshot();
});

beforeEach(async () => chains.restore());

afterAll(async () => chains?.stop());

/** Makes calls as an account, in a dry run unless `send` is set. Returns the lines that an operator sees. */
async function as(
  signer: typeof owner,
  planned: readonly AdminCall[] | Promise<PlannedCalls>,
  send = false,
): Promise<string> {
  const calls = 'then' in planned ? (await planned).calls : planned;
  const lines: string[] = [];
  const wallets = {
    ethereum: targetOf(chains.anvils[0], signer).wallet,
    partner: targetOf(chains.anvils[1], signer).wallet,
  };
  await executeTogether({
    calls,
    account: signer.address,
    clients: clients(),
    onLine: (line) => lines.push(line),
    ...(send && { wallets }),
  });
  return lines.join('\n');
}

const clients = () => ({ ethereum: ethereum.client, partner: partner.client });
const ofLock = () => ({ address: book.ethereum.bridgeLock, abi: bridgeLockAbi }) as const;
const ofMint = () => ({ address: book.partner.bridgeMint, abi: bridgeMintAbi }) as const;

async function pauses(): Promise<readonly boolean[]> {
  return Promise.all([
    ethereum.client.readContract({ ...ofLock(), functionName: 'depositsPaused' }),
    partner.client.readContract({ ...ofMint(), functionName: 'mintsPaused' }),
    partner.client.readContract({ ...ofMint(), functionName: 'burnsPaused' }),
    ethereum.client.readContract({ ...ofLock(), functionName: 'releasesPaused' }),
  ]);
}

async function relayers(): Promise<readonly Address[]> {
  return Promise.all([
    ethereum.client.readContract({ ...ofLock(), functionName: 'relayer' }),
    partner.client.readContract({ ...ofMint(), functionName: 'relayer' }),
  ]);
}

async function rotation(newRelayer: Address): Promise<AdminCall[]> {
  return rotateRelayer(book, newRelayer, clients());
}

/** Schedules a call on Ethereum without simulating it. */
async function scheduleBlindly({ to, abi, functionName, args }: AdminCall): Promise<void> {
  const timelock = await ethereum.client.readContract({ ...ofLock(), functionName: 'defaultAdmin' });
  const data = encodeFunctionData({ abi, functionName, args });
  await targetOf(chains.anvils[0], owner).wallet.writeContract({
    address: timelock,
    abi: adminTimelockAbi,
    functionName: 'schedule',
    args: [to, 0n, data, zeroHash, zeroHash, BigInt(DELAY_SECONDS)],
  });
}

async function pass(seconds: number): Promise<void> {
  for (const { cheat } of [ethereum, partner]) {
    await cheat.increaseTime({ seconds });
    await cheat.mine({ blocks: 1 });
  }
}

describe('executeTogether', () => {
  it('shows a pause decoded, and sends it only with wallets', async () => {
    const shown = await as(guardian, pause(book, 'partner-to-ethereum'));
    expect(shown).toMatch(/BridgeLock on ethereum: pause\n {2}inbound = false\n {2}outbound = true\ncall: pause of 0x/);
    expect(shown).toMatch(/BridgeMint on partner: pause\n {2}inbound = true\n {2}outbound = false/);
    expect(shown).toMatch(/data 0x[0-9a-f]{136}/);
    expect(shown).toContain('Nothing was sent');
    expect(await pauses()).toEqual([false, false, false, false]);
    await as(guardian, pause(book, 'partner-to-ethereum'), true);
    expect(await pauses()).toEqual([false, false, true, true]);
    await as(guardian, pause(book, 'ethereum-to-partner'), true);
    expect(await pauses()).toEqual([true, true, true, true]);
  });

  it('refuses an account without the role, before anything is sent', async () => {
    await expect(as(deployer, pause(book, 'both'), true)).rejects.toThrow(/is not guardian of BridgeLock on ethereum/);
    await expect(as(guardian, await rotation(SOMEBODY))).rejects.toThrow(/is not the owner of the timelock/);
    const terms = { bps: 25, minFee: 1n, minAmount: 2n };
    await expect(as(owner, setFeePolicy(book, 'ETH', terms, clients()))).rejects.toThrow(
      /is not policyManager of BridgeMint/,
    );
    expect(await pauses()).toEqual([false, false, false, false]);
  });

  it('simulates a call before it is sent, and names the revert', async () => {
    const nothing = setFeePolicy(book, 'ETH', { bps: 25, minFee: 5n, minAmount: 5n }, clients());
    await expect(as(deployer, nothing)).rejects.toThrow(/InvalidPolicy/);
    const tooFine = setOutflowLimit(
      book,
      { chain: 'ethereum', asset: 'USDC' },
      { capacity: 1_234_567_890_123n, windowSeconds: 60 },
      clients(),
    );
    await expect(as(deployer, tooFine, true)).rejects.toThrow(/InvalidSetting/);
  });

  it('sets fees and limits', async () => {
    await as(deployer, setFeePolicy(book, 'XCN', { bps: 30, minFee: 7n, minAmount: 9n }, clients()), true);
    const policy = await partner.client.readContract({ ...ofMint(), functionName: 'feePolicy', args: [zeroAddress] });
    expect(policy).toEqual([30, 7n, 9n]);
    const terms = { capacity: 5_000_000n, windowSeconds: 60 };
    const limitOn = async (chain: 'ethereum' | 'partner', capacity: bigint) =>
      setOutflowLimit(book, { chain, asset: 'USDC' }, { ...terms, capacity }, clients());
    await as(deployer, limitOn('ethereum', 5_000_000n), true);
    await as(deployer, limitOn('partner', 6_000_000n), true);
    expect((await limitOn('partner', 6_000_000n)).calls).toEqual([]);
    const limits = await Promise.all([
      ethereum.client.readContract({ ...ofLock(), functionName: 'outflowLimit', args: [book.ethereum.tokens.USDC] }),
      partner.client.readContract({ ...ofMint(), functionName: 'outflowLimit', args: [book.partner.tokens.USDC] }),
    ]);
    expect(limits).toEqual([
      [5_000_000n, 60],
      [6_000_000n, 60],
    ]);
  });

  it('rotates the relayer through the timelock: scheduled, waited for, executed', async () => {
    const calls = await rotation(SOMEBODY);
    expect(await as(owner, calls)).toMatch(/newRelayer = 0x0+AB\nschedule in the timelock: schedule of 0x/i);
    await as(owner, calls, true);
    expect(await as(owner, calls, true)).toMatch(/wait for the timelock, then execute: execute of 0x.*\nready at 2/);
    expect(await relayers()).toEqual([relayer.address, relayer.address]);
    await pass(DELAY_SECONDS);
    expect(await as(owner, calls)).toContain('execute in the timelock');
    await as(owner, calls, true);
    expect(await relayers()).toEqual([SOMEBODY_CHECKSUMMED, SOMEBODY_CHECKSUMMED]);
    // After its execution the same call can be scheduled again, though nothing needs that.
    expect(await as(owner, calls)).toContain('schedule in the timelock');
    expect(await rotation(SOMEBODY)).toEqual([]);
  });

  it('schedules nothing that would revert later', async () => {
    await expect(as(owner, await rotation(guardian.address), true)).rejects.toThrow(/InvalidSetting/);
    const [call] = await rotation(guardian.address);
    if (call === undefined) throw new Error('no call');
    await scheduleBlindly(call);
    await expect(as(owner, [call])).rejects.toThrow(/InvalidSetting/);
  });

  it('changes neither contract before both are ready, unless one is named', async () => {
    const calls = await rotation(SOMEBODY);
    const [ofEthereum, ofPartner] = [calls.slice(0, 1), calls.slice(1)];
    await as(owner, ofEthereum, true);
    await pass(DELAY_SECONDS);
    // Scheduling changes nothing yet, so the call that is behind is scheduled.
    const shown = await as(owner, calls, true);
    expect(shown).toMatch(/setRelayer on ethereum is held back: .* --chain ethereum sends it alone/);
    expect(shown).toContain('sent to partner');
    expect(await as(owner, calls, true)).toMatch(/is held back.*\nNothing was sent\.$/);
    expect(await relayers()).toEqual([relayer.address, relayer.address]);
    await as(owner, ofEthereum, true);
    expect(await relayers()).toEqual([SOMEBODY_CHECKSUMMED, relayer.address]);
    await pass(DELAY_SECONDS);
    // Only the other call is left.
    expect(await rotation(SOMEBODY)).toEqual(ofPartner);
    await as(owner, await rotation(SOMEBODY), true);
    expect(await relayers()).toEqual([SOMEBODY_CHECKSUMMED, SOMEBODY_CHECKSUMMED]);
  });

  it('lets only the relayer retire its own tokens and those of its predecessor', async () => {
    const burnt = parseEther('3');
    const mint = { ...ofMint(), account: relayer, chain: partner.wallet.chain } as const;
    const byRelayer = targetOf(chains.anvils[1], relayer).wallet;
    const { ETH } = book.partner.tokens;
    await byRelayer.writeContract({ ...mint, functionName: 'mint', args: [0n, ETH, treasury.address, burnt] });
    await targetOf(chains.anvils[1], treasury).wallet.writeContract({
      ...ofMint(),
      functionName: 'burn',
      args: [ETH, burnt, treasury.address, burnt],
    });
    const retireEth = async (amount: bigint, formerWallet?: Address) =>
      retire(book, { asset: 'ETH', amount, ...(formerWallet !== undefined && { formerWallet }) }, clients());
    const held = async () =>
      partner.client.readContract({
        address: ETH,
        abi: bridgedTokenAbi,
        functionName: 'balanceOf',
        args: [relayer.address],
      });
    await expect(as(owner, retireEth(1n))).rejects.toThrow(/is not relayer of BridgeMint/);
    expect(await as(relayer, retireEth(parseEther('1')))).toMatch(/amount = 1000000000000000000\ncall: retire/);
    await as(relayer, retireEth(parseEther('1')), true);
    expect(await held()).toBe(parseEther('2'));

    const next = await rotation(newcomer.address);
    await as(owner, next, true);
    await pass(DELAY_SECONDS);
    await as(owner, next, true);
    await expect(as(relayer, retireEth(1n))).rejects.toThrow(/is not relayer of BridgeMint/);
    const rest = retireEth(parseEther('2'), relayer.address);
    expect(await as(newcomer, rest)).toMatch(/retireOf\n {2}wallet = 0x7099/);
    await as(newcomer, rest, true);
    expect(await held()).toBe(0n);
  });

  it('lifts the pause of one direction and leaves the other paused', async () => {
    await as(guardian, pause(book, 'both'), true);
    const calls = await unpause(book, 'ethereum-to-partner', clients());
    await as(owner, calls, true);
    await pass(DELAY_SECONDS);
    await as(owner, calls, true);
    expect(await pauses()).toEqual([false, false, true, true]);
  });

  it('collects fees for the treasury, for any caller', async () => {
    const lock = { ...ofLock(), account: deployer, chain: ethereum.wallet.chain } as const;
    const value = parseEther('2');
    await ethereum.wallet.writeContract({ ...lock, functionName: 'depositNative', args: [owner.address], value });
    await targetOf(chains.anvils[0], relayer).wallet.writeContract({
      ...ofLock(),
      functionName: 'releaseNative',
      args: [0n, owner.address, parseEther('1'), parseEther('0.5')],
    });
    const before = await ethereum.client.getBalance({ address: treasury.address });
    expect(await as(owner, collectFees(book, 'ETH', clients()))).toContain('collectFees');
    await as(owner, collectFees(book, 'ETH', clients()), true);
    const after = await ethereum.client.getBalance({ address: treasury.address });
    expect(after - before).toBe(parseEther('0.5'));
  });
});
