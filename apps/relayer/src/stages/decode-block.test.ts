import { describe, expect, it } from '@jest/globals';
import { DEFAULT_FEE_POLICIES, operationId } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { VerifiedBlock, VerifiedLog } from '@causeway/chain';
import { anAddressBook } from '@causeway/test-kit';
import { encodeAbiParameters, encodeEventTopics, zeroAddress, type Address, type Hex } from 'viem';
import { decodeBlock, ImpossibleEventError, type ScanContext } from './decode-block.js';

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const TX: Hex = `0x${'cd'.repeat(32)}`;
const book = anAddressBook();
const context = (side: ScanContext['side']): ScanContext => ({
  book,
  side,
  ethereumConfirmations: 12,
  partnerConfirmations: 6,
  policies: DEFAULT_FEE_POLICIES,
});

function aBlock(logs: VerifiedLog[], transfers: VerifiedBlock['transfers'] = []): VerifiedBlock {
  return { number: 9n, hash: TX, parentHash: TX, timestampSeconds: 1_800_000_000n, logs, transfers };
}

function depositLog(over: { token?: Address; id?: Hex; nonce?: bigint } = {}): VerifiedLog {
  const nonce = over.nonce ?? 5n;
  const depositId = over.id ?? operationId(31_337, book.ethereum.bridgeLock, nonce);
  const topics = encodeEventTopics({
    abi: bridgeLockAbi,
    eventName: 'Deposit',
    args: { depositId, token: over.token ?? zeroAddress, sender: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65' },
  });
  const data = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
    [at('9'), 77n, nonce],
  );
  return { address: book.ethereum.bridgeLock, topics: topics as Hex[], data, logIndex: 3, transactionHash: TX };
}

function withdrawLog(): VerifiedLog {
  const withdrawId = operationId(8_901, book.partner.bridgeMint, 2n);
  const args = { withdrawId, token: book.partner.tokens.USDC, sender: at('8') };
  const topics = encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Withdraw', args });
  const data = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }],
    [at('9'), 100_000_000n, 5_000_000n, 2n],
  );
  return { address: book.partner.bridgeMint, topics: topics as Hex[], data, logIndex: 0, transactionHash: TX };
}

describe('decodeBlock', () => {
  it('begins an operation for a Deposit, with its addresses in lower case', () => {
    const { events, timestamp } = decodeBlock(aBlock([depositLog()]), context('ethereum'));
    expect(timestamp).toEqual(new Date(1_800_000_000_000));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      name: 'Deposit',
      txHash: TX,
      logIndex: 3,
      opens: {
        kind: 'DEPOSIT',
        asset: 'ETH',
        amount: 77n,
        fee: 0n,
        outputAmount: 77n,
        sender: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
        recipient: at('9'),
        originNonce: 5n,
        requiredConfirmations: 12,
      },
    });
  });

  it('begins an operation for a Withdraw, with the fee of the contract', () => {
    const [event] = decodeBlock(aBlock([withdrawLog()]), context('partner')).events;
    expect(event?.opens).toMatchObject({
      kind: 'BURN',
      asset: 'USDC',
      amount: 100_000_000n,
      fee: 5_000_000n,
      outputAmount: 95_000_000n,
      feeBps: 25,
      requiredConfirmations: 6,
    });
  });

  it('rejects an event whose id does not follow from its number', () => {
    expect(() => decodeBlock(aBlock([depositLog({ id: TX })]), context('ethereum'))).toThrow(ImpossibleEventError);
  });

  it('rejects an event of an unlisted token instead of losing the deposit', () => {
    expect(() => decodeBlock(aBlock([depositLog({ token: at('e') })]), context('ethereum'))).toThrow(
      /not in the address book/,
    );
  });

  it('ignores events that move no money', () => {
    const topics = encodeEventTopics({ abi: bridgeLockAbi, eventName: 'TreasurySet', args: { treasury: at('9') } });
    const log = {
      address: book.ethereum.bridgeLock,
      topics: topics as Hex[],
      data: '0x' as const,
      logIndex: 0,
      transactionHash: TX,
    };
    expect(decodeBlock(aBlock([log]), context('ethereum')).events).toEqual([]);
  });

  it('returns transfers to the relayer wallet', () => {
    const transfer = {
      transactionHash: TX,
      from: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65' as const,
      to: book.relayer,
      value: 5n,
    };
    const { transfers } = decodeBlock(aBlock([], [transfer]), context('partner'));
    expect(transfers).toEqual([
      { txHash: TX, payer: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65', callIndex: 0, amount: 5n },
    ]);
  });
});
