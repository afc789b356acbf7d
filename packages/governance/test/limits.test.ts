import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseEther, parseUnits, zeroAddress } from 'viem';
import { setFeeCeiling, setFeePolicy } from '../src/plans/fees.js';
import { setLimitCeiling, setMaxAmount, setOutflowLimit } from '../src/plans/limits.js';
import { deployer, owner, policyManager, relayer, makeTarget } from './fixtures.js';
import { startOperator, type Operator } from './operator.js';

// The local configuration: capacities of 100 ETH, 1,000,000 USDC and XCN an hour, half of them as maximum amount.

const HOUR = 3_600;
const ETH_ON_ETHEREUM = { chain: 'ethereum', asset: 'ETH' } as const;
const ETH_ON_PARTNER = { chain: 'partner', asset: 'ETH' } as const;

let operator: Operator;
let as: Operator['as'];

beforeAll(async () => {
  operator = await startOperator();
  ({ as } = operator);
});

beforeEach(async () => operator.chains.restore());

afterAll(async () => operator?.chains.stop());

const readLimit = async (chain: 'ethereum' | 'partner') =>
  chain === 'ethereum'
    ? operator.ethereum.client.readContract({ ...operator.lock, functionName: 'outflowLimit', args: [zeroAddress] })
    : operator.partner.client.readContract({ ...operator.mint, functionName: 'outflowLimit', args: [zeroAddress] });

describe('setOutflowLimit', () => {
  const set = async (terms: { capacity: string; windowSeconds?: number }, clients: object = operator.clients) =>
    setOutflowLimit(
      operator.book,
      ETH_ON_ETHEREUM,
      { capacity: parseEther(terms.capacity), windowSeconds: terms.windowSeconds ?? HOUR },
      clients,
    );

  it('sets a limit on one chain, and knows one that is set already', async () => {
    expect(await as(policyManager, set({ capacity: '150', windowSeconds: 7_200 }), true)).toMatch(
      /capacity: 100 ETH -> 150 ETH\n {2}window: 1h -> 2h\nBridgeLock on ethereum: setOutflowLimit/,
    );
    expect(await readLimit('ethereum')).toEqual([parseEther('150'), 7_200n]);
    expect(await readLimit('partner')).toEqual([parseEther('1000000'), BigInt(HOUR)]);
    expect((await set({ capacity: '150', windowSeconds: 7_200 })).calls).toEqual([]);
  });

  it('reports refusals by the contract with their values', async () => {
    await expect(as(policyManager, set({ capacity: '201' }))).rejects.toThrow(/AboveCeiling[^]*\(2010+, 2000+\)/);
    await expect(as(policyManager, set({ capacity: '100', windowSeconds: 1_740 }))).rejects.toThrow(
      /WindowBelowFloor[^]*\(1740, 1800\)/,
    );
    await expect(as(policyManager, set({ capacity: '100', windowSeconds: 3_601 }))).rejects.toThrow(/InvalidWindow/);
    await expect(as(policyManager, set({ capacity: '99.000000000000000001' }))).rejects.toThrow(/NotInUnits/);
  });

  it("refuses a capacity below the other chain's maximum, and says what to do", async () => {
    await expect(set({ capacity: '49' })).rejects.toThrow(
      'A capacity of 49 ETH on ethereum is below the maximum amount of 50 ETH on partner: such an operation could ' +
        'never be delivered. First lower the maximum by causeway-admin set-max-amount --asset ETH --chain partner --amount "49 ETH"',
    );
    await as(policyManager, setMaxAmount(operator.book, ETH_ON_PARTNER, parseEther('49'), operator.clients), true);
    await as(policyManager, set({ capacity: '49' }), true);
    expect(await readLimit('ethereum')).toEqual([parseEther('49'), BigInt(HOUR)]);
  });

  it('says when the other chain was not compared', async () => {
    const { changes } = await set({ capacity: '49' }, { ethereum: operator.clients.ethereum });
    expect(changes.at(-1)).toBe(
      'The limits on partner were not compared, because no node was given: add --partner-rpc <url>',
    );
  });

  it('refuses a capacity below an operation in flight, until it is delivered', async () => {
    const { book, clients, chains, ethereum, partner } = operator;
    const value = parseEther('30');
    for (let number = 0; number < 2; number++) {
      const hash = await ethereum.wallet.writeContract({
        ...operator.lock,
        functionName: 'depositNative',
        args: [owner.address],
        value,
      });
      await ethereum.client.waitForTransactionReceipt({ hash });
    }
    await as(policyManager, setMaxAmount(book, ETH_ON_ETHEREUM, parseEther('20'), clients), true);
    const lower = async () =>
      setOutflowLimit(book, ETH_ON_PARTNER, { capacity: parseEther('25'), windowSeconds: HOUR }, clients);
    await expect(lower()).rejects.toThrow(
      'A capacity of 25 ETH on partner is below 2 of the operations in flight: number 0 of ethereum has 30 ETH. ' +
        'Wait until they are delivered',
    );
    const { wallet } = makeTarget(chains.anvils[1], relayer);
    const { ETH } = book.partner.tokens;
    for (const number of [0n, 1n]) {
      const args = [number, ETH, owner.address, value] as const;
      const hash = await wallet.writeContract({ ...operator.mint, functionName: 'mint', args });
      await partner.client.waitForTransactionReceipt({ hash });
    }
    expect(await as(policyManager, lower())).toContain('capacity: 100 ETH -> 25 ETH');
  });
});

