import { describe, expect, it } from '@jest/globals';
import { DEFAULT_FEE_POLICIES, operationId } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { ImpossibleEventError, type VerifiedBlock, type VerifiedLog } from '@causeway/chain';
import { anAddressBook } from '@causeway/test-kit';
import {
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  numberToHex,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { decodeBlocks, firstWithdrawal, type ScanContext } from './decode-block.js';

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const TX: Hex = `0x${'cd'.repeat(32)}`;
const book = anAddressBook();
const context = (side: ScanContext['side']): ScanContext => ({
  book,
  side,
  timing: {
    ethereumConfirmations: 12,
    partnerConfirmations: 6,
    holdSeconds: 3_600,
    blockSeconds: { ethereum: 12, partner: 2 },
  },
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

function withdrawLog(token: Address = book.partner.tokens.USDC, number = 2n): VerifiedLog {
  const withdrawId = operationId(8_901, book.partner.bridgeMint, number);
  const args = { withdrawId, token, sender: at('8') };
  const topics = encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Withdraw', args });
  const data = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }],
    [at('9'), 100_000_000n, 5_000_000n, number],
  );
  return { address: book.partner.bridgeMint, topics: topics as Hex[], data, logIndex: 0, transactionHash: TX };
}

/** Decodes one block alone. */
const decodeBlock = (block: VerifiedBlock, of: ScanContext) => decodeBlocks([block], of)[0]!;

