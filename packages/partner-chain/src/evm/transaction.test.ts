import { isLong } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, concat, fromRlp, hexToBigInt, hexToBytes, keccak256, numberToHex, toRlp, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { PartnerChainError } from '../errors.js';
import { createCommon } from './common.js';
import { decodeTransaction, MAX_TRANSACTION_BYTES } from './transaction.js';

const common = createCommon(8901);
/** A tenth of the runs, or all in the long form. */
const runs = (all: number): number => (isLong ? all : all / 10);
const account = privateKeyToAccount(keccak256('0x01'));
const TO = '0x00000000000000000000000000000000deadbeef' as const;
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const UNIT = 10n ** 10n;

const base = { chainId: 8901, nonce: 7, to: TO, value: 3n * UNIT, gas: 100_000n, data: '0x010203' } as const;
const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const authorizationList = [await account.signAuthorization({ address: TO, chainId: 8901, nonce: 8 })];
const accessList = [{ address: TO, storageKeys: [keccak256('0x')] }];
const valid = {
  0: await account.signTransaction({ ...base, type: 'legacy', gasPrice: 2_000_000_000n }),
  1: await account.signTransaction({ ...base, type: 'eip2930', gasPrice: 2_000_000_000n, accessList }),
  2: await account.signTransaction({ ...base, type: 'eip1559', ...fees, accessList }),
  4: await account.signTransaction({ ...base, type: 'eip7702', ...fees, authorizationList }),
};
const decode = (raw: Hex) => decodeTransaction(hexToBytes(raw), common);
const refuses = (raw: Hex, reason: RegExp): void => {
  expect(() => decode(raw)).toThrow(expect.objectContaining({ code: 'TRANSACTION_REJECTED' }));
  expect(() => decode(raw)).toThrow(reason);
};

/** Replaces fields of a typed transaction, counted without the type byte. */
function withFields(raw: Hex, changes: Readonly<Record<number, Hex | readonly Hex[]>>): Hex {
  const type = raw.slice(0, 4) as Hex;
  const isTyped = hexToBigInt(type) < 0x80n;
  const fields = fromRlp(isTyped ? `0x${raw.slice(4)}` : raw, 'hex') as Hex[];
  const rlp = toRlp(fields.map((field, index) => (changes[index] ?? field) as Hex));
  return isTyped ? concat([type, rlp]) : rlp;
}

const toNumber = (field: Hex | undefined): bigint => (field === undefined || field === '0x' ? 0n : hexToBigInt(field));

describe('a valid transaction', () => {
  it.each([0, 1, 2, 4] as const)('of type %d is decoded', (type) => {
    const transaction = decode(valid[type]);
    expect(transaction.hash).toBe(keccak256(valid[type]));
    expect(transaction.sender.toString()).toBe(account.address.toLowerCase());
    expect(transaction.valueUnits).toBe(3n);
    expect(bytesToHex(transaction.raw)).toBe(valid[type]);
    expect(transaction.tx.type).toBe(type);
    const legacyPrice = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
    expect(transaction).toMatchObject(type < 2 ? legacyPrice : fees);
  });
});

describe.each([327, 2 ** 31, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER])('on a chain with the id %d', (chainId) => {
  const large = createCommon(chainId);
  const shape = { ...base, chainId } as const;

  it.each([
    ['legacy', account.signTransaction({ ...shape, type: 'legacy', gasPrice: 2_000_000_000n })],
    ['eip2930', account.signTransaction({ ...shape, type: 'eip2930', gasPrice: 2_000_000_000n, accessList })],
    ['eip1559', account.signTransaction({ ...shape, type: 'eip1559', ...fees })],
    ['eip7702', account.signTransaction({ ...shape, type: 'eip7702', ...fees, authorizationList })],
  ])('a transaction of type %s is decoded', async (_, signing) => {
    const raw = await signing;
    const transaction = decodeTransaction(hexToBytes(raw), large);
    expect(transaction.sender.toString()).toBe(account.address.toLowerCase());
    expect(transaction.hash).toBe(keccak256(raw));
  });

  it('a legacy transaction for the adjacent chain id, or without a chain id, is refused', async () => {
    const gasPrice = 2_000_000_000n;
    const other = await account.signTransaction({ ...shape, chainId: chainId - 1, type: 'legacy', gasPrice });
    expect(() => decodeTransaction(hexToBytes(other), large)).toThrow(/signed for another chain/);
    const { chainId: _, ...rest } = shape;
    const none = await account.signTransaction({ ...rest, type: 'legacy', gasPrice });
    expect(() => decodeTransaction(hexToBytes(none), large)).toThrow(/chain/);
  });
});

