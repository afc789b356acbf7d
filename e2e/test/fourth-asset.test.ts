import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, type Side } from '@causeway/protocol';
import {
  configResponseSchema,
  explainResponseSchema,
  feeQuoteResponseSchema,
  limitsResponseSchema,
} from '@causeway/protocol/rest';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { startChromium, waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import type { Address, Hex } from 'viem';
import { ConsoleMember } from './admin/console-member.js';
import { freePort, temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// A token that no source file names, with 8 decimals on both sides, added by one entry of the deployment configuration.

const LIMITS = { capacity: '10000000000', windowSeconds: 3_600, maxAmount: '5000000000' };
const POLICY = { bps: 30, minFee: '10000', minAmount: '50000' };
const WBTC = {
  name: 'Bridged Bitcoin',
  decimals: 8,
  dust: '10',
  unitExponent: 2,
  feePolicy: POLICY,
  feeCeiling: POLICY,
  limits: LIMITS,
  limitCeiling: LIMITS,
};
const PATIENCE = { timeoutMs: 120_000 };

let environment: TestEnvironment;
let browser: Awaited<ReturnType<typeof startChromium>>;
let alice: User;
let metricsPort: number;

beforeAll(async () => {
  [environment, browser, metricsPort] = await Promise.all([
    temporaryEnvironment({ assets: { WBTC } }),
    startChromium(),
    freePort(),
  ]);
  alice = new User(environment, environment.accounts.alice);
});
afterAll(async () => {
  await browser?.close();
  await environment?.stop();
});

const tokenOn = (side: Side) => environment.book[side].tokens['WBTC'] as Address;
const balance = async (side: Side, owner: Address) =>
  environment[side].client.readContract({
    address: tokenOn(side),
    abi: bridgedTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });

async function complete(originTxHash: Hex): Promise<void> {
  const isComplete = async () => (await alice.status(originTxHash))?.status === 'COMPLETED';
  await waitUntil('the transfer completes', isComplete, PATIENCE);
}

const verdict = async (hash: Hex) => alice.get(`/bridge/explain?hash=${hash}`, explainResponseSchema);

/** Sends a burn that the contract refuses. */
async function burnTooLittle(amount: bigint): Promise<Hex> {
  const { client, getWallet } = environment.partner;
  const hash = await getWallet(environment.accounts.alice).writeContract({
    address: environment.book.partner.bridgeMint,
    abi: bridgeMintAbi,
    functionName: 'burn',
    args: [tokenOn('partner'), amount, environment.accounts.bob.address, amount],
    gas: 300_000n,
  });
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

async function quote(amount: string, direction: string) {
  return alice.get(`/bridge/fee-quote?token=WBTC&amount=${amount}&direction=${direction}`, feeQuoteResponseSchema);
}

describe('a fourth asset of 8 decimals', () => {
  it("is listed by config and limits, after the specification's assets", async () => {
    const { ethereum, partner, withdrawals } = await alice.get('/bridge/config', configResponseSchema);
    const row = { token: 'WBTC', decimals: 8, granularity: '1' };
    for (const { tokens, side } of [
      { tokens: ethereum.tokens, side: 'ethereum' },
      { tokens: partner.tokens, side: 'partner' },
    ] as const) {
      expect(tokens.map(({ token }) => token)).toEqual(['ETH', 'USDC', 'XCN', 'WBTC']);
      expect(tokens.at(-1)).toEqual({ ...row, address: tokenOn(side) });
    }
    expect(withdrawals.at(-1)).toMatchObject({ token: 'WBTC', feeBps: 30, minimumFeeFormatted: '0.0001' });
    const limits = await alice.get('/bridge/limits', limitsResponseSchema);
    expect(limits.PARTNER_TO_ETHEREUM.assets.at(-1)).toMatchObject({
      token: 'WBTC',
      minimumAmountFormatted: '0.0005',
      maximumAmountFormatted: '50',
    });
  });

  it('refuses a ninth decimal and an unconfigured symbol', async () => {
    await expect(quote('0.123456789', 'ETHEREUM_TO_PARTNER')).rejects.toThrow(
      'VALIDATION_ERROR: amount has more digits after the point than WBTC has (8)',
    );
    await expect(
      alice.get('/bridge/fee-quote?token=DAI&amount=1&direction=ETHEREUM_TO_PARTNER', feeQuoteResponseSchema),
    ).rejects.toThrow('must be one of ETH, USDC, XCN, WBTC');
  });

  it('moves both ways at its own fee, and is explained, measured and shown', async () => {
    await environment.restartRelayer({ METRICS_PORT: `${metricsPort}` });
    const { alice: owner, bob } = environment.accounts;
    const deposited = parseAmount('WBTC', '2.00000001');
    const { originTxHash: deposit } = await alice.deposit('WBTC', deposited, owner.address);
    await complete(deposit);
    expect(await balance('partner', owner.address)).toBe(deposited);

    const withdrawn = parseAmount('WBTC', '1.00000001');
    const { feeAmount, outputAmount } = await quote('1.00000001', 'PARTNER_TO_ETHEREUM');
    expect([feeAmount, outputAmount]).toEqual(['300000', '99700001']);
    const before = await balance('ethereum', bob.address);
    const { originTxHash: burn } = await alice.burn('WBTC', withdrawn, bob.address, BigInt(feeAmount));
    await complete(burn);
    expect((await balance('ethereum', bob.address)) - before).toBe(99_700_001n);

    expect(await verdict(burn)).toMatchObject({ code: 'COMPLETED' });
    const tooLittle = await burnTooLittle(parseAmount('WBTC', '0.0004'));
    const message = expect.stringContaining('0.0004 WBTC, and the minimum is 0.0005');
    expect(await verdict(tooLittle)).toMatchObject({ code: 'BELOW_MINIMUM', message });
    const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text().catch(() => '');
    const isMeasured = async () => /^causeway_relayer_locked\{asset="WBTC"\} 1$/m.test(await metrics());
    await waitUntil('the relayer measures the locked amount', isMeasured, PATIENCE);

    const member = await ConsoleMember.signIn(environment, browser, environment.accounts.firstOperator);
    await member.find(burn);
    await member.reads('1.00000001 WBTC');
    await member.open('/');
    await member.sees('Overview');
    await member.reads('WBTC');
    await member.leave();
  });
});

describe('a database with rows of an asset', () => {
  it('missing in the address book is refused by relayer and API at the start', async () => {
    const { assets: _, ...book } = environment.book;
    const without = (side: Side) => {
      const { WBTC: _token, ...tokens } = book[side].tokens;
      return { ...book[side], tokens };
    };
    const file = environment.stack.addressBookFile.replace(/\.json$/, '-of-three.json');
    writeFileSync(file, JSON.stringify({ ...book, ethereum: without('ethereum'), partner: without('partner') }));
    for (const service of ['relayer', 'api'] as const) {
      const started = environment.startService(service, `${service}-of-three`, { ADDRESS_BOOK: file, PORT: '0' });
      const { sentence } = await started.ended;
      expect(sentence).toContain('rows of WBTC, which the address book does not name');
    }
  });
});
