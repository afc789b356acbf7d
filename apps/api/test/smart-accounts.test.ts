import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { intentDigest, intentDomain, parseAmount, type IntentResponse } from '@causeway/protocol';
import { anAddress, SmartAccounts, startRpcProxy, waitUntil, type RpcProxy } from '@causeway/test-kit';
import { concatHex, serializeErc6492Signature, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { refusal, temporaryApi, type Answer, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

// Intents of smart accounts, with real contracts. @causeway/chain tests misbehaving nodes and contracts.

const AMOUNT = parseAmount('XCN', '6000');
const MOST_ATTEMPTS = 10;
const newKey = () => privateKeyToAccount(generatePrivateKey());

let bridge: TemporaryBridge;
/** A proxy in front of the partner chain's node. */
let proxy: RpcProxy;
let failsChecks = false;
let api: TemporaryApi;
let accounts: SmartAccounts;
beforeAll(async () => {
  bridge = await temporaryBridge();
  proxy = await startRpcProxy(bridge.partner.url, {
    changeResult: (_, result, parameters) => {
      // Only signature checks set a gas limit.
      if (failsChecks && JSON.stringify(parameters).includes('"gas"')) throw new Error('The connection is cut');
      return result;
    },
  });
  const { url } = proxy;
  api = await temporaryApi({ ...bridge, partner: { ...bridge.partner, url } });
  accounts = new SmartAccounts(bridge.partner.client, bridge.partner.wallet);
});
afterAll(async () => {
  await api?.close();
  await proxy?.close();
  await bridge?.stop();
});

let counter = 0;

/** The terms of an intent of an account, with their digest. */
function makeTerms(sender: Address) {
  counter += 1;
  const recipient = anAddress();
  const deadline = Math.floor(Date.now() / 1_000) + 3_600;
  const nonce = `nonce ${counter}`;
  const message = { sender, recipient, amount: AMOUNT, deadline: BigInt(deadline), nonce };
  const digest = intentDigest(intentDomain(bridge.book.partner), message);
  const terms = {
    senderAddress: sender.toLowerCase(),
    recipientAddress: recipient,
    amountAtomic: AMOUNT.toString(),
    idempotencyKey: `key ${counter}`,
    deadline,
    nonce,
  };
  return { digest, signed: (signature: Hex) => ({ ...terms, signature }) };
}
/** Sends a body, and retries after a node timeout on a busy machine, as clients do. */
async function register(body: object): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await api.post('/api/v1/bridge/xcn-withdraw-intent', body);
    const isLate = !failsChecks && JSON.stringify(answer.body).includes('the nodes do not answer');
    if (!isLate || attempt === MOST_ATTEMPTS) return answer;
    await sleep(2_000);
  }
}

/** Makes the newest block final. */
const finalize = async () => bridge.partner.test.mine({ blocks: 2 });

describe('an intent of a smart account', () => {
  it('waits until the account is deployed; the same request is accepted then', async () => {
    const account = await accounts.ownedBy(newKey());
    const { digest, signed } = makeTerms(account.address);
    const signature = await account.owner.sign!({ hash: digest });
    const body = signed(serializeErc6492Signature({ address: account.factory, data: account.factoryData, signature }));
    const early = await register(body);
    expect(early).toEqual(refusal(503, 'SIGNATURE_VERIFICATION_UNAVAILABLE', expect.stringContaining('deploy')));
    expect(early.headers['retry-after']).toBe('2');
    // The plain signature of its owner looks like a stranger's.
    expect(await register(signed(signature))).toEqual(
      refusal(400, 'SIGNATURE_MISMATCH', expect.stringContaining('deploy it first')),
    );

    const hash = await bridge.partner.wallet.sendTransaction({ to: account.factory, data: account.factoryData });
    await bridge.partner.client.waitForTransactionReceipt({ hash });
    // Attesters judge at a final block, where the account has no code yet.
    const young = await register(body);
    expect(young).toEqual(refusal(503, 'SIGNATURE_VERIFICATION_UNAVAILABLE', expect.stringContaining('changed')));
    expect(young.headers['retry-after']).toBe('2');
    await finalize();
    const accepted = await register(body);
    expect(accepted).toMatchObject({ status: 200, body: { intentId: digest, status: 'PENDING_ORIGIN_TX' } });
    expect(accepted.headers['retry-after']).toBeUndefined();
    // A release carries the signature that the account verifies, in at most 1,024 bytes.
    expect((await api.store.intents.find(digest))?.signature).toBe(signature);
  });

  it('of two owners needs both signatures', async () => {
    const [first, second] = [newKey(), newKey()];
    const account = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    await finalize();
    const { digest, signed } = makeTerms(account);
    const [a, b] = await Promise.all([first.sign({ hash: digest }), second.sign({ hash: digest })]);
    expect(await register(signed(a))).toEqual(refusal(400, 'SIGNATURE_INVALID', expect.stringContaining('reverts')));
    expect(await register(signed(concatHex([a, b])))).toMatchObject({ status: 200, body: { intentId: digest } });
    const found = await api.get(`/api/v1/bridge/status?intentId=${digest}`);
    expect(found.body).toMatchObject({ sender: account.toLowerCase() });
  });

  it('that delegates (EIP-7702) is signed by its key', async () => {
    const authority = newKey();
    await accounts.delegate(authority, bridge.book.partner.bridgeMint);
    await finalize();
    const { digest, signed } = makeTerms(authority.address);
    expect(await register(signed(await newKey().sign({ hash: digest })))).toEqual(refusal(400, 'SIGNATURE_MISMATCH'));
    const accepted = await register(signed(await authority.sign({ hash: digest })));
    expect((accepted.body as IntentResponse).intentId).toBe(digest);
  });

  it('is unavailable while the node fails, and accepted afterwards', async () => {
    const [first, second] = [newKey(), newKey()];
    const account = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    await finalize();
    const { digest, signed } = makeTerms(account);
    const body = signed(concatHex([await first.sign({ hash: digest }), await second.sign({ hash: digest })]));
    failsChecks = true;
    const unavailable = await register(body);
    failsChecks = false;
    expect(unavailable).toEqual(
      refusal(503, 'SIGNATURE_VERIFICATION_UNAVAILABLE', expect.stringContaining('try again')),
    );
    expect(unavailable.headers['retry-after']).toBe('2');
    const accepted = await waitUntil('the node is asked again', async () => {
      const answer = await register(body);
      return answer.status === 200 ? answer : null;
    });
    expect(accepted.body).toMatchObject({ intentId: digest });
  });

  it('that loops is refused, not reported as unavailable', async () => {
    const { signed } = makeTerms(await accounts.deploy('LoopingAccount'));
    await finalize();
    expect(await register(signed('0x51637e'))).toEqual(
      refusal(400, 'SIGNATURE_INVALID', expect.stringContaining('out of gas')),
    );
  });
});
