import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_FEE_POLICIES, type IntentResponse } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { aHash, PARTNER, testAccount, waitUntil } from '@causeway/test-kit';
import { createWalletClient, zeroAddress, type Address, type Hex } from 'viem';
import { skipCache } from '../clock.js';
import { INTENT, signIntent } from '../signed-intent.js';
import { refusal, temporaryApi, type TemporaryApi } from '../temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

let bridge: TemporaryBridge;
let api: TemporaryApi;
const stillAfterSeconds = { ethereum: 600, partner: 600 };
beforeAll(async () => {
  bridge = await temporaryBridge();
  api = await temporaryApi(bridge, {}, null, { stillAfterSeconds });
});
afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

const intentBody = () => signIntent(bridge.book);
const register = (body: object) => api.post(INTENT, body);

describe('new intents are paused', () => {
  /** Waits until the API answers with a status. */
  const answers = (status: number, body?: object) => {
    skipCache();
    return waitUntil(
      `the API answers ${status}`,
      async () => (await register(body ?? (await intentBody()))).status === status,
      { intervalMs: 250 },
    );
  };
  const lock = () => ({ address: bridge.book.ethereum.bridgeLock, abi: bridgeLockAbi }) as const;
  const mint = () => ({ address: bridge.book.partner.bridgeMint, abi: bridgeMintAbi }) as const;
  const mined = async (side: 'ethereum' | 'partner', hash: Hex) => {
    expect(await bridge[side].client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  };
  const setRelayer = async (relayer: Address) =>
    mined(
      'ethereum',
      await bridge.ethereum.wallet.writeContract({ ...lock(), functionName: 'setRelayer', args: [relayer] }),
    );
  /** Both contracts inherit pauses from the same base. */
  const getContract = (side: 'ethereum' | 'partner') =>
    side === 'ethereum' ? lock() : { ...lock(), address: mint().address };
  const pause = async (side: 'ethereum' | 'partner', beginnings: boolean, deliveries: boolean) =>
    mined(
      side,
      await bridge[side].wallet.writeContract({
        ...getContract(side),
        functionName: 'pause',
        args: [beginnings, deliveries],
      }),
    );
  const unpause = async (side: 'ethereum' | 'partner') => {
    const [, , count] = await bridge[side].client.readContract({ ...getContract(side), functionName: 'pauses' });
    const args = [count, true, true] as const;
    await mined(side, await bridge[side].wallet.writeContract({ ...getContract(side), functionName: 'unpause', args }));
  };
  const setListing = async (mayBegin: boolean) => {
    const args = [zeroAddress, mayBegin, true] as const;
    await mined('partner', await bridge.partner.wallet.writeContract({ ...mint(), functionName: 'setListing', args }));
  };

  it('while a contract uses another relayer wallet: the API stops returning the old one', async () => {
    const known = await intentBody();
    const { body: accepted } = await register(known);
    const { intentId, relayerWalletAddress } = accepted as IntentResponse;
    const status = async () => (await api.get(`/api/v1/bridge/status?intentId=${intentId}`)).body;
    expect(await status()).toMatchObject({ relayerWalletAddress, unpayableReason: null });
    await setRelayer(testAccount(6).address);
    await answers(503, known);
    expect(await status()).toMatchObject({
      status: 'PENDING_ORIGIN_TX',
      relayerWalletAddress: null,
      unpayableReason: 'WALLET_REPLACED',
    });
    expect((await api.get(`/api/v1/bridge/explain?hash=${intentId}`)).body).toMatchObject({
      nextStep: expect.stringContaining('its relayer wallet was replaced'),
    });
    const { senderAddress } = known;
    expect(await api.post(`${INTENT}/bind-origin`, { intentId, senderAddress, originTxHash: aHash() })).toEqual(
      refusal(410, 'INTENT_EXPIRED', expect.stringContaining('was replaced')),
    );
    expect(await register(known)).toEqual(refusal(503, 'SERVICE_PAUSED'));
    expect(await register(await intentBody())).toEqual(refusal(503, 'SERVICE_PAUSED'));
    await setRelayer(testAccount(1).address);
    await answers(200, known);
  });

  const resumeDeliveries = async () => {
    const halt = await api.store.halts.deliveries();
    if (halt !== null) await api.store.halts.liftDeliveries(halt, []);
  };

  const setAttesters = async (attesters: Address[]) => {
    const call = { ...lock(), functionName: 'setAttesters', args: [attesters, BigInt(attesters.length)] } as const;
    await mined('ethereum', await bridge.ethereum.wallet.writeContract(call));
  };
  /** First the chain makes no block, then the relayer lags, also in the later cases. */
  const fallBehind = async () => {
    await setAttesters([testAccount(5).address]);
    stillAfterSeconds.partner = 0;
    await answers(503);
    stillAfterSeconds.partner = 600;
    await answers(200);
    await api.scan(PARTNER);
    await bridge.partner.test.mine({ blocks: 10, interval: 20 });
  };

  it.each([
    ['attesters are asked, and the partner chain stands still or its reader lags', fallBehind, () => setAttesters([])],
    ['the relayer halts deliveries', () => api.store.halts.haltDeliveries('a test'), resumeDeliveries],
    ['releases are paused', () => pause('ethereum', false, true), () => unpause('ethereum')],
    ['withdrawals are paused', () => pause('partner', true, false), () => unpause('partner')],
    ['XCN is closed', () => setListing(false), () => setListing(true)],
  ])('while %s', async (_, stop, resume) => {
    const known = await intentBody();
    const accepted = await register(known);
    expect(accepted.status).toBe(200);
    const { intentId } = accepted.body as IntentResponse;
    await stop();
    await answers(503);
    const refused = await register(await intentBody());
    expect(refused).toEqual(refusal(503, 'SERVICE_PAUSED'));
    expect(refused.headers['retry-after']).toBe('60');
    // An intent accepted before keeps its response, and continues.
    expect((await register(known)).status).toBe(200);
    const { senderAddress } = known;
    const bound = await api.post(`${INTENT}/bind-origin`, { intentId, senderAddress, originTxHash: aHash() });
    expect(bound).toMatchObject({ status: 200, body: { intentId } });
    expect(await api.get(`/api/v1/bridge/status?intentId=${intentId}`)).toMatchObject({ status: 200 });
    await resume();
    await answers(200);
  });
});

describe('the fee of an intent', () => {
  it('follows the block at which attesters judge it, whatever the policy is now', async () => {
    const { client, chain, transport } = bridge.partner;
    const policyManager = createWalletClient({ chain, transport, account: testAccount(7) });
    const contract = { address: bridge.book.partner.bridgeMint, abi: bridgeMintAbi } as const;
    const { bps, minFee, minAmount } = DEFAULT_FEE_POLICIES.XCN;
    const args = [zeroAddress, { bps, minFee: minFee - 10n ** 18n, minAmount }] as const;
    const hash = await policyManager.writeContract({ ...contract, functionName: 'setFeePolicy', args });
    await client.waitForTransactionReceipt({ hash });
    const accept = async () => (await register(await intentBody())).body;
    expect(await accept()).toMatchObject({ fee: { amount: minFee.toString() } });
    await bridge.partner.test.mine({ blocks: 2 });
    expect(await accept()).toMatchObject({ fee: { amount: (minFee - 10n ** 18n).toString() } });
  });
});
