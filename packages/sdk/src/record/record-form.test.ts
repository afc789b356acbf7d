import { describe, expect, it } from '@jest/globals';
import { RecordError } from '../errors.js';
import type { Step, TransferRecord } from './record.js';
import { parseRecord, sealRecord } from './record-form.js';

const ACCOUNT = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const CONTRACT = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
const HASH = `0x${'ab'.repeat(32)}` as const;
const SIGNATURE = `0x${'cd'.repeat(65)}` as const;

const STEPS: readonly Step[] = [
  {
    step: 'sign',
    what: 'authorization',
    state: 'done',
    domain: { name: 'USD Coin', version: '2' },
    nonce: HASH,
    deadline: 1_800_000_000,
    signature: SIGNATURE,
  },
  { step: 'send', what: 'transfer', state: 'sent', nonce: 7, hash: HASH },
];

const record = (over: Partial<TransferRecord> = {}): TransferRecord =>
  sealRecord({
    version: 1,
    id: HASH,
    revision: 4,
    environment: 'testnet',
    kind: 'DEPOSIT',
    asset: 'USDC',
    amount: '25000000',
    maxFee: '0',
    sender: ACCOUNT,
    recipient: ACCOUNT,
    chainId: 11_155_111,
    contract: CONTRACT,
    token: CONTRACT,
    fromBlock: '21000000',
    createdAt: '2026-11-27T10:00:00.000Z',
    steps: STEPS,
    ...over,
  });

function refusedField(text: unknown): string | undefined {
  try {
    parseRecord(text);
  } catch (error) {
    if (error instanceof RecordError) return error.field;
    throw error;
  }
  return undefined;
}

describe('parseRecord', () => {
  it('reads what was kept, as text and as an object', () => {
    expect(parseRecord(JSON.stringify(record()))).toEqual(record());
    expect(parseRecord(record())).toEqual(record());
  });

  it('has at most 1 kB for keys', () => {
    expect(JSON.stringify(record()).length).toBeLessThanOrEqual(1_024);
  });

  it.each([
    ['no JSON', '{', 'record'],
    ['no object', '7', 'record'],
    ['a newer version', { ...record(), version: 2 }, 'version'],
    ['no version', { ...record(), version: undefined }, 'version'],
    ['another recipient', { ...record(), recipient: CONTRACT }, 'checksum'],
    ['another amount', { ...record(), amount: '26000000' }, 'checksum'],
    ['an amount as a number', { ...record(), amount: 25_000_000 }, 'amount'],
    ['a negative amount', { ...record(), amount: '-1' }, 'amount'],
    ['an unknown kind', { ...record(), kind: 'GIFT' }, 'kind'],
    ['an unknown environment', { ...record(), environment: 'moon' }, 'environment'],
    ['a short address', { ...record(), sender: '0x15' }, 'sender'],
    ['no steps', { ...record(), steps: [] }, 'steps'],
    ['an unknown step', { ...record(), steps: [{ step: 'dance', state: 'planned' }] }, 'steps.0.step'],
    ['an unknown state', { ...record(), steps: [STEPS[0], { ...STEPS[1], state: 'maybe' }] }, 'steps.1.state'],
    ['a malformed hash', { ...record(), steps: [STEPS[0], { ...STEPS[1], hash: '0x12' }] }, 'steps.1.hash'],
    ['text that is too long', `"${'x'.repeat(20_000)}"`, 'record'],
  ])('refuses %s', (_, text, field) => {
    expect(refusedField(text)).toBe(field);
  });
});
