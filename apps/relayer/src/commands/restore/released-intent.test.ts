import { describe, expect, it } from '@jest/globals';
import {
  computeRefundId,
  intentDomain,
  intentNonceHash,
  isSignedByKey,
  releasedIntentDigest,
  xcnWithdrawIntentTypes,
  type ReleasedIntent,
} from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { UnboundPayment, UnknownRelease } from '@causeway/store';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { findPayment, readReleasedIntent } from './released-intent.js';

const book = anAddressBook();
const account = privateKeyToAccount(generatePrivateKey());
const [amount, fee] = [6_000n, 1_000n];
const terms: ReleasedIntent = {
  sender: account.address.toLowerCase() as Address,
  recipient: anAddress(),
  amount,
  deadline: 2_000_000_000n,
  nonceHash: intentNonceHash('0x12'),
};
const domain = intentDomain(book.partner);
const id = releasedIntentDigest(domain, terms);
const { nonceHash: _, ...message } = terms;
const signature = await account.signTypedData({
  domain,
  types: xcnWithdrawIntentTypes,
  primaryType: 'XcnWithdrawIntent',
  message: { ...message, nonce: '0x12' },
});
const transferId = aHash();
const attestation = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
const makeCall = (intent: ReleasedIntent, by: Hex = signature) => ({
  to: book.ethereum.bridgeLock,
  input: encodeFunctionData({
    abi: bridgeLockAbi,
    functionName: 'releaseIntent',
    args: [{ ...intent, signature: by }, transferId, fee, attestation],
  }),
});
const release: UnknownRelease = {
  operationId: id,
  txHash: aHash(),
  recipient: terms.recipient,
  token: book.ethereum.tokens.XCN,
  outputAmount: amount - fee,
  fee,
  blockNumber: 1n,
  logIndex: 0,
  releasedAt: new Date(1_900_000_000_000),
};

const read = (of: UnknownRelease, call: { to: Address | null; input: Hex }) =>
  readReleasedIntent(of, call, book, ({ account: by, digest, signature: given }) => isSignedByKey(digest, given, by));

describe('readReleasedIntent', () => {
  it('reads the signed terms from the transaction', async () => {
    expect(await read(release, makeCall(terms))).toEqual({
      kind: 'intent',
      intent: terms,
      signature,
      transferId,
    });
  });

  it('asks the contract of a smart account about its signature', async () => {
    const ofContract: Hex = `0x${'2a'.repeat(130)}`;
    const claims: unknown[] = [];
    const finding = await readReleasedIntent(release, makeCall(terms, ofContract), book, async (claim) => {
      claims.push(claim);
      return true;
    });
    expect(finding).toMatchObject({ kind: 'intent', signature: ofContract });
    expect(claims).toEqual([{ account: terms.sender, digest: id, signature: ofContract }]);
  });

  // A thief with the relayer's key can release an intent that no sender signed.
  const stranger = privateKeyToAccount(generatePrivateKey());
  const invented = { ...terms, sender: stranger.address.toLowerCase() as Address };
  it.each<[string, UnknownRelease, { to: Address | null; input: Hex }, RegExp]>([
    [
      'that the sender did not sign',
      { ...release, operationId: releasedIntentDigest(domain, invented) },
      makeCall(invented),
      /not signed/,
    ],
    ['with an invalid signature', release, makeCall(terms, '0x1234'), /not signed/],
    ['with other terms', release, makeCall({ ...terms, amount: amount + 1n }), /digest/],
    ['to another recipient', { ...release, recipient: anAddress() }, makeCall(terms), /other terms/],
    ['of another amount', { ...release, outputAmount: 1n }, makeCall(terms), /other terms/],
    ['of another token', { ...release, token: book.ethereum.tokens.USDC }, makeCall(terms), /other terms/],
    ['through another contract', release, { ...makeCall(terms), to: anAddress() }, /not BridgeLock/],
    ['of a contract creation', release, { ...makeCall(terms), to: null }, /not BridgeLock/],
    [
      'of a numbered withdrawal',
      release,
      {
        to: book.ethereum.bridgeLock,
        input: encodeFunctionData({
          abi: bridgeLockAbi,
          functionName: 'release',
          args: [1n, book.ethereum.tokens.XCN, terms.recipient, 1n, 1n],
        }),
      },
      /no withdrawal with its id/,
    ],
    ['without call data', release, { to: book.ethereum.bridgeLock, input: '0x' }, /no withdrawal with its id/],
  ])('restores no release %s', async (_name, of, call, why) => {
    expect(await read(of, call)).toEqual({ kind: 'unknown', why: expect.stringMatching(why) });
  });
});

describe('findPayment', () => {
  it('finds the transfer that the release names, among equal ones of one transaction', () => {
    const txHash = aHash();
    const payments: UnboundPayment[] = [0, 1, 2].map((callIndex) => ({
      key: { chainId: book.partner.chainId, txHash, asset: 'XCN', callIndex },
      blockNumber: 5n,
      minedAt: new Date(5_000),
    }));
    for (const payment of payments) expect(findPayment(computeRefundId(payment.key), payments)).toBe(payment);
    expect(findPayment(aHash(), payments)).toBeNull();
    expect(findPayment(computeRefundId(payments[0]!.key), payments.slice(1))).toBeNull();
  });
});
