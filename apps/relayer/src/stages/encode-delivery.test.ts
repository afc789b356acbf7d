import { describe, expect, it } from '@jest/globals';
import type { Asset } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Operation, OperationKind } from '@causeway/store';
import { anAddressBook } from '@causeway/test-kit';
import { decodeFunctionData, getAddress, zeroAddress, type Address, type Hex } from 'viem';
import { encodeDelivery } from './encode-delivery.js';

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const ID: Hex = `0x${'ab'.repeat(32)}`;
const book = anAddressBook();

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
    ['INTENT', 'XCN', 'releaseIntent', [ID, at('9'), 990n, 10n], 0n],
  ])('a %s of %s is paid by %s', (kind, asset, functionName, args, value) => {
    const delivery = encodeDelivery(anOperation(kind, asset), book);
    expect(delivery.to).toBe(kind === 'DEPOSIT' ? book.partner.bridgeMint : book.ethereum.bridgeLock);
    expect(delivery.value).toBe(value);
    const call = decodeFunctionData({ abi: [...bridgeLockAbi, ...bridgeMintAbi], data: delivery.data });
    expect(call.functionName).toBe(functionName);
    expect(checksummed(call.args ?? [])).toEqual(checksummed(args));
  });

  it('throws when the number is missing', () => {
    expect(() => encodeDelivery({ ...anOperation('BURN', 'ETH'), originNonce: null }, book)).toThrow(/no number/);
  });
});