describe('a transaction is refused', () => {
  it('signed for another chain', async () => {
    for (const type of ['legacy', 'eip2930'] as const) {
      const raw = await account.signTransaction({ ...base, type, chainId: 327, gasPrice: 1n });
      refuses(raw, /signed for another chain; this is chain 8901/);
    }
    refuses(await account.signTransaction({ ...base, type: 'eip1559', chainId: 1, ...fees }), /another chain/);
    const delegating = { ...base, type: 'eip7702', chainId: 1, ...fees, authorizationList } as const;
    refuses(await account.signTransaction(delegating), /another chain/);
  });

  it('without a chain id (EIP-155)', async () => {
    const { chainId: _, ...rest } = base;
    const raw = await account.signTransaction({ ...rest, type: 'legacy', gasPrice: 1n });
    refuses(raw, /names no chain id \(EIP-155\); sign it for chain 8901/);
  });

  it('without a signature', () => {
    const fields = fromRlp(valid[0], 'hex') as Hex[];
    refuses(toRlp(fields.slice(0, 6)), /not signed|cannot be read/);
    refuses(withFields(valid[2], { 9: '0x', 10: '0x', 11: '0x' }), /not signed|cannot be read|not valid/);
  });

  it('with a high s, although it recovers to the same sender', () => {
    for (const [raw, vAt] of [
      [valid[0], 6],
      [valid[2], 9],
    ] as const) {
      const fields = fromRlp(vAt === 6 ? raw : `0x${raw.slice(4)}`, 'hex') as Hex[];
      const v = toNumber(fields[vAt]);
      const flipped = vAt === 6 ? (v === 17837n ? 17838n : 17837n) : 1n - v;
      const s = numberToHex(CURVE_ORDER - hexToBigInt(fields[vAt + 2]!));
      refuses(
        withFields(raw, { [vAt]: flipped === 0n ? '0x' : numberToHex(flipped), [vAt + 2]: s }),
        /s-values|valid/i,
      );
    }
  });

  it('with a signature that does not recover to an account', () => {
    refuses(withFields(valid[2], { 10: `0x${'ff'.repeat(32)}` }), /signature is not valid|cannot be read/);
    refuses(withFields(valid[2], { 10: '0x' }), /not signed/);
    refuses(withFields(valid[2], { 9: '0x1b' }), /./);
    refuses(withFields(valid[2], { 9: '0x02' }), /./);
  });

  it('of type 3 or an unknown type', () => {
    refuses(concat(['0x03', toRlp([])]), /./);
    for (const type of ['0x00', '0x05', '0x7f'] as const) refuses(concat([type, `0x${valid[2].slice(4)}`]), /./);
  });

  it('with too little gas for the data, the list, the creation or the floor', async () => {
    const gasPrice = 10n ** 9n;
    const legacy = { ...base, type: 'legacy', gasPrice } as const;
    refuses(await account.signTransaction({ ...legacy, data: '0x', gas: 20_999n }), /intrinsic gas too low/);
    expect(decode(await account.signTransaction({ ...legacy, data: '0x', gas: 21_000n })).tx.gasLimit).toBe(21_000n);
    // 1,000 nonzero bytes: 37,000 gas by the ordinary price, 61,000 by the floor (EIP-7623).
    const data: Hex = `0x${'ab'.repeat(1_000)}`;
    refuses(await account.signTransaction({ ...legacy, data, gas: 60_999n }), /intrinsic gas too low.*needed 61000/);
    expect(decode(await account.signTransaction({ ...legacy, data, gas: 61_000n })).tx.gasLimit).toBe(61_000n);
    const creation = { chainId: 8901, nonce: 0, type: 'legacy', gasPrice, data: '0x00' } as const;
    refuses(await account.signTransaction({ ...creation, gas: 53_000n }), /needed 53006/);
    const listed = { ...base, type: 'eip2930', gasPrice, accessList, data: '0x' } as const;
    refuses(await account.signTransaction({ ...listed, gas: 25_299n }), /needed 25300/);
    const delegating = { ...base, type: 'eip7702', ...fees, authorizationList, data: '0x' } as const;
    refuses(await account.signTransaction({ ...delegating, gas: 45_999n }), /needed 46000/);
  });

  it("with initcode or gas above Ethereum's limit", async () => {
    const creation = { chainId: 8901, nonce: 0, type: 'legacy', gasPrice: 10n ** 9n, gas: 16_000_000n } as const;
    const initcode = (length: number): Hex => `0x${'00'.repeat(length)}`;
    expect(decode(await account.signTransaction({ ...creation, data: initcode(49_152) })).tx.type).toBe(0);
    refuses(await account.signTransaction({ ...creation, data: initcode(49_153) }), /initcode/i);
    refuses(await account.signTransaction({ ...creation, data: '0x', gas: 2n ** 24n + 1n }), /gas limit/i);
  });

  it('with too many bytes', () => {
    expect(() => decodeTransaction(new Uint8Array(MAX_TRANSACTION_BYTES + 1), common)).toThrow(/bytes/);
  });

  it('with a tip above its cap, or an empty list of authorizations', async () => {
    const fields = withFields(valid[2], { 2: numberToHex(fees.maxFeePerGas + 1n) });
    refuses(fields, /./);
    refuses(withFields(valid[4], { 9: [] }), /./);
  });

  it('in a non-canonical encoding, which would give another hash', () => {
    refuses(concat([valid[2], '0x00']), /./);
    refuses(concat([valid[0], '0x80']), /./);
    refuses(withFields(valid[2], { 1: '0x0007' }), /./);
    refuses(withFields(valid[0], { 3: '0x00' }), /./);
    refuses(withFields(valid[2], { 9: '0x00' }), /./);
    // A list of less than 256 bytes with a two-byte length.
    const legacyLength = (valid[0].length - 2) / 2 - 2;
    refuses(concat(['0xf900', numberToHex(legacyLength, { size: 1 }), `0x${valid[0].slice(6)}`]), /./);
  });

  it('with leading zeros in numbers of an authorization', () => {
    const authorization = authorizationList[0]!;
    const item = [
      numberToHex(8901),
      TO,
      '0x0008',
      numberToHex(authorization.yParity!),
      authorization.r,
      authorization.s,
    ];
    refuses(withFields(valid[4], { 9: [item as unknown as Hex] }), /./);
  });
});

