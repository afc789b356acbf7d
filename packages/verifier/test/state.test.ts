import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { testAccount } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeFunctionData, parseEther, zeroAddress, zeroHash, type Address, type Hex } from 'viem';
import { computeFee } from '../src/checks/acceptance.js';
import {
  checkStatements,
  judgeDelivery,
  readReserves,
  reservesDigest,
  type FinalHeaders,
  type IntentDelivery,
  type ReservesStatement,
  type SignedReserves,
  type Verifier,
} from '../src/index.js';
import { ALICE, BOB, DEPLOYER, RELAYER, startBridge, type Lie, type TestBridge } from './bridge.js';
import { findProblems } from './ledger.js';
import { makeStatement, signStatement } from './statements.js';
import { deliver, deposit, intentDelivery, pay, payAndSweep, signIntent, sweep, withdraw } from './transfers.js';

// Deliveries under changing settings and blocks.

const AMOUNT = parseEther('6000');
const UNIT = parseEther('1');
const POLICY_MANAGER = testAccount(6);

let bridge: TestBridge;

beforeAll(async () => {
  bridge = await startBridge();
  await deliver(bridge, await deposit(bridge, 'ETH', parseEther('2')));
  await deliver(bridge, await deposit(bridge, 'USDC', 5_000_000_000n));
});

afterAll(async () => bridge?.stop());

/** Calls a bridge contract as its admin. */
async function administer(side: 'ethereum' | 'partner', data: Hex): Promise<void> {
  await bridge.send(side, DEPLOYER, { to: bridge.settings[side].contract, data });
}

async function setPolicy(bps: number, minFee: bigint): Promise<bigint> {
  const args = [zeroAddress, { bps, minFee, minAmount: parseEther('5000') }] as const;
  const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'setFeePolicy', args });
  return (await bridge.send('partner', POLICY_MANAGER, { to: bridge.book.partner.bridgeMint, data })).blockNumber;
}

