import { keccak256, padHex, toHex, type Address, type Hex } from 'viem';

// Builders of test data. Each one completes the few fields that a test cares about. The types are structural copies of
// the store's, because the test kit depends on no package of the workspace.

/** The chain ids of the environment `local`. */
export const ETHEREUM = 31_337;
export const PARTNER = 8_901;

/** The terms of an operation, as the store takes them. */
interface TermsData {
  readonly id: Hex;
  readonly kind: 'DEPOSIT' | 'BURN' | 'NATIVE_WITHDRAWAL' | 'INTENT' | 'TRANSFER';
  readonly direction: 'ETHEREUM_TO_PARTNER' | 'PARTNER_TO_ETHEREUM';
  readonly asset: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly feeBps: number;
  readonly outputAmount: bigint;
  readonly sender: Address;
  readonly recipient: Address;
  readonly originChainId: number;
  readonly destinationChainId: number;
  readonly originNonce: bigint | null;
  readonly requiredConfirmations: number;
  readonly estimatedSeconds?: number;
}

/** A decoded event of a bridge contract. */
interface EventData {
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly name: 'Deposit' | 'Mint' | 'Withdraw' | 'Release' | 'Credited' | 'Refunded' | 'Reopened' | 'IdReopened';
  readonly operationId: Hex;
  readonly args: Readonly<Record<string, string>>;
  readonly opens?: TermsData;
  readonly reopens?: readonly Hex[];
}

/** A scanned block. */
interface BlockData {
  readonly number: bigint;
  readonly hash: Hex;
  readonly timestamp: Date;
  readonly events: readonly EventData[];
  readonly transfers: readonly TransferData[];
  readonly dust: readonly (Pick<TransferData, 'wallet' | 'asset' | 'payer' | 'amount'> & {
    readonly transfers: number;
  })[];
}

/** A native transfer to a relayer wallet. */
interface TransferData {
  readonly txHash: Hex;
  readonly asset: string;
  readonly callIndex: number;
  readonly payer: Address;
  readonly wallet: Address;
  readonly isToFormerWallet: boolean;
  readonly amount: bigint;
  readonly memo: Hex | null;
}

let counter = 0;

/** A hash that no other call has returned. */
export function aHash(): Hex {
  counter += 1;
  return keccak256(toHex(counter));
}

/** An address that no other call has returned, or the one of a name. */
export function anAddress(name = `address ${counter++}`): Address {
  return keccak256(toHex(name)).slice(0, 42) as Address;
}

/** The address book of the environment `local`, with addresses at which nothing is deployed. */
export function anAddressBook() {
  return {
    environment: 'local' as const,
    ethereum: {
      chainId: ETHEREUM,
      bridgeLock: anAddress('lock'),
      sentinel: anAddress('sentinel ethereum'),
      tokens: { USDC: anAddress('usdc'), XCN: anAddress('xcn') },
      deployedAtBlock: 1,
    },
    partner: {
      chainId: PARTNER,
      bridgeMint: anAddress('mint'),
      sentinel: anAddress('sentinel partner'),
      tokens: { ETH: anAddress('bridged eth'), USDC: anAddress('bridged usdc') },
      deployedAtBlock: 1,
      nativeUnit: '1',
    },
    relayer: anAddress('relayer'),
  };
}

export function aDeposit(over: Partial<TermsData> = {}): TermsData {
  const amount = over.amount ?? 1_000n;
  return {
    id: aHash(),
    kind: 'DEPOSIT',
    direction: 'ETHEREUM_TO_PARTNER',
    asset: 'USDC',
    amount,
    fee: 0n,
    feeBps: 0,
    outputAmount: amount,
    sender: anAddress(),
    recipient: anAddress(),
    originChainId: ETHEREUM,
    destinationChainId: PARTNER,
    originNonce: BigInt(counter),
    requiredConfirmations: 12,
    ...over,
  };
}

