import { describe, expect, it } from '@jest/globals';
import { intentDigest, intentDomain, type Asset } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Operation, OperationKind } from '@causeway/store';
import { aBurn, aDeposit, anOperation } from '@causeway/store/test';
import { anAddressBook } from '@causeway/test-kit';
import fc from 'fast-check';
import {
  decodeFunctionData,
  encodeAbiParameters,
  getAddress,
  keccak256,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import {
  deliveryGasLimit,
  encodeBatch,
  encodeDelivery,
  inBatches,
  listTerms,
  MAX_CALL_GAS,
  splitBySimulation,
  type DeliveryInput,
} from './encode-delivery.js';

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const ID: Hex = `0x${'ab'.repeat(32)}`;
const book = anAddressBook();
const input: DeliveryInput = { book, isPaidByWallet: true, intent: null };
const HASH: Hex = `0x${'cd'.repeat(32)}`;
const signed = { deadlineSeconds: 1_900_000_000n, signature: '0x1234' } as const;

/** The kinds of deliveries. */
type Delivered = Exclude<OperationKind, 'TRANSFER'>;

function makeOperation(kind: Delivered, asset: Asset, over: Partial<Operation> = {}): Operation {
  const terms = kind === 'DEPOSIT' ? aDeposit() : aBurn({ kind });
  const fixed = { id: ID, asset, sender: at('8'), recipient: at('9'), originNonce: kind === 'INTENT' ? null : 42n };
  return anOperation({ ...terms, ...fixed }, over);
}

const checksummed = (args: readonly unknown[]) =>
  args.map((arg) => (typeof arg === 'string' && arg.length === 42 ? getAddress(arg) : arg));

describe('encodeDelivery', () => {
  it.each<[Delivered, Asset, string, unknown[], bigint]>([
    ['DEPOSIT', 'ETH', 'mint', [42n, book.partner.tokens.ETH, at('9'), 1_000n], 0n],
    ['DEPOSIT', 'USDC', 'mint', [42n, book.partner.tokens.USDC, at('9'), 1_000n], 0n],
    ['DEPOSIT', 'XCN', 'mint', [42n, zeroAddress, at('9'), 1_000n], 1_000n],
    ['BURN', 'ETH', 'releaseNative', [42n, at('9'), 990n, 10n], 0n],
    ['BURN', 'USDC', 'release', [42n, book.ethereum.tokens.USDC, at('9'), 990n, 10n], 0n],
    ['NATIVE_WITHDRAWAL', 'XCN', 'release', [42n, book.ethereum.tokens.XCN, at('9'), 990n, 10n], 0n],
  ])('a %s of %s is paid by %s', (kind, asset, functionName, args, value) => {
    const delivery = encodeDelivery(makeOperation(kind, asset), input);
    expect(delivery.to).toBe(kind === 'DEPOSIT' ? book.partner.bridgeMint : book.ethereum.bridgeLock);
    expect(delivery.value).toBe(value);
    const call = decodeFunctionData({ abi: [...bridgeLockAbi, ...bridgeMintAbi], data: delivery.data });
    expect(call.functionName).toBe(functionName);
    expect(checksummed(call.args ?? [])).toEqual(checksummed(args));
  });

  it.each(['a nonce', '0x12', '0x'])(
    'an intent is paid by releaseIntent with its signed terms, nonce "%s"',
    (nonce) => {
      const { sender, recipient, amount } = makeOperation('INTENT', 'XCN');
      const { deadlineSeconds: deadline, signature } = signed;
      const place = [BigInt(book.partner.chainId), HASH, 'XCN', 3n] as const;
      const transferId = keccak256(encodeAbiParameters(parseAbiParameters('uint256, bytes32, string, uint256'), place));
      const nonceHash = keccak256(`0x${Buffer.from(nonce, 'utf8').toString('hex')}`);
      const id = intentDigest(intentDomain(book.partner), { sender, recipient, amount, deadline, nonce });
      const operation = { ...makeOperation('INTENT', 'XCN'), id };
      const intent = { ...signed, nonceHash, transfer: { txHash: HASH, callIndex: 3 } };
      const delivery = encodeDelivery(operation, { ...input, intent });
      const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data: delivery.data });
      expect(functionName).toBe('releaseIntent');
      expect(args).toEqual([
        { sender, recipient, amount: 1_000n, deadline, nonceHash, signature },
        transferId,
        10n,
        { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] },
      ]);
      expect(listTerms([operation], { book, intent })).toEqual({
        call: 'RELEASE_INTENT',
        intentId: id,
        transferId,
        fee: 10n,
        signature,
      });
      const other = { ...intent, deadlineSeconds: deadline + 1n };
      expect(() => encodeDelivery(operation, { ...input, intent: other })).toThrow(/have the digest/);
    },
  );

  it('a mint of native XCN carries no value when the float pays it', () => {
    const [fromWallet, fromFloat] = [true, false].map((isPaidByWallet) =>
      encodeDelivery(makeOperation('DEPOSIT', 'XCN'), { ...input, isPaidByWallet }),
    );
    expect(fromFloat).toEqual({ ...fromWallet, value: 0n });
  });

  it('throws without the number, or without the terms or the transfer of an intent', () => {
    expect(() => encodeDelivery({ ...makeOperation('BURN', 'ETH'), originNonce: null }, input)).toThrow(/no number/);
    const operation = makeOperation('INTENT', 'XCN');
    const intent = { ...signed, nonceHash: HASH, transfer: null };
    for (const encode of [encodeDelivery, (_: Operation, given: DeliveryInput) => listTerms([operation], given)]) {
      expect(() => encode(operation, input)).toThrow(/no signed terms/);
      expect(() => encode(operation, { ...input, intent })).toThrow(/no transfer/);
    }
  });
});