describe('the fee of an intent', () => {
  it('is the fee at its acceptance, even if the policy changes', async () => {
    const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
    const judgedAtBlock = await bridge.chains.partner.client.getBlockNumber();
    await setPolicy(100, parseEther('5'));
    const item = {
      ...intentDelivery(bridge, signed, await payAndSweep(bridge, AMOUNT), parseEther('1000')),
      judgedAtBlock,
    };
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ kind: 'SIGN' });
    const later = { ...item, judgedAtBlock: judgedAtBlock + 1n };
    expect(await judgeDelivery(later, bridge.verifier())).toMatchObject({ reason: 'WRONG_FEE' });
    expect(await judgeDelivery({ ...later, fee: AMOUNT / 100n }, bridge.verifier())).toMatchObject({ kind: 'SIGN' });
  });

  it.each([
    [2_300, { kind: 'SIGN' }],
    [2_500, { reason: 'ACCEPTANCE_TOO_OLD' }],
  ])('is judged within 40 minutes before its transfer: %i seconds', async (seconds, verdict) => {
    const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
    const judgedAtBlock = await bridge.chains.partner.client.getBlockNumber();
    await bridge.travel(seconds);
    const item = { ...intentDelivery(bridge, signed, await payAndSweep(bridge, AMOUNT), AMOUNT / 100n), judgedAtBlock };
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject(verdict);
  });

  it('equals the fee that BridgeMint computes', async () => {
    await setPolicy(37, parseEther('25'));
    const { client } = bridge.chains.partner;
    const quote = { address: bridge.book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'quoteFee' } as const;
    const units = fc.bigInt({ min: parseEther('5000') / 10n ** 10n, max: parseEther('500000') / 10n ** 10n });
    await fc.assert(
      fc.asyncProperty(units, async (count) => {
        const amount = count * 10n ** 10n;
        const fee = await client.readContract({ ...quote, args: [zeroAddress, amount] });
        expect(computeFee(amount, 37n, parseEther('25'))).toBe(fee);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a batch', () => {
  it('is paid with one consent to all of its payments', async () => {
    const mints = [await deposit(bridge, 'ETH', 3_000n), await deposit(bridge, 'USDC', 4_000n)];
    const releases = [await withdraw(bridge, 'USDC', 40_000_000n), await withdraw(bridge, 'USDC', 50_000_000n)];
    const minted = mints.map(({ payment }) => payment);
    const released = releases.map(({ payment }) => payment);
    const toPartner = await bridge.attest('partner', { kind: 'MINT_MANY', payments: minted });
    const toEthereum = await bridge.attest('ethereum', { kind: 'RELEASE_MANY', payments: released });
    const mint = { abi: bridgeMintAbi, functionName: 'mintMany', args: [minted, toPartner] } as const;
    await bridge.send('partner', RELAYER, { to: bridge.book.partner.bridgeMint, data: encodeFunctionData(mint) });
    const release = { abi: bridgeLockAbi, functionName: 'releaseMany', args: [released, toEthereum] } as const;
    await bridge.send('ethereum', RELAYER, { to: bridge.book.ethereum.bridgeLock, data: encodeFunctionData(release) });
    const verifier = bridge.verifier();
    for (const item of [...mints, ...releases])
      expect(await judgeDelivery(item, verifier)).toMatchObject({ reason: 'ALREADY_DELIVERED' });
  });
});

describe('a reopened number', () => {
  it('is not paid again with the same terms', async () => {
    const item = await withdraw(bridge, 'USDC', 20_000_000n);
    await deliver(bridge, item);
    const { withdrawNonce } = item.payment;
    const args = [withdrawNonce >> 8n, 1n << (withdrawNonce & 255n), 0n] as const;
    await administer(
      'ethereum',
      encodeFunctionData({ abi: bridgeLockAbi, functionName: 'pause', args: [false, true] }),
    );
    await administer('ethereum', encodeFunctionData({ abi: bridgeLockAbi, functionName: 'reopen', args }));
    const contract = { address: bridge.book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
    const isReleased = { ...contract, functionName: 'isReleased', args: [withdrawNonce] } as const;
    expect(await bridge.chains.ethereum.client.readContract(isReleased)).toBe(false);
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ reason: 'ALREADY_DELIVERED' });
    const pauses = await bridge.chains.ethereum.client.readContract({ ...contract, functionName: 'pauses' });
    const unpause = [pauses[2], false, true] as const;
    await administer('ethereum', encodeFunctionData({ abi: bridgeLockAbi, functionName: 'unpause', args: unpause }));
  });
});

describe('the collateral', () => {
  it('must cover the supply and a mint', async () => {
    const item = await deposit(bridge, 'ETH', 1_000n);
    const { client } = bridge.chains.ethereum;
    const { bridgeLock: address } = bridge.book.ethereum;
    const value = await client.getBalance({ address });
    await bridge.setBalance(address, value - 1n);
    // The next block has the balance.
    await bridge.mine();
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ reason: 'COLLATERAL_SHORT' });
    const short = { code: 'SHORT', side: 'ethereum', asset: 'ETH' };
    expect(await findProblems(bridge.verifier())).toContainEqual(expect.objectContaining(short));
    await bridge.setBalance(address, value);
    await bridge.mine();
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ kind: 'SIGN' });
  });

  it('treats handed-in tokens as not owed', async () => {
    await withdraw(bridge, 'USDC', 100_000_000n);
    const item = await deposit(bridge, 'USDC', 1_000n);
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ kind: 'SIGN' });
  });
});

