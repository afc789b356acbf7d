import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { numberToHex, parseTransaction, serializeTransaction, type Hex, type TransactionSerializable } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { InconsistentBlockError, UnsupportedTransactionError } from '../rpc/chain-error.js';
import { encodeTransaction, recoverSender } from './transactions.js';
import { rpcTransaction } from './rpc-shapes.js';

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(toHex);
const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const amount = fc.bigInt(0n, 2n ** 128n);
const signature = fc.record({
  r: fc.bigInt(1n, 2n ** 256n - 1n),
  s: fc.bigInt(1n, 2n ** 256n - 1n),
  yParity: fc.constantFrom(0, 1),
});
const accessList = fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
  maxLength: 3,
});
const call = {
  to: fc.option(hex(20)),
  value: amount,
  nonce: fc.nat(),
  gas: fc.bigInt(0n, 2n ** 40n),
  data: fc.uint8Array({ maxLength: 100 }).map(toHex),
};
const chainId = fc.integer({ min: 1, max: 2 ** 31 });
const fees = fc.tuple(amount, amount).map(([base, tip]) => ({ maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }));
const authorization = fc.record({ chainId: fc.nat(), address: hex(20), nonce: fc.nat() });

/** Encodes as in JSON-RPC: every number in hex without leading zeros. */
function asRpc(type: Hex, fields: object, { r, s, yParity }: { r: bigint; s: bigint; yParity: number }, v: bigint) {
  const sent = Object.entries(fields).map(([name, value]): [string, unknown] => [
    name === 'data' ? 'input' : name,
    typeof value === 'bigint' || typeof value === 'number' ? numberToHex(value) : value,
  ]);
  return rpcTransaction.parse({
    ...Object.fromEntries(sent),
    hash: `0x${'00'.repeat(32)}`,
    from: `0x${'00'.repeat(20)}`,
    type,
    r: numberToHex(r),
    s: numberToHex(s),
    v: numberToHex(v),
    ...(type === '0x0' ? {} : { yParity: numberToHex(yParity) }),
  });
}

function same(type: Hex, fields: object, kind: string, signed: { r: bigint; s: bigint; yParity: number }, v?: bigint) {
  const { r, s, yParity } = signed;
  const seal = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }) };
  const expected = serializeTransaction(
    { ...fields, type: kind } as TransactionSerializable,
    v === undefined ? { ...seal, yParity } : { ...seal, v },
  );
  expect(encodeTransaction(asRpc(type, fields, signed, v ?? BigInt(yParity)))).toBe(expected);
}

