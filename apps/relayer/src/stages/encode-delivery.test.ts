import { describe, expect, it } from '@jest/globals';
import { intentDigest, intentDomain, type Asset } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Operation, OperationKind } from '@causeway/store';
import { anAddressBook } from '@causeway/test-kit';
import {
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  keccak256,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { amountFromFloat, encodeDelivery, type DeliveryInput } from './encode-delivery.js';

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const ID: Hex = `0x${'ab'.repeat(32)}`;
const book = anAddressBook();
const input: DeliveryInput = { book, isPaidFromFloat: false, intent: null };
const signed = { deadlineSeconds: 1_900_000_000n, nonce: 'a nonce', signature: '0x1234' } as const;

function anOperation(kind: OperationKind, asset: Asset): Operation {
  return {
    id: ID,
    kind,
    direction: kind === 'DEPOSIT' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM',
    asset,
    amount: 1_000n,
    fee: kind === 'DEPOSIT' ? 0n : 10n,
    feeBps: 25,
    outputAmount: kind === 'DEPOSIT' ? 1_000n : 990n,
    sender: at('8'),
    recipient: at('9'),
    originChainId: 1,
    destinationChainId: 2,
    originNonce: kind === 'INTENT' ? null : 42n,
    requiredConfirmations: 6,
    status: 'AWAITING_RELAY',
    origin: null,
    originConfirmations: 6,
    finalizedAt: null,
    holdUntil: null,
    holdReleasedAt: null,
    delayedReason: null,
    attempts: 0,
    nextAttemptAt: null,
    destinationTxHash: null,
    settlement: null,
    failureReason: null,
    expiredAt: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}

const checksummed = (args: readonly unknown[]) =>
  args.map((arg) => (typeof arg === 'string' && arg.length === 42 ? getAddress(arg) : arg));

describe('encodeDelivery', () => {
  it.each<[OperationKind, Asset, string, unknown[], bigint]>([
    ['DEPOSIT', 'ETH', 'mint', [42n, book.partner.tokens.ETH, at('9'), 1_000n], 0n],
    ['DEPOSIT', 'USDC', 'mint', [42n, book.partner.tokens.USDC, at('9'), 1_000n], 0n],
    ['DEPOSIT', 'XCN', 'mint', [42n, zeroAddress, at('9'), 1_000n], 1_000n],
    ['BURN', 'ETH', 'releaseNative', [42n, at('9'), 990n, 10n], 0n],
    ['BURN', 'USDC', 'release', [42n, book.ethereum.tokens.USDC, at('9'), 990n, 10n], 0n],
    ['NATIVE_WITHDRAWAL', 'XCN', 'release', [42n, book.ethereum.tokens.XCN, at('9'), 990n, 10n], 0n],
  ])('a %s of %s is paid by %s', (kind, asset, functionName, args, value) => {
    const delivery = encodeDelivery(anOperation(kind, asset), input);
    expect(delivery.to).toBe(kind === 'DEPOSIT' ? book.partner.bridgeMint : book.ethereum.bridgeLock);
    expect(delivery.value).toBe(value);
    const call = decodeFunctionData({ abi: [...bridgeLockAbi, ...bridgeMintAbi], data: delivery.data });
    expect(call.functionName).toBe(functionName);
    expect(checksummed(call.args ?? [])).toEqual(checksummed(args));
  });

  it.each(['a nonce', '0x12', '0x'])(
    'an intent is paid by releaseIntent with its signed terms, nonce "%s"',
    (nonce) => {
      const { sender, recipient, amount } = anOperation('INTENT', 'XCN');
      const { deadlineSeconds: deadline, signature } = signed;
      const id = intentDigest(intentDomain(book.partner), { sender, recipient, amount, deadline, nonce });
      const operation = { ...anOperation('INTENT', 'XCN'), id };
      const delivery = encodeDelivery(operation, { ...input, intent: { ...signed, nonce } });
      const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data: delivery.data });
      expect(functionName).toBe('releaseIntent');
      const nonceHash = keccak256(`0x${Buffer.from(nonce, 'utf8').toString('hex')}`);
      expect(args).toEqual([
        { sender, recipient, amount: 1_000n, deadline, nonceHash, signature },
        10n,
        { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] },
      ]);
      const other = { ...signed, nonce, deadlineSeconds: deadline + 1n };
      expect(() => encodeDelivery(operation, { ...input, intent: other })).toThrow(/have the digest/);
    },
  );

  it('a mint of native XCN carries no value when the float pays it', () => {
    const [fromWallet, fromFloat] = [false, true].map((isPaidFromFloat) =>
      encodeDelivery(anOperation('DEPOSIT', 'XCN'), { ...input, isPaidFromFloat }),
    );
    expect(fromFloat).toEqual({ ...fromWallet, value: 0n });
  });

  it('throws when the number, or the terms of an intent, are missing', () => {
    expect(() => encodeDelivery({ ...anOperation('BURN', 'ETH'), originNonce: null }, input)).toThrow(/no number/);
    expect(() => encodeDelivery(anOperation('INTENT', 'XCN'), input)).toThrow(/no signed terms/);
  });
});

describe('amountFromFloat', () => {
  it('counts mints of native XCN without value, and nothing else', () => {
    const call = (asset: Asset, isPaidFromFloat: boolean) =>
      encodeDelivery(anOperation('DEPOSIT', asset), { ...input, isPaidFromFloat });
    const cancellation = { data: '0x', value: 0n } as const;
    const topUp = { data: encodeFunctionData({ abi: bridgeMintAbi, functionName: 'topUp' }), value: 5n };
    const calls = [call('XCN', true), call('XCN', false), call('USDC', true), cancellation, topUp, call('XCN', true)];
    expect(amountFromFloat(calls)).toBe(2_000n);
  });
});