describe('the coin of an intent', () => {
  const FEE = parseEther('1000');
  const NOT_SWEPT = { kind: 'NOT_YET', why: expect.stringMatching(/^The coin of the transfer is not in the float/) };

  beforeAll(async () => {
    await setPolicy(25, FEE);
    await deliver(bridge, await deposit(bridge, 'XCN', 4n * AMOUNT));
  });

  const payIntent = async (amount: bigint, account = ALICE) =>
    intentDelivery(bridge, await signIntent(bridge, account, { amount }), await pay(bridge, account, amount), FEE);
  const judge = async (item: IntentDelivery) => judgeDelivery(item, bridge.verifier());
  const toTransfer = ({ origin, intent }: IntentDelivery, amount = intent.amount) => ({ ...origin, amount });

  it('must be in the float completely, for its own transfer', async () => {
    const [first, second] = [await payIntent(AMOUNT + UNIT), await payIntent(AMOUNT + 2n * UNIT)];
    const verifier = bridge.verifier({ now: () => 1_000 });
    expect(await judgeDelivery(first, verifier)).toMatchObject({ ...NOT_SWEPT, until: { time: 1_002 } });
    await sweep(bridge, [toTransfer(second)]);
    expect(await judgeDelivery(first, verifier)).toMatchObject(NOT_SWEPT);
    expect(await judgeDelivery(second, verifier)).toMatchObject({ kind: 'SIGN' });
    await sweep(bridge, [toTransfer(first, AMOUNT)]);
    expect(await judgeDelivery(first, verifier)).toMatchObject(NOT_SWEPT);
    const topUp = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'topUp' });
    await bridge.send('partner', RELAYER, { to: bridge.book.partner.bridgeMint, data: topUp, value: UNIT });
    expect(await judgeDelivery(first, verifier)).toMatchObject(NOT_SWEPT);
    // Partial sweeps do not count: one of a single unit costs a thief nothing.
    await sweep(bridge, [toTransfer(first, UNIT)]);
    expect(await judgeDelivery(first, verifier)).toMatchObject(NOT_SWEPT);
    await sweep(bridge, [toTransfer(first)]);
    expect(await judgeDelivery(first, verifier)).toMatchObject({ kind: 'SIGN' });
  });

  it("is searched by transfer and amount, so that a thief's worthless sweeps cannot block it", async () => {
    const item = await payIntent(AMOUNT + 4n * UNIT);
    await sweep(bridge, [toTransfer(item)]);
    // Nodes return at most 10,000 logs.
    const worthless = Array.from({ length: 2_000 }, () => toTransfer(item, 0n));
    for (let count = 0; count < 6; count += 1) await sweep(bridge, worthless);
    expect(await judge(item)).toMatchObject({ kind: 'SIGN' });
    expect(await judgeDelivery(await deposit(bridge, 'ETH', 2_000n), bridge.verifier())).toMatchObject({
      kind: 'SIGN',
    });
  });

  it('counts from the final block of its sweep on', async () => {
    const item = await payIntent(AMOUNT + 3n * UNIT);
    await sweep(bridge, [toTransfer(item)]);
    const partner = { nodes: bridge.nodes('partner'), quorum: 2, confirmations: 2 };
    // Another reader of the history already has the newer block.
    const verifier = bridge.verifier({ partner });
    await verifier.histories.partner.at(await bridge.chains.partner.client.getBlockNumber());
    expect(await judgeDelivery(item, verifier)).toMatchObject(NOT_SWEPT);
    await bridge.travel(1);
    expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'SIGN' });
  });

  it('is checked after the hold, and rarely when it waits for long', async () => {
    const item = await payIntent(AMOUNT + 4n * UNIT);
    const settings = { ...bridge.settings, holdSeconds: 1_000 };
    const verifier = bridge.verifier({ settings, now: () => 1_000 });
    expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'NOT_YET', why: expect.stringMatching(/hold/) });
    await bridge.travel(1_020);
    expect(await judgeDelivery(item, verifier)).toMatchObject({ ...NOT_SWEPT, until: { time: 1_010 } });
    await bridge.travel(9_000);
    expect(await judgeDelivery(item, verifier)).toMatchObject({ ...NOT_SWEPT, until: { time: 1_060 } });
  });

  it('counts for one transfer only, so that a thief who sends it in a circle is paid once', async () => {
    const amount = AMOUNT + 5n * UNIT;
    // The thief pays its own intent with the coin of another pending one.
    const [theirs, others] = [await payIntent(amount), await payIntent(AMOUNT + 6n * UNIT)];
    await pay(bridge, RELAYER, amount, BOB.address);
    const first = await payIntent(amount, BOB);
    await sweep(bridge, [toTransfer(first)]);
    expect(await judge(first)).toMatchObject({ kind: 'SIGN' });
    await deliver(bridge, first);
    // The same amount again is another transfer, for which a second sweep of the first one does not count.
    const second = await payIntent(amount, BOB);
    expect(await judge(second)).toMatchObject(NOT_SWEPT);
    await sweep(bridge, [toTransfer(first)]);
    expect(await judge(second)).toMatchObject(NOT_SWEPT);
    for (const item of [theirs, others]) expect(await judge(item)).toMatchObject(NOT_SWEPT);
    // A relayer can pay for the transfers that the thief left unswept.
    await sweep(bridge, [toTransfer(theirs), toTransfer(others)]);
    for (const item of [theirs, others]) expect(await judge(item)).toMatchObject({ kind: 'SIGN' });
  });
});

