import { describe, expect, it } from '@jest/globals';
import { keccak256, type Address } from 'viem';
import { callHash, isChecksumRight, safeFile, safeFileSchema } from './call-hash.js';

const TO: Address = '0x00000000000000000000000000000000000000AB';
const terms = { chainId: 1, to: TO, value: 3n, data: '0x1234' } as const;
const word = (text: string) => text.padStart(64, '0');

describe('callHash', () => {
  it('is the hash of the ABI encoding of chain, recipient, value and data', () => {
    const words = [word('1'), word('ab'), word('3'), word('80'), word('2'), '1234'.padEnd(64, '0')];
    expect(callHash(terms)).toBe(keccak256(`0x${words.join('')}`));
  });

  it.each([
    { ...terms, chainId: 2 },
    { ...terms, to: '0x00000000000000000000000000000000000000ac' as const },
    { ...terms, value: 4n },
    { ...terms, data: '0x1235' as const },
    { ...terms, data: '0x123400' as const },
  ])('changes with every field: %j', (changed) => {
    expect(callHash(changed)).not.toBe(callHash(terms));
  });
});

describe('safeFile', () => {
  const file = safeFile({
    chainId: 1,
    safe: TO,
    description: 'set-policy',
    createdAt: new Date(1_700_000_000_000),
    transactions: [terms],
  });

  it('has the fields of the Transaction Builder, with a checksum over the fields sorted by name', () => {
    expect(safeFileSchema.parse(JSON.parse(JSON.stringify(file)))).toEqual(file);
    expect(file).toMatchObject({
      version: '1.0',
      chainId: '1',
      transactions: [{ to: TO, value: '3', data: '0x1234', contractMethod: null, contractInputsValues: null }],
    });
    const names = '["createdFromOwnerAddress","createdFromSafeAddress","description","name","txBuilderVersion"]';
    const meta = `{${names}"","${TO}","set-policy",null,"1.18.0",}`;
    const transaction = `{["contractInputsValues","contractMethod","data","to","value"]null,null,"0x1234","${TO}","3",}`;
    const fields = '["chainId","createdAt","meta","transactions","version"]';
    const text = `{${fields}"1",1700000000000,${meta},[${transaction}],"1.0",}`;
    expect(file.meta.checksum).toBe(keccak256(new TextEncoder().encode(text)));
  });

  it('detects a change', () => {
    expect(isChecksumRight(file)).toBe(true);
    const [transaction] = file.transactions;
    if (transaction === undefined) throw new Error('no transaction');
    expect(isChecksumRight({ ...file, transactions: [{ ...transaction, value: '4' }] })).toBe(false);
  });
});
