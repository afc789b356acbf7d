import { describe, expect, it } from '@jest/globals';
import { computeRefundId, intentDomain, releasedIntentDigest } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { anIntent, anOperation } from '@causeway/store/test';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import { createPublicClient, custom, encodeErrorResult, RpcRequestError, type Hex } from 'viem';
import type { PayableIntent } from './encode-delivery.js';
import { prepareGroup, type PreparationInput } from './prepare-delivery.js';

const book = anAddressBook();
const transfer = { txHash: aHash(), callIndex: 2 };
const transferId = computeRefundId({ ...transfer, chainId: book.partner.chainId, asset: 'XCN' });
const signed = { signature: '0x51637e', nonceHash: aHash(), deadlineSeconds: 1n } as const;
const terms = anIntent();
const { nonceHash, deadlineSeconds: deadline } = signed;
const id = releasedIntentDigest(intentDomain(book.partner), { ...terms, deadline, nonceHash });
const intent = anOperation({ ...terms, id });

/** Prepares the intent with a contract that refuses it, since it has marked an id as delivered. */
async function prepare(stored: PayableIntent | null, marked: Hex) {
  const request = async () => {
    const data = encodeErrorResult({ abi: bridgeLockAbi, errorName: 'AlreadyDelivered', args: [marked] });
    throw new RpcRequestError({ body: {}, url: 'http://node', error: { code: 3, message: 'reverted', data } });
  };
  const connection = { client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) };
  const input: PreparationInput = {
    chain: { side: 'ethereum', connection, bridge: book.ethereum.bridgeLock },
    from: anAddress(),
    book,
    findIntent: async () => stored,
    consent: null,
  };
  return prepareGroup(input, { operations: [intent], isPaidByWallet: false });
}

describe('prepareGroup, with an intent', () => {
  it('treats it as paid when the contract names its id', async () => {
    expect(await prepare({ ...signed, transfer }, id)).toEqual({ ready: [], delayed: [], paid: [intent] });
  });

  it('delays it when the contract has paid another intent for its transfer', async () => {
    const { ready, delayed, paid } = await prepare({ ...signed, transfer }, transferId);
    expect([ready, paid]).toEqual([[], []]);
    expect(delayed).toEqual([
      {
        operation: intent,
        reason: 'DESTINATION_REVERTED',
        why: `another intent was paid for its transfer ${transferId}`,
      },
    ]);
  });

  it.each([
    ['terms', null, /no signed terms/],
    ['a transfer', { ...signed, transfer: null }, /no transfer/],
  ])('delays it without %s', async (_, stored, why) => {
    const { ready, delayed, paid } = await prepare(stored, id);
    expect([ready, paid]).toEqual([[], []]);
    expect(delayed).toEqual([{ operation: intent, reason: 'DESTINATION_REVERTED', why: expect.stringMatching(why) }]);
  });
});
