import { describe, expect, it } from '@jest/globals';
import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem';
import { localSigner } from '../signers/local-signer.js';
import { signTransaction } from './sign-transaction.js';

const signer = localSigner(`0x${'1'.repeat(64)}`);
const call = { to: `0x${'2'.repeat(40)}`, data: '0x1234', value: 5n } as const;
const terms = { nonce: 7n, gas: 21_000n, maxFeePerGas: 30n, maxPriorityFeePerGas: 2n };

describe('signTransaction', () => {
  it("signs exactly the call and the terms with the signer's key", async () => {
    const signed = await signTransaction(signer, 31_337, call, terms);
    expect(signed).toMatchObject({ ...terms, hash: keccak256(signed.raw) });
    expect(parseTransaction(signed.raw)).toMatchObject({ ...call, ...terms, nonce: 7, chainId: 31_337 });
    const serializedTransaction = signed.raw as TransactionSerialized;
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(signer.address);
  });
});
