import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import {
  attesterProofTypedData,
  parseAttesterProof,
  type AttestBatch,
  type AttestItem,
} from '@causeway/protocol/attest';
import { runProgram, testAccount, testKey, waitUntil } from '@causeway/test-kit';
import { reservesDigest } from '@causeway/verifier';
import { encodeFunctionData, parseEther, recoverAddress, recoverTypedDataAddress, zeroHash, type Hex } from 'viem';
import { MAIN, startAttester, type AttesterProcess } from './setup/attester.js';
import { computeTransferId, findSide, toBatch } from './setup/batches.js';
import { makeEnvironment, RELAYER, startBridge, type Item, type TestBridge } from './setup/bridge.js';
import { startExchange, type TestExchange } from './setup/exchange.js';

// The deployed attester with real chains and contracts, and a dishonest exchange.

const ATTESTER = testAccount(5);
const VALIDITY_SECONDS = 4;
/** The policy of the local deployment: 0.25 %, at least 1,000. */
const INTENT = parseEther('10000');
const FEE = parseEther('1000');

let bridge: TestBridge;
let exchange: TestExchange;
let other: TestExchange;
let attester: AttesterProcess;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  [bridge, exchange, other] = await Promise.all([startBridge([ATTESTER.address]), startExchange(), startExchange()]);
  env = {
    ...makeEnvironment(bridge, testKey(5), VALIDITY_SECONDS),
    EXCHANGE_URLS: `${exchange.url},${other.url}`,
    DATA_DIRECTORY: join(bridge.folder, 'attester'),
    METRICS_PORT: '0',
  };
});
afterAll(async () => {
  await attester?.end('SIGKILL');
  await Promise.all([exchange?.stop(), other?.stop()]);
  await bridge?.stop();
});

/** Makes a block, so that chain time is current, and a batch with the longest validity. */
const makeBatch = async (items: readonly AttestItem[], over: Partial<AttestBatch> = {}): Promise<AttestBatch> => {
  const side = findSide(items);
  await bridge.mine(side);
  const { timestamp } = await bridge.clients[side].getBlock();
  return toBatch(
    items,
    { setNumber: 1n, validUntil: timestamp + BigInt(VALIDITY_SECONDS), ...over },
    bridge.book,
    over,
  );
};

/** Asks for signatures until one comes, because a batch is valid only for seconds. */
const sign = async (items: readonly AttestItem[], of = exchange) =>
  waitUntil(
    'it is signed',
    async () => {
      const batch = await makeBatch(items);
      of.ask(batch);
      const signed = await waitUntil('it is', () => of.signatures.get(batch.digest), {
        timeoutMs: 1_000 * VALIDITY_SECONDS,
        intervalMs: 20,
      }).catch(() => null);
      return signed === null ? null : { batch, ...signed };
    },
    { timeoutMs: 30_000 },
  );

const toAttestation = ({ setNumber, validUntil }: AttestBatch, signature: Hex) => {
  const [r, s] = [`0x${signature.slice(2, 66)}` as const, BigInt(`0x${signature.slice(66, 130)}`)];
  const parity = signature.endsWith('1c') ? 1n << 255n : 0n;
  const yParityAndS = `0x${(parity | s).toString(16).padStart(64, '0')}` as const;
  return { setNumber, validUntil, attesters: [ATTESTER.address], signatures: [{ r, yParityAndS }] };
};

const mint = async (items: readonly Item<'MINT'>[]) => {
  const { batch, signature } = await sign(items);
  const args = [items.map(({ payment }) => payment), toAttestation(batch, signature)] as const;
  const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args });
  await bridge.send('partner', RELAYER, { to: bridge.book.partner.bridgeMint, data });
};

const verdictOn = async ({ id }: AttestItem, kind: string, of = exchange) =>
  waitUntil(`the verdict is ${kind}`, () => {
    const verdict = of.verdicts.get(id);
    return verdict?.kind === kind ? verdict : null;
  });

