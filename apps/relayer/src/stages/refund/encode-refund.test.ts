import { describe, expect, it } from '@jest/globals';
import type { Asset, Side } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import fc from 'fast-check';
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  size,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { NO_ATTESTATION } from '../../exchange/attestation.js';
import { encodeRefund, isPayableBy, computePayment, readTransfer, type RefundCall } from './encode-refund.js';

const book = anAddressBook();
const [id, recipient, relayer, former] = [aHash(), anAddress(), anAddress('relayer'), anAddress('former')];
const UNIT = 10n ** 10n;
const gwei = 10n ** 9n;

describe('computePayment', () => {
  it.each<[string, Side, Asset, bigint, bigint, [bigint, bigint, bigint] | null]>([
    ['deducts nothing on the partner chain', 'partner', 'XCN', 10n ** 18n, gwei, [10n ** 18n, 0n, 0n]],
    [
      "rounds down to the chain's units, and records the rest",
      'partner',
      'XCN',
      10n ** 18n + 7n,
      gwei,
      [10n ** 18n, 0n, 7n],
    ],
    ['pays nothing below a unit', 'partner', 'XCN', UNIT - 1n, 0n, null],
    ['deducts nothing from a token', 'ethereum', 'USDC', 5n, gwei, [5n, 0n, 0n]],
    ['pays half', 'ethereum', 'ETH', 2n * 22_280n * gwei, gwei, [22_280n * gwei, 22_280n * gwei, 0n]],
    ['pays nothing when the gas exceeds half', 'ethereum', 'ETH', 2n * 22_280n * gwei - 1n, gwei, null],
    ['pays nothing below the gas', 'ethereum', 'ETH', 22_280n * gwei - 1n, gwei, null],
    [
      'deducts the gas of ETH on Ethereum and of the id, to the wei',
      'ethereum',
      'ETH',
      10n ** 18n,
      gwei,
      [10n ** 18n - 22_280n * gwei, 22_280n * gwei, 0n],
    ],
    ['rounds no XCN on Ethereum, where it has 18 decimals', 'ethereum', 'XCN', 7n, gwei, [7n, 0n, 0n]],
  ])('%s', (_, side, asset, amount, baseFee, parts) => {
    const payment = computePayment({ id, asset, amount }, recipient, { side, gasPrice: baseFee, takesData: true });
    expect(payment === null ? null : [payment.paidAmount, payment.gasFee, payment.dust]).toEqual(parts);
  });

  it('deducts no gas for the id if the recipient rejects call data', () => {
    const terms = { side: 'ethereum', gasPrice: gwei, takesData: false } as const;
    expect(computePayment({ id, asset: 'ETH', amount: 10n ** 18n }, recipient, terms)?.gasFee).toBe(21_000n * gwei);
  });

  it('adds up to the transferred amount, with dust below a unit', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 0n, max: 10n ** 15n }), (amount, gasPrice) => {
        const compute = (side: Side, asset: Asset) =>
          computePayment({ id, asset, amount }, recipient, { side, gasPrice, takesData: true });
        for (const payment of [compute('partner', 'XCN'), compute('ethereum', 'ETH')]) {
          if (payment === null) continue;
          expect(payment.paidAmount + payment.gasFee + payment.dust).toBe(amount);
          expect([payment.paidAmount > 0n, payment.dust < UNIT]).toEqual([true, true]);
        }
      }),
    );
  });
});

describe('isPayableBy', () => {
  it.each<[boolean, Side, Asset, Address]>([
    [true, 'partner', 'XCN', relayer],
    // A thief with the former key could send coin there, take it back, and be paid for it here.
    [false, 'partner', 'XCN', former],
    [true, 'partner', 'USDC', former],
    [true, 'ethereum', 'ETH', relayer],
    [false, 'ethereum', 'ETH', former],
    [false, 'ethereum', 'USDC', former],
  ])('is %s on %s for %s', (expected, side, asset, wallet) => {
    expect(isPayableBy({ asset, wallet }, side, relayer)).toBe(expected);
  });
});