describe('encodeBatch', () => {
  const burn = (asset: Asset, nonce: bigint) => makeOperation('BURN', asset, { originNonce: nonce });

  it('releases in the given order, ETH as the native coin', () => {
    const { to, data, value } = encodeBatch([burn('USDC', 7n), burn('ETH', 3n)], { book, isPaidByWallet: false });
    const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data });
    expect({ to, value, functionName }).toEqual({
      to: book.ethereum.bridgeLock,
      value: 0n,
      functionName: 'releaseMany',
    });
    const [payments] = args as unknown as [{ withdrawNonce: bigint; token: Address; amount: bigint; fee: bigint }[]];
    expect(
      payments.map(({ withdrawNonce, token, amount, fee }) => [withdrawNonce, token.toLowerCase(), amount, fee]),
    ).toEqual([
      [7n, book.ethereum.tokens.USDC, 990n, 10n],
      [3n, zeroAddress, 990n, 10n],
    ]);
  });

  it('mints with exactly the coin of its native mints if the wallet pays, otherwise with none', () => {
    const assets: Asset[] = ['XCN', 'XCN', 'USDC'];
    const operations = assets.map((asset) => makeOperation('DEPOSIT', asset));
    expect(encodeBatch(operations, { book, isPaidByWallet: true }).value).toBe(2_000n);
    const { value, data } = encodeBatch(operations, { book, isPaidByWallet: false });
    expect(value).toBe(0n);
    expect(decodeFunctionData({ abi: bridgeMintAbi, data }).functionName).toBe('mintMany');
  });

  it('rejects an intent', () => {
    expect(() => encodeBatch([makeOperation('INTENT', 'XCN')], { book, isPaidByWallet: false })).toThrow(/no number/);
  });
});

describe('a simulated batch', () => {
  it('is split by its returned bitmap', () => {
    const operations = [1n, 2n, 3n].map((originNonce) => makeOperation('BURN', 'USDC', { originNonce }));
    const { paid, skipped } = splitBySimulation(operations, numberToHex(0b101, { size: 32 }));
    expect(paid).toEqual([operations[0], operations[2]]);
    expect(skipped).toEqual([operations[1]]);
    expect(splitBySimulation(operations, '0x').paid).toEqual([]);
  });
});

describe('the gas of a batch', () => {
  const operations = fc.array(
    fc
      .tuple(fc.constantFrom<Delivered>('DEPOSIT', 'BURN'), fc.constantFrom<Asset>('ETH', 'USDC', 'XCN'))
      .map(([kind, asset]) => makeOperation(kind, asset)),
    { minLength: 1, maxLength: 120 },
  );

  it('stays below 2^24 even if every recipient burns its share and refuses, and loses no operation', () => {
    fc.assert(
      fc.property(operations, (given) => {
        const batches = inBatches(given);
        expect(batches.flat()).toEqual(given);
        for (const batch of batches) {
          // 100,000 for the fixed costs of a batch, 150,000 for each item.
          const estimate = 100_000n + 150_000n * BigInt(batch.length);
          expect(deliveryGasLimit(estimate, batch) <= MAX_CALL_GAS).toBe(true);
        }
      }),
    );
  });

  it('never has more than 40 items', () => {
    const burns = Array.from({ length: 81 }, () => makeOperation('BURN', 'USDC'));
    expect(inBatches(burns).map(({ length }) => length)).toEqual([40, 40, 1]);
  });

  it('fills a call up to its gas limit', () => {
    expect(MAX_CALL_GAS).toBe(16_777_215n);
    const assets: Asset[] = [...Array<Asset>(16).fill('XCN'), 'USDC', 'USDC'];
    const mints = assets.map((asset) => makeOperation('DEPOSIT', asset));
    // 16 x 1,020,000 and 250,000 fit into 16,777,215 less 100,000, and another 250,000 does not.
    expect(inBatches(mints).map(({ length }) => length)).toEqual([17, 1]);
  });

  it('leaves every recipient of native coin its share and a credit', () => {
    const release = makeOperation('BURN', 'ETH');
    const mint = makeOperation('DEPOSIT', 'XCN');
    expect(deliveryGasLimit(0n, [release, release])).toBe(2n * (52_000n + 100_000n));
    expect(deliveryGasLimit(0n, [mint])).toBe(770_000n + 100_000n);
    expect(deliveryGasLimit(0n, [makeOperation('BURN', 'USDC')])).toBe(100_000n);
  });
});
