import { canonicalJson, type CanonicalValue } from '@causeway/protocol';
import type { TransferRecord } from '@causeway/sdk';
import { keccak256, slice, stringToBytes } from 'viem';

const ACCOUNT = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const CONTRACT = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';

/** The record of a deposit, with its checksum. */
export function aRecord(over: Partial<TransferRecord> = {}): TransferRecord {
  const terms = {
    version: 1,
    id: `0x${'ab'.repeat(32)}`,
    revision: 1,
    environment: 'local',
    kind: 'DEPOSIT',
    asset: 'ETH',
    amount: '25000000',
    maxFee: '0',
    sender: ACCOUNT,
    recipient: ACCOUNT,
    chainId: 31_337,
    contract: CONTRACT,
    token: CONTRACT,
    fromBlock: '7',
    createdAt: '2026-11-27T10:00:00.000Z',
    steps: [{ step: 'send', what: 'transfer', state: 'asked', nonce: 7 }],
    ...over,
  } as const;
  const text = canonicalJson(terms as unknown as CanonicalValue);
  return { ...terms, checksum: slice(keccak256(stringToBytes(text)), 0, 8) };
}
