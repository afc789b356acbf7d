import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { numberToHex, parseEther, type Address, type Hex } from 'viem';
import type { ChainName } from '@causeway/contracts/deploy';
import { withoutChanges } from '../src/commands/options.js';
import { planReopen, planReopenIds } from '../src/plans/openings.js';
import { pause, unpause } from '../src/plans/pauses.js';
import { activateStandby, rotateRelayer } from '../src/plans/relayer.js';
import { makeAddress, guardian, mined, newcomer, owner, relayer, standby, makeTarget } from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

// A thief has the relayer's key, and pays with false terms.

const DELAY_SECONDS = 3_600;
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] } as const;
const thief = makeAddress(11);
type Account = typeof owner;

let operator: Operator;
let as: Operator['as'];

beforeAll(async () => {
  operator = await startOperator({ admin: owner.address, adminDelaySeconds: DELAY_SECONDS });
  ({ as } = operator);
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

const walletOn = (chain: ChainName, account: Account) =>
  makeTarget(operator.chains.anvils[chain === 'ethereum' ? 0 : 1], account).wallet;

async function deposit(ether: string): Promise<void> {
  const { lock, ethereum } = operator;
  const sent = { ...lock, functionName: 'depositNative', args: [newcomer.address], value: parseEther(ether) } as const;
  await mined(ethereum, walletOn('ethereum', newcomer).writeContract(sent));
}

/** Mints bridged ETH for deposits. */
async function mint(by: Account, ...items: readonly (readonly [number: bigint, to: Address, ether: string])[]) {
  const { mint: contract, partner, book } = operator;
  const payments = items.map(([depositNonce, recipient, ether]) => ({
    depositNonce,
    token: book.partner.tokens.ETH,
    recipient,
    amount: parseEther(ether),
  }));
  const call = { ...contract, functionName: 'mintMany', args: [payments, NO_ATTESTATION] } as const;
  await mined(partner, walletOn('partner', by).writeContract(call));
}

async function release(by: Account, number: bigint, to: Address, ether: string, fee: string): Promise<void> {
  const args = [number, to, parseEther(ether), parseEther(fee)] as const;
  const { lock, ethereum } = operator;
  await mined(ethereum, walletOn('ethereum', by).writeContract({ ...lock, functionName: 'releaseNative', args }));
}

const plan = async (chain: ChainName, report = (_line: string): void => undefined) =>
  planReopen(operator.book, chain, operator.clients, report);

/** Stops the thief: pauses, and activates the standby. */
async function stopThief(): Promise<void> {
  await as(guardian, pause(operator.book, 'both'), true);
  await as(guardian, activateStandby(operator.book), true);
}

/** Schedules a plan, waits, and executes it. Returns the lines of the first run. */
async function carryOut(planned: () => ReturnType<typeof plan>): Promise<string> {
  const shown = await as(owner, planned(), true);
  await operator.pass(DELAY_SECONDS);
  await as(owner, planned(), true);
  return shown;
}

const isMinted = async (number: bigint) =>
  operator.partner.client.readContract({ ...operator.mint, functionName: 'isMinted', args: [number] });

describe('reopen', () => {
  it('reopens only numbers minted with false terms or without a deposit', async () => {
    for (const ether of ['1', '2', '3']) await deposit(ether);
    await mint(relayer, [0n, newcomer.address, '1'], [1n, thief, '0.5'], [300n, thief, '0.25']);
    await expect(plan('partner')).rejects.toThrow(
      /Deliveries on partner are running: first run causeway-admin pause --direction both/,
    );
    await as(guardian, pause(operator.book, 'both'), true);
    await expect(plan('partner')).rejects.toThrow(
      /0x7099\w+ sent a false payment and is still relayer of BridgeMint on partner: first run causeway-admin activate-standby/,
    );
    await as(guardian, activateStandby(operator.book), true);

    const { calls } = await plan('partner');
    expect(calls.map(({ args }) => args)).toEqual([
      [0n, 2n, 0n],
      [1n, 1n << 44n, 0n],
    ]);
    const shown = await carryOut(async () => plan('partner'));
    expect(shown).toMatch(/^2 numbers of ethereum that false deliveries on partner used up\n/);
    expect(shown).toMatch(/number 1: paid 0.5 ETH to 0xBB\w+ in 0x\w{64}; owed 2 ETH to 0x9965\w+\n/i);
    expect(shown).toMatch(/number 300: paid 0.25 ETH to 0xBB\w+ in 0x\w{64}; no operation\n/i);
    expect(shown).toContain('ETH: 0.75 ETH taken, 0 ETH booked as fees. A top-up of 0.75 ETH restores the backing');
    expect(await Promise.all([0n, 1n, 2n, 300n].map(isMinted))).toEqual([true, false, false, false]);
    expect((await plan('partner')).calls).toEqual([]);
  });

  it('counts the reopenings of a word, and skips a number that was delivered as owed', async () => {
    for (const ether of ['1', '2']) await deposit(ether);
    await mint(relayer, [0n, thief, '0.5'], [1n, thief, '0.5']);
    await stopThief();
    await carryOut(async () => plan('partner'));
    const { book, clients } = operator;
    await carryOut(async () => unpause(book, 'both', clients));
    await mint(standby, [0n, newcomer.address, '1'], [1n, newcomer.address, '1.5']);
    await as(guardian, pause(book, 'both'), true);
    await expect(plan('partner')).rejects.toThrow(/0x14dC\w+ sent a false payment and is still relayer/);
    const rotate = async () => withoutChanges(await rotateRelayer(book, makeAddress(10), clients));
    await carryOut(rotate);
    expect((await plan('partner')).calls.map(({ args }) => args)).toEqual([[0n, 2n, 1n]]);
  });

  it('compares releases with withdrawals, fee included, and says what restores the backing', async () => {
    for (let number = 0; number < 3; number++) await deposit('10');
    await mint(relayer, [0n, newcomer.address, '10'], [1n, newcomer.address, '10'], [2n, newcomer.address, '10']);
    const { mint: contract, partner, book } = operator;
    const burnt = [book.partner.tokens.ETH, parseEther('4'), newcomer.address, parseEther('1')] as const;
    for (let number = 0; number < 3; number++) {
      const burn = { ...contract, functionName: 'burn', args: burnt } as const;
      await mined(partner, walletOn('partner', newcomer).writeContract(burn));
    }
    // A withdrawal of 4 ETH costs 0.25 %.
    await release(relayer, 0n, newcomer.address, '3.99', '0.01');
    await release(relayer, 1n, newcomer.address, '3.98', '0.02');
    await release(relayer, 2n, thief, '0.001', '2');
    await stopThief();
    const lines: string[] = [];
    const { calls, changes } = await plan('ethereum', (line) => void lines.push(line));
    expect(calls.map(({ args }) => args)).toEqual([[0n, 6n, 0n]]);
    expect(changes.join('\n')).toContain(
      'ETH: 3.981 ETH taken, 2.02 ETH booked as fees. A top-up of 6.001 ETH restores the backing: ' +
        'causeway-admin top-up --chain ethereum --amount "6.001 ETH"',
    );
    expect(lines).toEqual([]);
  });

  it('refuses a node that hides a deposit, or is behind a delivery', async () => {
    await deposit('1');
    await mint(relayer, [0n, newcomer.address, '1'], [1n, thief, '1']);
    await stopThief();
    const { clients, book } = operator;
    const hiding = { ...clients.ethereum, getLogs: async () => [] } as unknown as typeof clients.ethereum;
    await expect(planReopen(book, 'partner', { ...clients, ethereum: hiding }, () => undefined)).rejects.toThrow(
      /The node of ethereum shows 0 of the 1 operations that began there/,
    );
    const late = { ...clients.ethereum, getBlock: async () => ({ timestamp: 0n }) } as unknown as typeof hiding;
    await expect(planReopen(book, 'partner', { ...clients, ethereum: late }, () => undefined)).rejects.toThrow(
      /The node of ethereum is \d+ seconds behind a delivery/,
    );
  });

  it('reads a long history in ranges that the node accepts, with a line for each tenth', async () => {
    await deposit('1');
    await mint(relayer, [0n, thief, '1']);
    await stopThief();
    await operator.partner.cheat.mine({ blocks: 400 });
    const { clients, book } = operator;
    const getLogs: typeof clients.partner.getLogs = async (asked) => {
      const { fromBlock = 0n, toBlock = 0n } = asked as { fromBlock?: bigint; toBlock?: bigint };
      if (toBlock - fromBlock >= 80n) throw new Error('the range is too large');
      return clients.partner.getLogs(asked);
    };
    const partner = { ...clients.partner, getLogs };
    const lines: string[] = [];
    const planned = await planReopen(book, 'partner', { ...clients, partner }, (line) => void lines.push(line));
    expect(planned.calls).toHaveLength(1);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines[0]).toMatch(/^read partner to block \d+ of 4\d\d$/);
  });
});

describe('reopen-ids', () => {
  const [first, second] = [numberToHex(1, { size: 32 }), numberToHex(2, { size: 32 })];
  const planIds = async (...ids: readonly Hex[]) =>
    planReopenIds(operator.book, { chain: 'partner', ids }, operator.clients, () => undefined);

  it('reopens refunds that the thief paid, with the count of each', async () => {
    const { mint: contract, partner, book } = operator;
    const isRefunded = { ...contract, functionName: 'isRefunded', args: [first] } as const;
    const refund = async () => {
      const args = [first, thief, NO_ATTESTATION] as const;
      const call = { ...contract, functionName: 'refundNative', args, value: 10n ** 18n } as const;
      await mined(partner, walletOn('partner', relayer).writeContract(call));
    };
    await refund();
    await expect(planIds(first)).rejects.toThrow(/Deliveries on partner are running/);
    await as(guardian, pause(book, 'both'), true);
    await expect(planIds(second)).rejects.toThrow(/BridgeMint has not paid the refund 0x0+2/);
    await expect(planIds(first)).rejects.toThrow(/0x7099\w+ sent a false payment and is still relayer of BridgeMint/);
    await as(guardian, activateStandby(book), true);
    const shown = await carryOut(async () => planIds(first));
    expect(shown).toMatch(/^1 refunds of BridgeMint on partner can be paid again\n {2}0x0+1: paid 1 XCN to 0xBB/i);
    expect(shown).toMatch(/counts = \[0\]/);
    expect(await partner.client.readContract(isRefunded)).toBe(false);
  });
});