describe('encodeRefund', () => {
  const payment = { refundId: id, recipient, paidAmount: 5n, gasFee: 1n, dust: 0n };
  const encode = (side: Side, asset: Asset, wallet: Address = relayer, takesData = true) =>
    encodeRefund({ asset, wallet }, payment, { book, side, relayer, takesData, attestation: NO_ATTESTATION });

  it('pays coin through BridgeMint, which marks the id', () => {
    const call = encode('partner', 'XCN');
    expect([call.to, call.value]).toEqual([book.partner.bridgeMint, 5n]);
    expect(decodeFunctionData({ abi: bridgeMintAbi, data: call.data })).toMatchObject({
      functionName: 'refundNative',
      args: [id, getAddress(recipient), expect.anything()],
    });
  });

  it.each<[string, Address, unknown[]]>([
    ['refund', relayer, [id, getAddress(book.partner.tokens.USDC), getAddress(recipient), 5n]],
    ['refundOf', former, [id, getAddress(former), getAddress(book.partner.tokens.USDC), getAddress(recipient), 5n]],
  ])('pays tokens by %s, from the wallet that holds them', (functionName, wallet, args) => {
    const call = encode('partner', 'USDC', wallet);
    expect([call.to, call.value]).toEqual([book.partner.bridgeMint, 0n]);
    const decoded = decodeFunctionData({ abi: bridgeMintAbi, data: call.data });
    expect([decoded.functionName, decoded.args?.slice(0, -1)]).toEqual([functionName, args]);
  });

  it('pays on Ethereum for a transfer on Ethereum, with the id after the call data: nothing crosses the bridge', () => {
    expect(encode('ethereum', 'ETH')).toEqual({ to: recipient, data: id, value: 5n });
    const call = encode('ethereum', 'XCN');
    expect(call).toMatchObject({ to: book.ethereum.tokens.XCN, value: 0n });
    expect([size(call.data), call.data.endsWith(id.slice(2))]).toEqual([100, true]);
    expect(decodeFunctionData({ abi: erc20Abi, data: call.data })).toEqual({
      functionName: 'transfer',
      args: [getAddress(recipient), 5n],
    });
  });

  it('sends coin without data to a contract, which may reject data', () => {
    const call = encode('ethereum', 'ETH', relayer, false);
    expect(call).toEqual({ to: recipient, data: '0x', value: 5n });
  });
});

describe('readTransfer', () => {
  const read = (call: RefundCall, succeeded = true) => readTransfer({ ...call, input: call.data, succeeded });
  const terms = { book, side: 'ethereum', relayer } as const;
  const payment = { refundId: id, recipient, paidAmount: 5n, gasFee: 1n, dust: 0n };

  it.each<[Asset, boolean, Address, Hex | null]>([
    ['ETH', true, zeroAddress, id],
    ['ETH', false, zeroAddress, null],
    ['USDC', true, book.ethereum.tokens.USDC, id],
    ['XCN', false, book.ethereum.tokens.XCN, id],
  ])('decodes the payment of a refund of %s', (asset, takesData, token, refundId) => {
    const call = encodeRefund({ asset, wallet: relayer }, payment, {
      ...terms,
      takesData,
      attestation: NO_ATTESTATION,
    });
    expect(read(call)).toEqual({ payment: { token, recipient, amount: 5n }, refundId });
    expect(read(call, false)).toBeNull();
  });

  it('ignores other calls', () => {
    const call = { to: recipient, value: 0n };
    const others: readonly Hex[] = ['0x', id, `0x12345678${'0'.repeat(128)}`, `0xa9059cbb${'f'.repeat(126)}`];
    for (const data of others) expect(read({ ...call, data })).toBeNull();
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [recipient, 5n] });
    expect(read({ ...call, data: approval })).toBeNull();
    expect(readTransfer({ to: null, value: 5n, input: '0x', succeeded: true })).toBeNull();
    expect(read({ ...call, value: 1n, data: '0x12345678' })).toBeNull();
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, 5n] });
    expect(read({ ...call, data: transfer })).toMatchObject({ refundId: null });
    expect(read({ ...call, data: `${transfer}1234` })).toBeNull();
  });
});
