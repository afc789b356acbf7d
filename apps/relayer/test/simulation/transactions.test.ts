import { seed } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { Account } from '../../simulation/chain/account.ts';
import { InvalidTransactionError, readTransaction } from '../../simulation/chain/transactions.ts';

const account = new Account('alice');
const reference = privateKeyToAccount(account.privateKey);
const hex = (maxLength: number, minLength = 0) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => bytesToHex(bytes));
const wei = fc.bigInt(0n, 2n ** 96n);
const transactions = fc.record({
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.integer({ min: 0, max: 2 ** 31 }),
  maxPriorityFeePerGas: fc.bigInt(0n, 10n),
  maxFeePerGas: fc.bigInt(10n, 2n ** 64n),
  gas: fc.bigInt(0n, 2n ** 32n),
  to: hex(20, 20),
  value: wei,
  input: fc.oneof(hex(60), hex(400), hex(65_000, 64_000)),
});

describe('a transaction', () => {
  it('is signed and read like by viem', async () => {
    await fc.assert(
      fc.asyncProperty(transactions, async ({ input, ...transaction }) => {
        const { raw, hash } = account.sign({ ...transaction, input });
        expect(raw).toBe(await reference.signTransaction({ ...transaction, data: input, type: 'eip1559' }));
        const read = readTransaction(raw);
        expect(read).toMatchObject({ ...transaction, input, hash, raw, from: account.address });
        const { r, s, yParity } = parseTransaction(raw as `0x02${string}`);
        expect(read.signature).toMatchObject({ yParity: `0x${yParity}` });
        expect([BigInt(read.signature.r), BigInt(read.signature.s)]).toEqual([BigInt(r ?? 0), BigInt(s ?? 0)]);
      }),
      { seed: seed(), numRuns: 100 },
    );
  });

  it.each(['0x', '0x01c0', '0x02', '0x02c0', `0x02${'ff'.repeat(50)}`] as const)('is not %s', (raw) => {
    expect(() => readTransaction(raw)).toThrow(InvalidTransactionError);
  });
});