describe('the origin', () => {
  it("is proven by single receipts if a node does not offer a block's receipts", async () => {
    const item = await deposit(bridge, 'ETH', 2_000n);
    const lie: Lie = (method, result) => {
      if (method === 'eth_getBlockReceipts') throw new Error('the method does not exist');
      return result;
    };
    const ethereum = { nodes: bridge.nodes('ethereum', [lie, lie, lie]), quorum: 2, confirmations: 1 };
    expect(await judgeDelivery(item, bridge.verifier({ ethereum }))).toMatchObject({ kind: 'SIGN' });
  });

  it('must have succeeded', async () => {
    const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
    const { client, getWallet } = bridge.chains.partner;
    const data = encodeFunctionData({
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [zeroAddress, 1n, zeroAddress, 1n],
    });
    const call = { to: bridge.book.partner.bridgeMint, data, gas: 200_000n };
    const transactionHash = await getWallet(ALICE).sendTransaction(call);
    const { blockNumber, status } = await client.waitForTransactionReceipt({ hash: transactionHash });
    expect(status).toBe('reverted');
    const item = intentDelivery(bridge, signed, { blockNumber, transactionHash, callIndex: 0 }, parseEther('25'));
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ reason: 'ORIGIN_FAILED' });
  });
});

describe('a replaced final block', () => {
  it('causes the history of deliveries to be read again', async () => {
    const item = await withdraw(bridge, 'USDC', 30_000_000n);
    const restore = await bridge.snapshot();
    const verifier = bridge.verifier();
    await deliver(bridge, item);
    expect(await judgeDelivery(item, verifier)).toMatchObject({ reason: 'ALREADY_DELIVERED' });
    await restore();
    for (let block = 0; block < 3; block += 1) await bridge.mine();
    expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'SIGN' });
    await deliver(bridge, item);
    expect(await judgeDelivery(item, verifier)).toMatchObject({ reason: 'ALREADY_DELIVERED' });
  });
});

// The last test: it makes the relayer wallet of the others a former one.
describe('a replaced relayer wallet', () => {
  it('is paid by intents until its replacement, and not after', async () => {
    await setPolicy(25, parseEther('1000'));
    const [early, late] = [
      await signIntent(bridge, ALICE, { amount: AMOUNT }),
      await signIntent(bridge, ALICE, { amount: AMOUNT + 10n ** 10n }),
    ];
    const inTime = intentDelivery(bridge, early, await payAndSweep(bridge, AMOUNT), parseEther('1000'));
    await administer(
      'partner',
      encodeFunctionData({ abi: bridgeMintAbi, functionName: 'setRelayer', args: [BOB.address] }),
    );
    const after = await pay(bridge, ALICE, AMOUNT + 10n ** 10n);
    expect(await judgeDelivery(inTime, bridge.verifier())).toMatchObject({ kind: 'SIGN' });
    const tooLate = intentDelivery(bridge, late, after, parseEther('1000'));
    expect(await judgeDelivery(tooLate, bridge.verifier())).toMatchObject({ reason: 'WRONG_WALLET' });
  });

  it('cannot pay its own intent, since its key could send the same coin in a circle', async () => {
    const signed = await signIntent(bridge, RELAYER, { amount: AMOUNT });
    const paid = await pay(bridge, RELAYER, AMOUNT, BOB.address);
    const circle = intentDelivery(bridge, signed, paid, parseEther('1000'));
    expect(await judgeDelivery(circle, bridge.verifier())).toMatchObject({
      reason: 'WRONG_SENDER',
      why: expect.stringMatching(/is a relayer wallet/),
    });
  });
});