export function aBurn(over: Partial<TermsData> = {}): TermsData {
  return aDeposit({
    kind: 'BURN',
    direction: 'PARTNER_TO_ETHEREUM',
    fee: 10n,
    feeBps: 25,
    outputAmount: 990n,
    originChainId: PARTNER,
    destinationChainId: ETHEREUM,
    requiredConfirmations: 6,
    ...over,
  });
}

export function aNativeWithdrawal(over: Partial<TermsData> = {}): TermsData {
  return aBurn({ kind: 'NATIVE_WITHDRAWAL', asset: 'XCN', ...over });
}

export function anIntent(over: Partial<TermsData> = {}): TermsData {
  return aBurn({ kind: 'INTENT', asset: 'XCN', originNonce: null, ...over });
}

/** The client that registers an intent: none of its limits is reached, and any transfer is later. */
export const CLIENT = { clientIp: '192.0.2.1', mostOpenOfClient: 1_000_000, judgedAtBlock: 0n } as const;

/** An operation as the store returns it: final, not held any more, and not paid yet. */
export function anOperation<O extends object>(terms: TermsData, over: O = {} as O) {
  return {
    ...terms,
    status: 'AWAITING_RELAY' as const,
    origin: { txHash: aHash(), logIndex: 0, blockNumber: 1n, blockHash: aHash() },
    originConfirmations: terms.requiredConfirmations,
    finalizedAt: new Date(0),
    holdUntil: null,
    holdReleasedAt: new Date(0),
    delayedReason: null,
    delayedSince: null,
    attempts: 0,
    nextAttemptAt: null,
    destinationTxHash: null,
    settlement: null,
    failureReason: null,
    refundId: null,
    expiredAt: null,
    quotedCompletionAt: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...over,
  };
}

/** A plain transfer to the relayer wallet of the address book. */
export function aTransfer(over: Partial<TransferData> = {}): TransferData {
  const place = { txHash: aHash(), asset: 'XCN', callIndex: 0 } as const;
  const wallet = { wallet: anAddress('relayer'), isToFormerWallet: false };
  return { ...place, ...wallet, payer: anAddress(), amount: 1_000n, memo: null, ...over };
}

/** The event that begins an operation. */
export function opening(terms: TermsData, logIndex = 0): EventData {
  const name = terms.kind === 'DEPOSIT' ? 'Deposit' : 'Withdraw';
  return { txHash: aHash(), logIndex, name, operationId: terms.id, args: {}, opens: terms };
}

/** The event of a destination chain that pays an operation. */
export function paying({ id, direction }: Pick<TermsData, 'id' | 'direction'>, txHash = aHash()): EventData {
  const name = direction === 'ETHEREUM_TO_PARTNER' ? 'Mint' : 'Release';
  return { txHash, logIndex: 0, name, operationId: id, args: {} };
}

/** The event by which the admin opens the numbers of operations again. */
export function reopening(...operations: readonly Pick<TermsData, 'id'>[]): EventData {
  const args = { word: '0', mask: '1', count: '0' };
  const operationId = padHex('0x', { size: 32 });
  return { txHash: aHash(), logIndex: 0, name: 'Reopened', operationId, args, reopens: operations.map(({ id }) => id) };
}

export function aBlock(number: bigint, over: Partial<BlockData> = {}): BlockData {
  return {
    number,
    hash: aHash(),
    timestamp: new Date(1_800_000_000_000 + Number(number) * 1_000),
    events: [],
    transfers: [],
    dust: [],
    ...over,
  };
}

/** The final delivery by the only event of a block. */
export function aDelivery(chainId: number, { events: [event], ...block }: BlockData) {
  if (event === undefined) throw new Error('A block without an event delivers nothing');
  const { operationId, txHash, logIndex, args } = event;
  const name = event.name === 'Mint' ? ('Mint' as const) : ('Release' as const);
  const where = { name, chainId, txHash, logIndex, blockNumber: block.number, blockHash: block.hash };
  return { operationId, ...where, settledAt: block.timestamp, credited: false, isReopened: false, args };
}

/** A signed transaction that no chain has seen. */
export function aSignature(nonce: bigint) {
  return { hash: aHash(), raw: '0x02' as Hex, nonce, gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
}