describe('setMaxAmount', () => {
  it("refuses a maximum above the other chain's capacity, and says what to do", async () => {
    const { book, clients } = operator;
    await expect(setMaxAmount(book, ETH_ON_PARTNER, parseEther('101'), clients)).rejects.toThrow(
      'A maximum of 101 ETH on partner is above the capacity of 100 ETH on ethereum, where such an operation could ' +
        'never be delivered: choose at most 100 ETH, or first raise the capacity by ' +
        'causeway-admin set-limit --asset ETH --chain ethereum --capacity "101 ETH" --window 1h',
    );
    await as(policyManager, setMaxAmount(book, ETH_ON_PARTNER, parseEther('100'), clients), true);
    expect((await setMaxAmount(book, ETH_ON_PARTNER, parseEther('100'), clients)).calls).toEqual([]);
    const alone = setMaxAmount(book, ETH_ON_PARTNER, parseEther('101'), { partner: clients.partner });
    await expect(as(policyManager, alone)).rejects.toThrow(/AboveCeiling/);
  });
});

describe('ceilings', () => {
  it('move limits outside them, and only for the admin', async () => {
    const { book, clients, ethereum, lock } = operator;
    const ceiling = { capacity: parseEther('80'), windowSeconds: 7_200, maxAmount: parseEther('40') };
    const lower = async () => setLimitCeiling(book, ETH_ON_ETHEREUM, ceiling, clients);
    await expect(as(policyManager, lower())).rejects.toThrow(/is not admin of BridgeLock/);
    expect(await as(deployer, lower(), true)).toMatch(
      /capacity: 200 ETH -> 80 ETH\n {2}shortest window: 30m -> 2h\n {2}maximum amount: 100 ETH -> 40 ETH\nmoves the limits too\n {2}capacity: 100 ETH -> 80 ETH\n {2}window: 1h -> 2h\n {2}maximum amount: 50 ETH -> 40 ETH\n/,
    );
    expect(await readLimit('ethereum')).toEqual([parseEther('80'), 7_200n]);
    const args = [zeroAddress] as const;
    expect(await ethereum.client.readContract({ ...lock, functionName: 'maxAmount', args })).toBe(parseEther('40'));
    expect((await lower()).calls).toEqual([]);
  });

  it("of a limit may not lower it below the other chain's maximum", async () => {
    const ceiling = { capacity: parseEther('49'), windowSeconds: 1_800, maxAmount: parseEther('49') };
    await expect(setLimitCeiling(operator.book, ETH_ON_ETHEREUM, ceiling, operator.clients)).rejects.toThrow(
      /A capacity of 49 ETH on ethereum is below the maximum amount of 50 ETH on partner/,
    );
  });

  it('of fees also lower the policy', async () => {
    const { book, clients, partner, mint } = operator;
    const ceiling = { bps: 10, minFee: parseUnits('1', 6), minAmount: parseUnits('50', 6) };
    const lower = async () => setFeeCeiling(book, 'USDC', ceiling, clients);
    await expect(as(policyManager, lower())).rejects.toThrow(/is not admin of BridgeMint/);
    expect(await as(deployer, lower(), true)).toMatch(
      /rate: 1% -> 0.1%\n {2}minimum fee: 20 USDC -> 1 USDC\n {2}minimum amount: 50 USDC \(unchanged\)\nlowers the fee policy too\n {2}rate: 0.25% -> 0.1%\n {2}minimum fee: 5 USDC -> 1 USDC\n {2}minimum amount: 10 USDC \(unchanged\)/,
    );
    const args = [book.partner.tokens.USDC] as const;
    const policy = await partner.client.readContract({ ...mint, functionName: 'feePolicy', args });
    expect(policy).toEqual([10, parseUnits('1', 6), parseUnits('10', 6)]);
    expect((await lower()).calls).toEqual([]);
  });

  it('bound the fees of the policy manager', async () => {
    const { book, clients, partner, mint } = operator;
    const policy = { bps: 100, minFee: parseEther('5000'), minAmount: parseEther('25000') };
    await as(policyManager, setFeePolicy(book, 'XCN', policy, clients), true);
    const stored = await partner.client.readContract({ ...mint, functionName: 'feePolicy', args: [zeroAddress] });
    expect(stored).toEqual([100, parseEther('5000'), parseEther('25000')]);
    expect((await setFeePolicy(book, 'XCN', policy, clients)).calls).toEqual([]);
    const above = { ...policy, minFee: parseEther('5001') };
    await expect(as(policyManager, setFeePolicy(book, 'XCN', above, clients))).rejects.toThrow(/AboveCeiling/);
  });
});