describe('a statement of reserves', () => {
  const checkAll = async (statements: readonly SignedReserves[], verifier: Verifier) => {
    const options = { readNumbers: async (pair: FinalHeaders) => readReserves(verifier, pair), isLockedRead: true };
    return checkStatements(statements, verifier, { ...options, isWhole: true });
  };
  const sign = async (statement: ReservesStatement) => signStatement(bridge, statement);

  it('closes to the unit for every asset, with transfers in flight', async () => {
    await deposit(bridge, 'XCN', 7n * UNIT);
    await withdraw(bridge, 'USDC', 30_000_000n);
    await withdraw(bridge, 'XCN', AMOUNT);
    const { assets } = await makeStatement(bridge, zeroHash);
    expect(assets.map(({ asset }) => asset)).toEqual(['ETH', 'USDC', 'XCN']);
    for (const { locked, supply, held, inFlight } of assets) expect(locked).toBe(supply - held + inFlight);
    expect(assets.map(({ inFlight }) => inFlight > 0n)).toEqual([true, true, true]);
    expect(assets.at(-1)).toMatchObject({ held: 0n, inFlight: 7n * UNIT + AMOUNT });
  });

  it('is right as the attesters signed it, and an alteration of any field is named', async () => {
    const first = await sign(await makeStatement(bridge, zeroHash));
    await bridge.travel(86_400);
    const second = await sign(await makeStatement(bridge, reservesDigest(first.statement, bridge.settings.ethereum)));
    const verifier = bridge.verifier();
    const check = async (statements: readonly SignedReserves[]) => checkAll(statements, verifier);
    expect(await check([second, first])).toEqual([]);
    const { statement } = second;
    const { day } = statement;
    const [one, ...others] = statement.assets;
    const numbers = (['locked', 'supply', 'held', 'inFlight', 'fees'] as const).map(
      (field) => ['NUMBERS', { assets: [{ ...one!, [field]: one![field] + 1n }, ...others] }] as const,
    );
    const altered = [
      ['BLOCKS', { day: day + 1n }],
      ['LINK', { previous: statement.partnerHash }],
      ['BLOCKS', { ethereumBlock: statement.ethereumBlock - 1n }],
      ['BLOCKS', { ethereumBlock: statement.ethereumBlock + 9n }],
      ['BLOCKS', { ethereumHash: statement.partnerHash }],
      ['BLOCKS', { partnerBlock: statement.partnerBlock - 1n }],
      ['BLOCKS', { partnerHash: statement.ethereumHash }],
      ['NUMBERS', { assets: others }],
      ['NUMBERS', { assets: [{ ...one!, asset: 'USDT' }, ...others] }],
      ...numbers,
    ] as const;
    for (const [code, over] of altered) {
      const lie = { ...statement, ...over };
      const ofDay = lie.day;
      // Once as the attesters signed it, and once signed as altered.
      expect(await check([first, { ...second, statement: lie }])).toContainEqual(
        expect.objectContaining({ day: ofDay, code: 'SIGNATURES' }),
      );
      expect(await check([first, await sign(lie)])).toContainEqual(expect.objectContaining({ day: ofDay, code }));
    }
    const { ethereumBlock, ethereumHash } = first.statement;
    await bridge.travel(1);
    const later = await makeStatement(bridge, zeroHash);
    const older = await sign({ ...later, ethereumBlock, ethereumHash });
    expect(await check([first, second, older])).toContainEqual(
      expect.objectContaining({ code: 'BLOCKS', why: expect.stringContaining('is before that of a day before') }),
    );
    const stranger = {
      attester: ALICE.address.toLowerCase() as Address,
      signature: await ALICE.sign({ hash: zeroHash }),
    };
    for (const over of [{ setNumber: 2n }, { signatures: [] }, { signatures: [stranger] }])
      expect(await check([first, { ...second, ...over }])).toEqual([
        expect.objectContaining({ day, code: 'SIGNATURES' }),
      ]);
    expect(await check([second])).toEqual([expect.objectContaining({ day, code: 'LINK' })]);
  });
});

it('shows all of this to a ledger, whose only findings are the changes by an admin without a timelock', async () => {
  const changes = ['PauseSet', 'Reopened', 'PauseSet', 'RelayerChanged'];
  const findings = changes.map((name) => ({ code: 'UNANNOUNCED', why: expect.stringMatching(`^${name} `) }));
  expect(await findProblems(bridge.verifier())).toEqual(findings.map((finding) => expect.objectContaining(finding)));
});