describe('an attester', () => {
  let deposit: Item<'MINT'>;

  it('judges from the start, and signs nothing before its wait is over', async () => {
    deposit = await bridge.deposit(200_000_000n);
    exchange.show(deposit);
    const starting = startAttester(env);
    const { atMs } = await sign([deposit]);
    attester = await starting;
    expect(atMs - attester.startedAtMs).toBeGreaterThanOrEqual(VALIDITY_SECONDS * 1_000);
    expect([...exchange.attesters]).toEqual([ATTESTER.address.toLowerCase()]);
    expect(await (await fetch(`${attester.url}/health/ready`)).json()).toMatchObject({ status: 'healthy' });
  });

  it('signs the deposits, withdrawals and intents that the chains owe, and the contracts pay', async () => {
    const second = await bridge.deposit(7_000_000n);
    exchange.show(second);
    await mint([deposit, second]);
    const release = await bridge.withdraw(100_000_000n);
    exchange.show(release);
    await verdictOn(release, 'SIGN');
    const signed = await sign([release]);
    const args = [[release.payment], toAttestation(signed.batch, signed.signature)] as const;
    const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args });
    await bridge.send('ethereum', RELAYER, { to: bridge.book.ethereum.bridgeLock, data });
    // An intent is shown at its acceptance, and again with its transfer.
    const intent = await bridge.signIntent(INTENT, 'one', FEE);
    exchange.show(intent, 'ACCEPTED');
    await verdictOn(intent, 'NOT_YET');
    const origin = await bridge.pay(INTENT);
    const paid = { ...intent, origin };
    exchange.show(paid);
    exchange.ask(await makeBatch([paid]));
    await waitUntil('it waits for its sweep', () => {
      const verdict = exchange.verdicts.get(paid.id);
      return verdict?.kind === 'NOT_YET' && verdict.why.includes('not in the float');
    });
    await bridge.sweep(origin, INTENT);
    await verdictOn(paid, 'SIGN');
    const released = await sign([paid]);
    const transferId = computeTransferId(paid, bridge.book);
    const terms = [intent.intent, transferId, FEE, toAttestation(released.batch, released.signature)] as const;
    const call = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args: terms });
    await bridge.send('ethereum', RELAYER, { to: bridge.book.ethereum.bridgeLock, data: call });
    const metrics = await (await fetch(`${attester.url}/metrics`)).text();
    // The first batch can be signed as well, once the sweep is final.
    expect(metrics).toMatch(/causeway_attester_signatures_total\{call="RELEASE_INTENT"\} [12]\n/);
  });

  it('signs a refund that operators approved, and no intent for its transfer', async () => {
    const amount = 3n * INTENT;
    const origin = await bridge.pay(amount);
    const refund = await bridge.approveRefund(origin, amount);
    const intent = {
      ...(await bridge.signIntent(amount, 'refunded', FEE)),
      judgedAtBlock: origin.blockNumber - 1n,
      origin,
    };
    exchange.show({ ...refund, approval: { ...refund.approval, signatures: refund.approval.signatures.slice(1) } });
    expect(await verdictOn(refund, 'REFUSE')).toMatchObject({ reason: 'NOT_APPROVED' });
    exchange.show(refund);
    const { batch, signature } = await sign([refund]);
    exchange.show(intent);
    expect(await verdictOn(intent, 'REFUSE')).toMatchObject({ reason: 'TRANSFER_USED' });
    const args = [refund.id, refund.recipient, toAttestation(batch, signature)] as const;
    const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'refundNative', args });
    await bridge.send('partner', RELAYER, { to: bridge.book.partner.bridgeMint, data, value: amount });
  });

  it('refuses payments that no chain owes, and signs none of them', async () => {
    const owed = await bridge.deposit(3_000_000n);
    const { payment } = owed;
    const forged: readonly (readonly [string, Item<'MINT'>])[] = [
      ['WRONG_AMOUNT', { ...owed, payment: { ...payment, amount: payment.amount + 1n } }],
      ['WRONG_RECIPIENT', { ...owed, payment: { ...payment, recipient: RELAYER.address } }],
      ['WRONG_ID', { ...owed, id: `0x${'ab'.repeat(32)}` }],
      ['ORIGIN_NOT_FOUND', { ...owed, origin: { ...owed.origin, transactionHash: `0x${'cd'.repeat(32)}` } }],
      ['ALREADY_DELIVERED', deposit],
    ];
    exchange.signatures.clear();
    for (const [reason, item] of forged) {
      exchange.show(item);
      const batch = await makeBatch([item]);
      exchange.ask(batch);
      await waitUntil(`it is refused: ${reason}`, () => {
        const verdict = exchange.verdicts.get(item.id);
        return verdict?.kind === 'REFUSE' && verdict.reason === reason;
      });
    }
    // An item of another exchange, another digest, end, set and call, and an item twice.
    exchange.show(owed);
    await verdictOn(owed, 'SIGN');
    const good = await makeBatch([owed]);
    other.ask(good);
    exchange.ask({ ...good, digest: `0x${'ef'.repeat(32)}` });
    exchange.ask(await makeBatch([owed], { validUntil: good.validUntil + 100n }));
    exchange.ask(await makeBatch([owed], { setNumber: 2n }));
    exchange.ask(await makeBatch([owed], { call: 'RELEASE_MANY' }));
    exchange.ask(await makeBatch([owed, owed]));
    const { batch } = await sign([owed]);
    expect([...exchange.signatures.keys()]).toEqual([batch.digest]);
    expect(other.signatures.size).toBe(0);
  });

  it('signs nothing above its own limits', async () => {
    const large = await bridge.deposit(400_000_001n);
    exchange.show(large);
    const verdict = await waitUntil(
      'it is refused',
      async () => {
        // A busy attester can reach a batch only after its expiry.
        exchange.ask(await makeBatch([large]));
        const given = exchange.verdicts.get(large.id);
        return given?.kind === 'REFUSE' ? given : null;
      },
      { intervalMs: 1_000 },
    );
    expect(verdict).toMatchObject({ reason: 'ABOVE_OWN_LIMIT' });
  });

  it('works for one exchange while another sends invalid answers', async () => {
    for (const broken of ['{"version":3,"after":1,"further":1}', 'x'.repeat(9_000_000), '{"version":4}']) {
      other.broken = { text: broken, count: 0 };
      await waitUntil('it was answered', () => other.broken?.count);
    }
    const owed = await bridge.deposit(1_000_000n);
    exchange.show(owed);
    await mint([owed]);
    expect(attester.printed()).toContain('does not answer as it must');
    other.broken = null;
  });

  it('remembers its signatures across SIGKILL: a transfer that pays one intent pays no other, and a second process is refused', async () => {
    // A new amount, because all transfers of the earlier amount are paid.
    const amount = 2n * INTENT;
    const first = await bridge.signIntent(amount, 'first', FEE);
    const second = await bridge.signIntent(amount, 'second', FEE);
    const origin = await bridge.payAndSweep(amount);
    exchange.show({ ...first, origin });
    await sign([{ ...first, origin }]);
    await attester.end('SIGKILL');
    exchange.restart();
    attester = await startAttester(env);
    const { code, stderr } = await runProgram(MAIN, env);
    expect({ code, line: stderr.trimEnd().split('\n')[1] }).toEqual({
      code: 78,
      line: `DATA_DIRECTORY ${env['DATA_DIRECTORY']} is used by another process: two attesters must not share a record`,
    });
    exchange.show({ ...second, origin });
    expect(await verdictOn(second, 'REFUSE')).toMatchObject({ reason: 'TRANSFER_USED' });
    exchange.show({ ...first, origin });
    const { atMs } = await sign([{ ...first, origin }]);
    expect(atMs - attester.startedAtMs).toBeGreaterThanOrEqual(VALIDITY_SECONDS * 1_000);
  });

  it('states the reserves of today at blocks that are final, and no others', async () => {
    await bridge.deposit(2_000_000n);
    const [ethereum, partner] = await Promise.all([
      bridge.clients.ethereum.getBlock(),
      bridge.clients.partner.getBlock(),
    ]);
    const proposal = {
      day: partner.timestamp / 86_400n,
      previous: zeroHash,
      ethereumBlock: ethereum.number,
      ethereumHash: ethereum.hash,
      partnerBlock: partner.number,
      partnerHash: partner.hash,
    };
    const wrong = [
      ['is of day', { day: proposal.day - 1n }],
      ['is of day', { day: proposal.day + 1n }],
      ['is not final', { ethereumBlock: ethereum.number + 9n }],
      ['is not final', { partnerBlock: partner.number + 9n }],
      ['of partner is', { partnerHash: ethereum.hash }],
    ] as const;
    for (const [why, over] of wrong) {
      const length = attester.printed().length;
      exchange.propose({ ...proposal, ...over });
      await waitUntil(`it is not signed: ${why}`, () => attester.printed().slice(length).includes(why));
    }
    expect(exchange.stated).toEqual([]);
    exchange.propose(proposal);
    const { statement, signature } = await waitUntil('it is signed', () => exchange.stated[0]);
    expect(statement).toMatchObject(proposal);
    for (const { locked, supply, held, inFlight } of statement.assets)
      expect(locked).toBeGreaterThanOrEqual(supply - held + inFlight);
    expect(statement.assets.map(({ asset }) => asset)).toEqual(['ETH', 'USDC', 'XCN']);
    const hash = reservesDigest(statement, { chainId: 31_337, contract: bridge.book.ethereum.bridgeLock });
    expect(await recoverAddress({ hash, signature })).toBe(ATTESTER.address);
  });

  it('reports its state as doctor, and shuts down cleanly', async () => {
    const { code, stdout } = await runProgram(MAIN, { ...env, METRICS_PORT: '' }, { words: ['doctor'] });
    expect(stdout).toContain('0 errors');
    expect(code).toBe(0);
    const { settings } = exchange;
    exchange.settings = { ...settings, holdSeconds: 9 };
    const different = await runProgram(MAIN, { ...env, METRICS_PORT: '' }, { words: ['doctor', '--json'] });
    const finding = expect.stringContaining('HOLD_SECONDS is 0 here and 9 at the relayer');
    const warning = expect.objectContaining({ severity: 'warning', check: 'exchanges', finding });
    expect(JSON.parse(different.stdout)).toMatchObject({ exitCode: 0, findings: expect.arrayContaining([warning]) });
    await waitUntil('it logs the difference', () => attester.printed().includes('settings of the relayer differ'));
    exchange.settings = settings;
    for (const line of ['ethereum: set 1, 1 of 1 must sign', 'the key holds no office', 'below those of the contracts'])
      expect(stdout).toContain(line);
    expect(await attester.end('SIGHUP')).toBe(0);
  });

  it('proves its key for this deployment in one word, and proves nothing without its nodes', async () => {
    const { code, stdout } = await runProgram(MAIN, env, { words: ['prove'] });
    expect(code).toBe(0);
    const { signature, ...terms } = parseAttesterProof(stdout)!;
    expect(terms).toMatchObject({ attester: ATTESTER.address.toLowerCase(), holdSeconds: 0n });
    const typed = attesterProofTypedData(bridge.book, terms);
    expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(ATTESTER.address);
    const away = await runProgram(MAIN, { ...env, PARTNER_RPC_URLS: 'own=http://127.0.0.1:1' }, { words: ['prove'] });
    expect(away).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Nothing is proven: partner: 0 of 1/),
    });
  });

  it('does not start with limits above those of the contracts, or nodes of another chain', async () => {
    const high = await runProgram(MAIN, { ...env, LIMITS_PER_DELIVERY: 'ETH=1,USDC=400000000,XCN=1' });
    expect(high.code).toBe(78);
    expect(high.stderr).toContain('LIMITS_PER_DELIVERY has 400000000 USDC, and the contract on');
    const swapped = await runProgram(MAIN, { ...env, PARTNER_RPC_URLS: `own=${bridge.urls.ethereum}` });
    expect({ code: swapped.code, line: swapped.stderr.trimEnd().split('\n')[1] }).toEqual({
      code: 78,
      line: `PARTNER_RPC_URLS must name nodes of chain 8901: own ${new URL(bridge.urls.ethereum).host} is of chain 31337`,
    });
  });
});
