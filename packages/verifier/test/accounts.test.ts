import { SmartAccounts } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { concatHex, parseEther, zeroAddress, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  computeIntentId,
  judgeAcceptance,
  judgeDelivery,
  MemoryRecord,
  readHead,
  traceBeginning,
  type Intent,
  type IntentDelivery,
  type TransferOrigin,
} from '../src/index.js';
import { mayHaveHadCode } from '../src/ledger/former-code.js';
import { ALICE, BOB, DEPLOYER, RELAYER, startBridge, type Lie, type TestBridge } from './bridge.js';
import { intentDelivery, lower, signIntent, sweep } from './transfers.js';

// Intents of smart accounts: ERC-1271 at the block of the acceptance, EIP-7702, and payments inside transactions.

const AMOUNT = parseEther('6000');
const FEE = parseEther('1000');
const UNIT = 10n ** 10n;

let bridge: TestBridge;
let accounts: SmartAccounts;
let safe: Address;

beforeAll(async () => {
  bridge = await startBridge();
  const { client, getWallet } = bridge.chains.partner;
  accounts = new SmartAccounts(client, getWallet(DEPLOYER), UNIT);
  safe = lower(await accounts.deploy('MultiSigAccount', [ALICE.address, BOB.address]));
  await accounts.fund(safe, 6n * AMOUNT);
});

afterAll(async () => bridge?.stop());

const judge = async (item: IntentDelivery) => judgeDelivery(item, bridge.verifier());

/** An intent of an account, with its signature. */
async function makeIntent(sender: Address, sign: (id: Hex) => Promise<Hex>): Promise<Intent> {
  const terms = await signIntent(bridge, ALICE, { sender, amount: AMOUNT });
  return { ...terms, signature: await sign(computeIntentId(bridge.settings.partner, terms)) };
}

const byBoth = async (hash: Hex) => concatHex([await ALICE.sign({ hash }), await BOB.sign({ hash })]);

/** Pays the relayer wallet from the smart account by an internal call, and sweeps the coin. */
async function payFromSafe(): Promise<TransferOrigin> {
  const call = { to: RELAYER.address, value: AMOUNT };
  const { blockNumber, transactionHash } = await accounts.executeSigned(safe, [ALICE, BOB], call);
  const request = { method: 'debug_traceTransaction', params: [transactionHash, { tracer: 'callTracer' }] };
  const trace: unknown = await bridge.chains.partner.client.request(request as never);
  const { calls } = trace as { readonly calls: readonly { readonly to: Address }[] };
  const callIndex = 1 + calls.findIndex(({ to }) => lower(to) === lower(RELAYER.address));
  await sweep(bridge, [{ transactionHash, callIndex, amount: AMOUNT }]);
  return { blockNumber, transactionHash, callIndex };
}