describe('unsigned bytes', () => {
  const decodeOrRefuse = (raw: Uint8Array): void => {
    try {
      const transaction = decodeTransaction(raw, common);
      // An accepted transaction has the canonical form, and another decoder agrees on its fields.
      expect(transaction.hash).toBe(keccak256(raw));
      expect(bytesToHex(transaction.tx.serialize())).toBe(bytesToHex(raw));
      const isLegacy = (raw[0] ?? 0) > 0x7f;
      const fields = fromRlp(bytesToHex(isLegacy ? raw : raw.subarray(1)), 'hex') as Hex[];
      const at = isLegacy ? { nonce: 0, value: 4 } : { nonce: 1, value: raw[0] === 1 ? 5 : 6 };
      expect(toNumber(fields[at.value])).toBe(transaction.valueUnits * UNIT);
      expect(toNumber(fields[at.nonce])).toBe(transaction.tx.nonce);
    } catch (error) {
      if (!(error instanceof PartnerChainError)) throw error;
      expect(error.code).toBe('TRANSACTION_REJECTED');
      expect(error.message.length).toBeLessThan(300);
    }
  };

  it("are refused with the chain's error", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), decodeOrRefuse), { numRuns: runs(2_000) });
  });

  it('are refused after any change to a valid transaction', () => {
    const change = fc.record({
      raw: fc.constantFrom(...Object.values(valid)),
      flips: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }),
      from: fc.option(fc.nat(), { nil: undefined }),
      length: fc.option(fc.nat(), { nil: undefined }),
      tail: fc.uint8Array({ maxLength: 3 }),
    });
    const property = fc.property(change, ({ raw, flips, from, length, tail }) => {
      const bytes = hexToBytes(raw);
      for (const [at, value] of flips) bytes[at % bytes.length] = value;
      const start = from === undefined ? 0 : from % bytes.length;
      const end = length === undefined ? bytes.length : start + (length % bytes.length);
      decodeOrRefuse(Uint8Array.from([...bytes.subarray(start, end), ...tail]));
    });
    fc.assert(property, { numRuns: runs(4_000) });
  });

  it('are refused if they are lists of wrong items', () => {
    const item = fc.letrec<{ item: Hex | Hex[] }>((tie) => ({
      item: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array({ maxLength: 40 }).map((bytes) => bytesToHex(bytes)),
        fc.array(tie('item'), { maxLength: 4 }) as fc.Arbitrary<Hex[]>,
      ),
    })).item;
    const type = fc.constantFrom<Hex>('0x', '0x01', '0x02', '0x03', '0x04');
    const property = fc.property(type, fc.array(item, { minLength: 6, maxLength: 13 }), (prefix, fields) =>
      decodeOrRefuse(hexToBytes(concat([prefix, toRlp(fields as Hex[])]))),
    );
    fc.assert(property, { numRuns: runs(3_000) });
  });

  it('in the fields of a valid transaction are refused, or decoded like another decoder does', () => {
    const property = fc.property(
      fc.constantFrom(...Object.values(valid)),
      fc.nat({ max: 12 }),
      fc.oneof(fc.uint8Array({ maxLength: 34 }), fc.constantFrom(new Uint8Array(1), new Uint8Array(33).fill(255))),
      (raw, at, bytes) => decodeOrRefuse(hexToBytes(withFields(raw, { [at]: bytesToHex(bytes) }))),
    );
    fc.assert(property, { numRuns: runs(4_000) });
  });
});
