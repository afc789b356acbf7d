import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { attestationDigest, type Verifier } from '@causeway/verifier';
import { encodeFunctionResult, zeroHash, type Address, type Hex } from 'viem';
import { AttestRecord } from '../record/attest-record.js';
import { BatchSigner, type JudgedItem } from './batch-signer.js';
import type { SignVerdict } from './judge-item.js';
import { StartWait } from './start-wait.js';

// A refund on the partner chain whose transfer was signed for an intent on Ethereum: no contract sees both. The record
// can forget that signature only if the refund is then judged at a block that shows what the signature paid.

const NOW = 9e12;
const hash = (digit: number): Hex => `0x${`${digit}`.repeat(64)}`;
const account = (digit: number): Address => `0x${`${digit}`.repeat(40)}`;
const id = hash(1);
const transfer = { chainId: 8_901, transactionHash: hash(2), callIndex: 0 };
const payment = { wallet: account(3), token: account(4), recipient: account(5), amount: 7n };
const verdict = {
  kind: 'SIGN',
  call: { kind: 'REFUND', refundId: id, ...payment },
  transfer,
} as unknown as SignVerdict;
const consent = { setNumber: 1n, validUntil: 1_010n };
const settings = {
  ethereum: { chainId: 1, contract: account(6) },
  partner: { chainId: 8_901, contract: account(7) },
  assets: [{ symbol: 'XCN', tokens: { partner: payment.token } }],
};
const set = [1n, [account(8)], 1n] as const;
const reader = {
  head: async () => 9n,
  headerAt: async (number: bigint) => ({ number, hash: zeroHash, timestamp: 1_000n }),
  call: async () => encodeFunctionResult({ abi: bridgeMintAbi, functionName: 'attesters', result: set }),
};

/** The verdict of a new judgement: the refund's id is invented. */
const WRONG = { id, verdict: { reason: 'WRONG_ID' } };

const folder = mkdtempSync(join(tmpdir(), 'attester-batch-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['is signed when nothing was forgotten in the meantime', 'never', { kind: 'SIGNED' }],
  ['is rejudged when something was forgotten after its judgement', 'after', { kind: 'REFUSED', verdict: WRONG }],
  [
    'is not signed when something is forgotten during the signing',
    'during',
    { kind: 'LATER', why: 'Signatures were forgotten meanwhile.' },
  ],
])('a judgement %s', async (_, moment, outcome) => {
  const record = await AttestRecord.open(join(folder, moment));
  const signed = { kind: 'DELIVERY', id: hash(9), transfer, terms: id, side: 'ethereum', asset: 'XCN' } as const;
  if (moment !== 'never')
    await record.add([{ ...signed, amount: 7n, validUntil: 10n, proof: 'RECEIPT', signedAtMs: 1 }]);
  const verifier = {
    settings,
    readers: { ethereum: reader, partner: reader },
    finality: { finalBlock: async () => 9n },
    histories: { ethereum: { at: async () => ({ findPaid: () => [] }) } },
    now: () => 0,
  } as unknown as Verifier;
  const batchSigner = new BatchSigner({
    verifier,
    record,
    signer: { signTypedData: async () => '0x01' },
    address: account(8),
    limits: new Map(),
    validitySeconds: 600,
    wait: new StartWait(0, 1, true),
    findObstacle: () => null,
    now: () => NOW,
    monotonic: () => 9,
  });
  const judged = { verdict, atMs: NOW, forgotten: record.forgotten };
  const item = { kind: 'REFUND', id, arrival: transfer, approval: { operationId: id }, ...payment };
  if (moment === 'after') await batchSigner.forget();
  if (moment === 'during') judged.verdict = batchSigner.forget().then(() => verdict) as never;
  const shown = { item, judged } as unknown as JudgedItem;
  const batch = { digest: attestationDigest(verdict.call, consent, settings.partner), call: 'REFUND', ids: [id] };
  const found = await batchSigner.sign({ ...batch, call: 'REFUND', ...consent }, new Map([[id, shown]]));
  expect(found).toMatchObject(outcome);
  await record.close();
});