describe('an intent of a smart account', () => {
  it('is signed when its code accepts the signature and an internal call pays it', async () => {
    const item = intentDelivery(bridge, await makeIntent(safe, byBoth), await payFromSafe(), FEE);
    expect(await judge(item)).toMatchObject({ kind: 'SIGN', transfer: { callIndex: item.origin.callIndex } });
    // The transaction itself is sent by another account.
    const outer = { ...item, origin: { ...item.origin, callIndex: 0 } };
    expect(await judge(outer)).toMatchObject({ kind: 'REFUSE', reason: 'WRONG_SENDER' });
  });

  it('is traced to the call that pays it', async () => {
    const { blockNumber: _, ...origin } = await payFromSafe();
    const verifier = bridge.verifier();
    const heads = { ethereum: await readHead(verifier, 'ethereum'), partner: await readHead(verifier, 'partner') };
    const begun = await traceBeginning({ id: null, transactionHash: origin.transactionHash }, verifier, heads);
    expect(begun).toMatchObject({ kind: 'PAYMENT', sender: safe, amount: AMOUNT, ...origin });
  });

  it('needs a quorum for the calls of a transaction', async () => {
    const item = intentDelivery(bridge, await makeIntent(safe, byBoth), await payFromSafe(), FEE);
    const lie: Lie = (method, result) =>
      method === 'debug_traceTransaction' ? { type: 'CALL', from: safe, to: safe, value: '0x0', calls: [] } : result;
    const partner = { nodes: bridge.nodes('partner', [lie, null]), quorum: 2, confirmations: 1 };
    expect(await judgeDelivery(item, bridge.verifier({ partner }))).toMatchObject({ kind: 'NOT_YET' });
  });

  it('is refused when the paying call failed, or is inside a failed call', async () => {
    const item = intentDelivery(bridge, await makeIntent(safe, byBoth), await payFromSafe(), FEE);
    const failed: Lie = (method, result) =>
      method === 'debug_traceTransaction' ? { ...(result as object), error: 'execution reverted' } : result;
    const partner = { nodes: bridge.nodes('partner', [failed, failed, failed]), quorum: 2, confirmations: 1 };
    expect(await judgeDelivery(item, bridge.verifier({ partner }))).toMatchObject({ reason: 'ORIGIN_NOT_FOUND' });
  });

  it.each<readonly [string, (hash: Hex) => Promise<Hex>]>([
    ['one owner', async (hash) => ALICE.sign({ hash })],
    ['a stranger', async (hash) => RELAYER.sign({ hash })],
  ])('is refused with the signature of %s', async (_, sign) => {
    const item = intentDelivery(bridge, await makeIntent(safe, sign), await payFromSafe(), FEE);
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'SIGNATURE_INVALID' });
  });

  it('is judged at the block of the acceptance, and the judgement is kept', async () => {
    const signed = await makeIntent(safe, byBoth);
    const judgedAtBlock = await bridge.chains.partner.client.getBlockNumber();
    const record = new MemoryRecord();
    const early = await judgeAcceptance({ intent: signed, judgedAtBlock }, bridge.verifier({ record }));
    if (early.kind !== 'ACCEPTED') throw new Error(early.why);
    const gone: Lie = (_method, result, params) => {
      const { blockHash } = (params.at(-1) ?? {}) as { readonly blockHash?: Hex };
      if (blockHash === early.acceptance.blockHash) throw new Error('missing trie node');
      return result;
    };
    const partner = { nodes: bridge.nodes('partner', [gone, gone, gone]), quorum: 2, confirmations: 1 };
    const owed = { ...intentDelivery(bridge, signed, await payAgain(), FEE), judgedAtBlock };
    expect(await judgeDelivery(owed, bridge.verifier({ partner }))).toMatchObject({
      kind: 'NOT_YET',
      until: 'STATE_GONE',
    });
    record.addAcceptance(early.acceptance);
    expect(await judgeDelivery(owed, bridge.verifier({ partner, record }))).toMatchObject({ kind: 'SIGN' });
    // The judgement applies to this signature only.
    const other = { ...owed, intent: { ...owed.intent, signature: await ALICE.sign({ hash: owed.id }) } };
    expect(await judgeDelivery(other, bridge.verifier({ record }))).toMatchObject({ reason: 'SIGNATURE_INVALID' });
  });

  const payAgain = async () => {
    await accounts.fund(safe, AMOUNT);
    return payFromSafe();
  };

  it.each<readonly [string, 'RevertingAccount' | 'LegacyAccount' | 'LoopingAccount', readonly unknown[]]>([
    ['that reverts', 'RevertingAccount', ['0x']],
    ['that supports only the draft of ERC-1271', 'LegacyAccount', []],
    ['that never ends', 'LoopingAccount', []],
  ])('is refused by an account %s', async (_, name, args) => {
    const sender = lower(await accounts.deploy(name, args));
    const judgedAtBlock = await bridge.chains.partner.client.getBlockNumber();
    const intent = await makeIntent(sender, async (hash) => ALICE.sign({ hash }));
    const verdict = await judgeAcceptance({ intent, judgedAtBlock }, bridge.verifier());
    expect(verdict).toMatchObject({ kind: 'REFUSE', reason: 'SIGNATURE_INVALID' });
  });

  it('of EIP-7702 is signed by its key or by its code', async () => {
    const key = privateKeyToAccount(generatePrivateKey());
    const target = await accounts.deploy('MultiSigAccount', [ALICE.address, BOB.address]);
    await accounts.delegate(key, target);
    const judgedAtBlock = await bridge.chains.partner.client.getBlockNumber();
    const code = await bridge.chains.partner.client.getCode({ address: key.address });
    expect(code).toMatch(/^0xef0100/);
    const byKey = await makeIntent(lower(key.address), async (hash) => key.sign({ hash }));
    expect(await judgeAcceptance({ intent: byKey, judgedAtBlock }, bridge.verifier())).toMatchObject({
      kind: 'ACCEPTED',
    });
    const byStranger = await makeIntent(lower(key.address), async (hash) => RELAYER.sign({ hash }));
    expect(await judgeAcceptance({ intent: byStranger, judgedAtBlock }, bridge.verifier())).toMatchObject({
      reason: 'SIGNATURE_INVALID',
    });
  });

  it('of EIP-7702 may have been signed by code that its account no longer has', async () => {
    const key = privateKeyToAccount(generatePrivateKey());
    await accounts.delegate(key, await accounts.deploy('MultiSigAccount', [ALICE.address, BOB.address]));
    await accounts.delegate(key, zeroAddress, 1);
    const { readers } = bridge.verifier();
    const end = await readers.partner.headerAt(await readers.partner.head());
    const where = { transferAt: end.number, end, most: 100n };
    expect(await mayHaveHadCode(readers.partner, lower(key.address), where)).toBe(true);
    expect(await mayHaveHadCode(readers.partner, lower(BOB.address), where)).toBe(false);
  });
});