describe('decodeBlocks', () => {
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
        estimatedSeconds: 156,
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
      estimatedSeconds: 3_756,
    });
  });

  it('begins an operation of XCN for a Withdraw of the native coin, with a number and its withdrawId', () => {
    const [event] = decodeBlock(aBlock([withdrawLog(zeroAddress)]), context('partner')).events;
    const id = operationId(8_901, book.partner.bridgeMint, 2n);
    expect(event).toMatchObject({ name: 'Withdraw', operationId: id });
    expect(event?.opens).toMatchObject({
      id,
      kind: 'NATIVE_WITHDRAWAL',
      direction: 'PARTNER_TO_ETHEREUM',
      asset: 'XCN',
      originNonce: 2n,
      outputAmount: 95_000_000n,
    });
  });

  it('applies the fee rate from before the blocks to withdrawals, until another one is set', () => {
    const policySet = (bps: number): VerifiedLog => ({
      ...withdrawLog(),
      topics: encodeEventTopics({
        abi: bridgeMintAbi,
        eventName: 'FeePolicySet',
        args: { token: book.partner.tokens.USDC },
      }) as Hex[],
      data: encodeAbiParameters([{ type: 'uint16' }, { type: 'uint96' }, { type: 'uint96' }], [bps, 1n, 2n]),
    });
    const blocks = [
      aBlock([withdrawLog(), policySet(30), withdrawLog(), withdrawLog(zeroAddress)]),
      aBlock([withdrawLog()]),
      aBlock([policySet(25), withdrawLog()]),
    ];
    const events = decodeBlocks(blocks, context('partner')).flatMap((block) => block.events);
    expect(events.map(({ opens }) => opens?.feeBps)).toEqual([25, 30, 25, 30, 25]);
  });

  it('needs no fee policies when nothing is withdrawn, and does not guess them', () => {
    const without = { ...context('partner'), policies: null };
    expect(decodeBlocks([aBlock([])], without)).toHaveLength(1);
    expect(() => decodeBlocks([aBlock([withdrawLog()])], without)).toThrow(ImpossibleEventError);
    expect(firstWithdrawal([aBlock([]), aBlock([])])).toBeNull();
    expect(firstWithdrawal([aBlock([]), { ...aBlock([withdrawLog()]), number: 11n }])).toBe(11n);
  });

  it('rejects an event whose id does not match its number', () => {
    expect(() => decodeBlock(aBlock([depositLog({ id: TX })]), context('ethereum'))).toThrow(ImpossibleEventError);
  });

  it('stores the arguments by name, integers in decimal and hex in lower case', () => {
    const [event] = decodeBlock(aBlock([depositLog()]), context('ethereum')).events;
    expect(event?.args).toEqual({
      depositId: event?.operationId,
      token: zeroAddress,
      sender: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
      recipient: at('9'),
      amount: '77',
      nonce: '5',
    });
  });

  it.each<[string, Partial<VerifiedLog>]>([
    ['too few words', { data: '0x' }],
    ['too many words', { data: `0x${'00'.repeat(5 * 32)}` }],
    ['half a word', { data: withdrawLog().data.slice(0, -2) as Hex }],
    ['too few topics', { topics: withdrawLog().topics.slice(0, 3) }],
    ['more than an address in a word', { topics: [...withdrawLog().topics.slice(0, 3), `0x${'ff'.repeat(32)}`] }],
  ])('rejects an event with %s', (_, over) => {
    const log = { ...withdrawLog(), ...over };
    expect(() => decodeBlock(aBlock([log]), context('partner'))).toThrow(ImpossibleEventError);
  });

  it('rejects an event of an unlisted token instead of losing the deposit', () => {
    expect(() => decodeBlock(aBlock([depositLog({ token: at('e') })]), context('ethereum'))).toThrow(
      /not in the address book/,
    );
  });

  const abi = bridgeMintAbi;
  it.each([
    ['Skipped', encodeEventTopics({ abi, eventName: 'Skipped', args: { nonce: 5n } })],
    ['ToppedUp', encodeEventTopics({ abi, eventName: 'ToppedUp', args: { sender: at('9') } })],
  ])('a %s of BridgeMint is not an operation', (_, topics) => {
    const data = encodeAbiParameters([{ type: 'uint256' }], [1n]);
    const log = { ...withdrawLog(), topics: topics as Hex[], data };
    expect(decodeBlock(aBlock([log]), context('partner')).events).toEqual([]);
  });

  it('stores a Refunded of BridgeMint under the id of the refund, for the watch', () => {
    const refund = { refundId: TX, token: zeroAddress, recipient: at('9') };
    const topics = encodeEventTopics({ abi, eventName: 'Refunded', args: refund }) as Hex[];
    const log = { ...withdrawLog(), topics, data: encodeAbiParameters([{ type: 'uint256' }], [1n]) };
    expect(decodeBlock(aBlock([log]), context('partner')).events).toMatchObject([
      { name: 'Refunded', operationId: TX, args: { recipient: at('9').toLowerCase(), amount: '1' } },
    ]);
  });

  it.each([
    ['BridgeLock', 'ethereum', [8_901, book.partner.bridgeMint]],
    ['BridgeMint', 'partner', [31_337, book.ethereum.bridgeLock]],
  ] as const)('lists the operations whose numbers a Reopened of %s opens', (_, side, [chainId, contract]) => {
    const topics = encodeEventTopics({ abi, eventName: 'Reopened', args: { word: 3n } }) as Hex[];
    const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [1n | (1n << 255n), 4n]);
    const { address } = side === 'ethereum' ? depositLog() : withdrawLog();
    const { events } = decodeBlock(aBlock([{ ...withdrawLog(), address, topics, data }]), context(side));
    expect(events).toMatchObject([
      {
        name: 'Reopened',
        operationId: numberToHex(3n, { size: 32 }),
        args: { word: '3', count: '4' },
        reopens: [768n, 1_023n].map((nonce) => operationId(chainId, contract, nonce)),
      },
    ]);
  });

  it('stores an IdReopened under its id', () => {
    const topics = encodeEventTopics({ abi, eventName: 'IdReopened', args: { id: TX } }) as Hex[];
    const log = { ...withdrawLog(), topics, data: encodeAbiParameters([{ type: 'uint256' }], [0n]) };
    expect(decodeBlock(aBlock([log]), context('partner')).events).toMatchObject([
      { name: 'IdReopened', operationId: TX, reopens: [TX] },
    ]);
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
      value: 10n ** 16n,
      memo: TX,
    };
    const { transfers } = decodeBlock(aBlock([], [transfer]), context('partner'));
    expect(transfers).toEqual([
      {
        txHash: TX,
        asset: 'XCN',
        callIndex: 0,
        payer: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
        wallet: book.relayer,
        isToFormerWallet: false,
        amount: 10n ** 16n,
        memo: TX,
      },
    ]);
  });

  describe('of tokens', () => {
    const usdc = book.partner.tokens.USDC;
    const handedIn = (over: Partial<VerifiedLog> & { from?: Address; amount?: bigint } = {}): VerifiedLog => {
      const { from = at('8'), amount = 100_000_000n, ...log } = over;
      const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to: book.relayer } });
      const data = encodeAbiParameters([{ type: 'uint256' }], [amount]);
      return { address: usdc, topics: topics as Hex[], data, logIndex: 1, transactionHash: TX, ...log };
    };
    const decodeArrivals = (...logs: VerifiedLog[]) =>
      decodeBlock(aBlock(logs), context('partner')).transfers.map(({ callIndex }) => callIndex);

    it('returns a transfer to the wallet, with its payer', () => {
      expect(decodeBlock(aBlock([handedIn({ logIndex: 7 })]), context('partner')).transfers).toEqual([
        {
          txHash: TX,
          asset: 'USDC',
          callIndex: 7,
          payer: at('8'),
          wallet: book.relayer,
          isToFormerWallet: false,
          amount: 100_000_000n,
          memo: null,
        },
      ]);
    });

    it('ignores a transfer of zero, even as dust', () => {
      const block = decodeBlock(aBlock([handedIn({ amount: 0n })]), context('partner'));
      expect(block).toMatchObject({ transfers: [], dust: [] });
    });

    it('rejects a transfer of a token that is not in the address book', () => {
      expect(() => decodeArrivals(handedIn({ address: at('e') }))).toThrow(/not in the address book/);
    });

    it.each<[string, VerifiedLog[], number[]]>([
      [
        'nothing for an event with fewer indexed values',
        [{ ...handedIn(), topics: handedIn().topics.slice(0, 2) }],
        [],
      ],
      ['nothing for a burn', [withdrawLog(), handedIn()], []],
      [
        'the transfers beside two equal burns',
        [withdrawLog(), handedIn(), withdrawLog(usdc, 3n), handedIn({ logIndex: 2 }), handedIn({ logIndex: 3 })],
        [3],
      ],
      ['the transfer beside a burn', [withdrawLog(), handedIn(), handedIn({ logIndex: 2 })], [2]],
      ['a transfer of another amount', [withdrawLog(), handedIn({ amount: 10_000n })], [1]],
      ['a transfer of another payer', [withdrawLog(), handedIn({ from: at('7') })], [1]],
      [
        'a transfer of another token',
        [withdrawLog(), handedIn({ address: book.partner.tokens.ETH, amount: 10n ** 18n })],
        [1],
      ],
      [
        'a transfer of another transaction',
        [withdrawLog(), handedIn({ transactionHash: `0x${'ee'.repeat(32)}`, logIndex: 4 }), handedIn()],
        [4],
      ],
      ['nothing for a transfer of zero', [handedIn({ amount: 0n })], []],
    ])('returns %s', (_, logs, expected) => {
      expect(decodeArrivals(...logs)).toEqual(expected);
    });
  });
});