describe('encodeTransaction encodes like viem', () => {
  it('of a legacy transaction, with and without a chain', () => {
    const legacy = fc.record({ ...call, gasPrice: amount });
    fc.assert(
      fc.property(legacy, signature, fc.option(chainId), (fields, signed, id) => {
        const parity = BigInt(signed.yParity);
        if (id === null) same('0x0', fields, 'legacy', signed, 27n + parity);
        else same('0x0', { ...fields, chainId: id }, 'legacy', signed, 35n + 2n * BigInt(id) + parity);
      }),
    );
  });

  it('of an EIP-2930 transaction', () => {
    const listed = fc.record({ ...call, chainId, gasPrice: amount, accessList });
    fc.assert(fc.property(listed, signature, (fields, signed) => same('0x1', fields, 'eip2930', signed)));
  });

  it('of an EIP-1559 transaction', () => {
    const market = fc.record({ ...call, chainId, accessList });
    fc.assert(
      fc.property(market, fees, signature, (fields, fee, signed) =>
        same('0x2', { ...fields, ...fee }, 'eip1559', signed),
      ),
    );
  });

  it('of an EIP-4844 transaction, as blocks contain it', () => {
    const versioned = hex(32).map((hash): Hex => `0x01${hash.slice(4)}`);
    const blob = fc.record({
      ...call,
      to: hex(20),
      chainId,
      accessList,
      maxFeePerBlobGas: fc.bigInt(1n, 2n ** 100n),
      blobVersionedHashes: fc.array(versioned, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(blob, fees, signature, (fields, fee, signed) =>
        same('0x3', { ...fields, ...fee }, 'eip4844', signed),
      ),
    );
  });

  it('of an EIP-7702 transaction', async () => {
    const signer = privateKeyToAccount(`0x${'01'.repeat(32)}`);
    const delegating = fc.record({ ...call, to: hex(20), chainId, accessList });
    await fc.assert(
      fc.asyncProperty(
        delegating,
        fees,
        signature,
        fc.array(authorization, { maxLength: 2 }),
        async (fields, fee, signed, list) => {
          const signedList = await Promise.all(
            list.map(({ address, ...rest }) => signer.signAuthorization({ ...rest, contractAddress: address })),
          );
          const expected = serializeTransaction(
            { ...fields, ...fee, authorizationList: signedList, type: 'eip7702' },
            { r: numberToHex(signed.r, { size: 32 }), s: numberToHex(signed.s, { size: 32 }), yParity: signed.yParity },
          );
          const sent = signedList.map((one) => ({
            chainId: numberToHex(one.chainId),
            address: one.address,
            nonce: numberToHex(one.nonce),
            yParity: numberToHex(one.yParity ?? 0),
            r: one.r,
            s: one.s,
          }));
          const parsed = asRpc('0x4', { ...fields, ...fee, authorizationList: sent }, signed, BigInt(signed.yParity));
          expect(encodeTransaction(parsed)).toBe(expected);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('encodeTransaction', () => {
  it('refuses an unknown type', () => {
    const fields = { to: null, value: 0n, nonce: 0, gas: 0n, data: '0x' };
    const odd = asRpc('0x7e', fields, { r: 1n, s: 1n, yParity: 0 }, 0n);
    expect(() => encodeTransaction(odd)).toThrow(UnsupportedTransactionError);
  });
});

describe('recoverSender', () => {
  const signer = privateKeyToAccount(`0x${'02'.repeat(32)}`);
  const market = { chainId: 5, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n };
  const delegation = signer.signAuthorization({ chainId: 5, nonce: 1, contractAddress: `0x${'22'.repeat(20)}` });

  it.each<[string, Hex, TransactionSerializable | Promise<TransactionSerializable>]>([
    ['legacy', '0x0', { type: 'legacy', gasPrice: 7n }],
    ['legacy of a chain', '0x0', { type: 'legacy', gasPrice: 7n, chainId: 8_901 }],
    ['EIP-2930', '0x1', { type: 'eip2930', gasPrice: 7n, chainId: 5, accessList: [] }],
    ['EIP-1559', '0x2', { type: 'eip1559', ...market }],
    ['EIP-7702', '0x4', delegation.then((one) => ({ type: 'eip7702', ...market, authorizationList: [one] }))],
  ])('finds the signer of a transaction of type %s, but not of an altered one', async (_, type, given) => {
    const fields = { to: `0x${'33'.repeat(20)}` as const, value: 5n, nonce: 3, gas: 21_000n, ...(await given) };
    const raw: Hex = await signer.signTransaction(fields);
    const parsed = parseTransaction(raw);
    const { r = '0x0', s = '0x0', yParity = 0, v = BigInt(yParity), ...unsigned } = parsed;
    const sent = Object.fromEntries(
      Object.entries({ data: '0x', ...unsigned }).filter(([name]) => name !== 'type' && name !== 'authorizationList'),
    );
    const list = (parsed.authorizationList ?? []).map((one) => ({
      ...one,
      chainId: numberToHex(one.chainId),
      nonce: numberToHex(one.nonce),
      yParity: numberToHex(one.yParity ?? 0),
    }));
    const rpc = asRpc(type, { ...sent, authorizationList: list }, { r: BigInt(r), s: BigInt(s), yParity }, v);
    const from = signer.address.toLowerCase() as Hex;
    expect(recoverSender(1n, { ...rpc, from })).toBe(from);
    for (const altered of [{ value: '0x6' }, { r: '0x0' }, { from: `0x${'44'.repeat(20)}` }] as const) {
      expect(() => recoverSender(1n, { ...rpc, from, ...altered })).toThrow(InconsistentBlockError);
    }
  });
});
